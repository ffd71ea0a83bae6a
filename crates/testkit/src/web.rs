//! Web servers in other languages, which tests talk to.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use crate::{Lines, Server, patience, spawn};

/// A program that listens at the address it prints.
pub struct WebProgram {
    process: Child,
    address: String,
}

impl WebProgram {
    #[track_caller]
    pub fn start(server: &Server, mut command: Command) -> WebProgram {
        let errors = server.dir.join("errors");
        command
            .env("PORT", "0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(File::create(&errors).unwrap());
        let mut process = spawn(&mut command);
        let line = Lines::of(&mut process).next().unwrap_or_default();
        let address = line.strip_prefix("http://");
        let Some(address) = address.and_then(|address| address.strip_suffix('/')) else {
            let _ = process.kill();
            let _ = process.wait();
            panic!(
                "{command:?} does not listen, `scripts/setup test` installs what it needs: {}",
                fs::read_to_string(errors).unwrap()
            );
        };
        WebProgram {
            address: address.into(),
            process,
        }
    }

    pub fn get(&self, path: &str, headers: &[&str]) -> WebAnswer {
        self.ask("GET", path, headers, "")
    }

    pub fn post(&self, path: &str, body: &str) -> WebAnswer {
        self.ask("POST", path, &[], body)
    }

    #[track_caller]
    fn ask(&self, method: &str, path: &str, headers: &[&str], body: &str) -> WebAnswer {
        let mut request = format!("{method} {path} HTTP/1.0\r\nHost: {}\r\n", self.address);
        for header in headers {
            request += &format!("{header}\r\n");
        }
        request += &format!("Content-Length: {}\r\n\r\n{body}", body.len());
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(patience())).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        WebAnswer::parse(&answer)
    }
}

impl Drop for WebProgram {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// What a web server answers.
pub struct WebAnswer {
    pub status: u16,
    headers: BTreeMap<String, String>,
    pub body: String,
}

impl WebAnswer {
    /// Fails on a header that comes twice: clients differ in which of the two they believe.
    #[track_caller]
    fn parse(answer: &str) -> WebAnswer {
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
        let mut lines = head.lines();
        let status = lines.next().unwrap().split(' ').nth(1).unwrap();
        let mut headers = BTreeMap::new();
        for (name, value) in lines.filter_map(|line| line.split_once(": ")) {
            let earlier = headers.insert(name.to_lowercase(), value.into());
            assert_eq!(earlier, None, "{name} comes twice:\n{head}");
        }
        WebAnswer {
            status: status.parse().unwrap(),
            headers,
            body: body.into(),
        }
    }

    /// Whether it names a rate limit.
    pub fn is_limited(&self) -> bool {
        self.headers.contains_key("ratelimit-limit")
    }

    #[track_caller]
    pub fn assert_unlimited(&self) {
        assert_eq!((self.status, self.is_limited()), (200, false));
    }

    /// The number that a header has.
    pub fn number(&self, header: &str) -> Option<u64> {
        let value = self.headers.get(header)?;
        Some(value.parse().expect(header))
    }
}
