//! The programs in docs/commands/rate-limits.md, run as they stand there.
//!
//! `scripts/setup test` installs what they need. `KEYNS_PYTHON` names another python3, and
//! `KEYNS_NODE_MODULES` another folder in which Node.js finds the package `redis`.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::symlink;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::support::Server;

#[test]
fn the_python_program_limits_its_clients() {
    let mut server = Server::start();
    let program = server.dir.join("limited.py");
    fs::write(&program, block("python")).unwrap();
    let mut python = Command::new(variable("KEYNS_PYTHON", "/usr/bin/python3"));
    python.arg(program);
    limits_its_clients(&mut server, python);
}

#[test]
fn the_node_program_limits_its_clients() {
    let mut server = Server::start();
    let program = server.dir.join("limited.mjs");
    fs::write(&program, block("js")).unwrap();
    // The program finds its package beside itself, and the package what it needs by NODE_PATH.
    let modules = variable("KEYNS_NODE_MODULES", "/usr/share/nodejs");
    symlink(&modules, server.dir.join("node_modules")).unwrap();
    let mut node = Command::new("node");
    node.arg(program).env("NODE_PATH", modules);
    limits_its_clients(&mut server, node);
}

fn limits_its_clients(server: &mut Server, program: Command) {
    let program = Program::start(server, program);
    for taken in 1..=5 {
        let answer = program.get();
        assert_eq!(answer.status, 200);
        assert_eq!(answer.body, "Hello.\n");
        assert_eq!(answer.number("ratelimit-limit"), Some(5));
        assert_eq!(answer.number("ratelimit-remaining"), Some(5 - taken));
        let reset = answer.number("ratelimit-reset").unwrap();
        assert!((12 * taken - 11..=12 * taken).contains(&reset), "{reset}");
        assert_eq!(answer.number("retry-after"), None);
    }
    let refused = program.get();
    assert_eq!(refused.status, 429);
    assert_eq!(refused.body, "Too many requests.\n");
    assert_eq!(refused.number("ratelimit-remaining"), Some(0));
    let retry = refused.number("retry-after").unwrap();
    assert!((1..=12).contains(&retry), "{retry}");

    let reset = server.client().run("DEL rate:127.0.0.1");
    assert_eq!(reset.integer(), 1);
    assert_eq!(program.get().number("ratelimit-remaining"), Some(4));

    server.kill();
    let unlimited = program.get();
    assert_eq!(unlimited.status, 200);
    assert_eq!(unlimited.number("ratelimit-limit"), None);
}

/// The only program of the page in this language.
fn block(language: &str) -> String {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/commands/rate-limits.md");
    let page = fs::read_to_string(page).unwrap();
    let start = format!("\n```{language}\n");
    let blocks: Vec<_> = page.split(&start).skip(1).collect();
    assert_eq!(blocks.len(), 1, "programs in {language}");
    blocks[0].split("\n```\n").next().unwrap().to_owned() + "\n"
}

fn variable(name: &str, default: &str) -> OsString {
    env::var_os(name).unwrap_or_else(|| default.into())
}

/// A program that listens at the address it prints.
struct Program {
    process: Child,
    address: String,
}

impl Program {
    fn start(server: &Server, mut command: Command) -> Program {
        let errors = server.dir.join("errors");
        let process = command
            .env("REDIS_URL", format!("redis://127.0.0.1:{}", server.port))
            .env("PORT", "0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(File::create(&errors).unwrap())
            .spawn();
        let mut process = process.unwrap_or_else(|error| {
            panic!("{command:?} cannot be run, `scripts/setup test` installs it: {error}")
        });
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let address = line.trim().strip_prefix("http://");
        let Some(address) = address.and_then(|address| address.strip_suffix('/')) else {
            let _ = process.kill();
            let _ = process.wait();
            panic!(
                "{command:?} does not listen, `scripts/setup test` installs what it needs: {}",
                fs::read_to_string(errors).unwrap()
            );
        };
        Program {
            address: address.into(),
            process,
        }
    }

    fn get(&self) -> Answer {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        write!(stream, "GET / HTTP/1.0\r\nHost: {}\r\n\r\n", self.address).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        Answer::parse(&answer)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

struct Answer {
    status: u16,
    headers: BTreeMap<String, String>,
    body: String,
}

impl Answer {
    fn parse(answer: &str) -> Answer {
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
        let mut lines = head.lines();
        let status = lines.next().unwrap().split(' ').nth(1).unwrap();
        let headers = lines.filter_map(|line| line.split_once(": "));
        Answer {
            status: status.parse().unwrap(),
            headers: headers
                .map(|(name, value)| (name.to_lowercase(), value.into()))
                .collect(),
            body: body.into(),
        }
    }

    fn number(&self, header: &str) -> Option<u64> {
        let value = self.headers.get(header)?;
        Some(value.parse().expect(header))
    }
}
