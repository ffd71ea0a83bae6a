//! Whole requests and whole replies, in bytes: no client is in the way of what is measured.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::time::Instant;

use keyns_testkit::Server;

/// Where a server listens besides its port, in its folder.
pub const SOCKET: &str = "server.sock";

/// Stands behind every request, so that its reply marks the end of all before it.
const LAST: &[u8] = b"*2\r\n$4\r\nECHO\r\n$10\r\nthat's all\r\n";
const LAST_REPLY: &[u8] = b"$10\r\nthat's all\r\n";

pub struct Connection(Box<dyn Socket>);

trait Socket: Read + Write {}
impl<S: Read + Write> Socket for S {}

impl Connection {
    pub fn tcp(server: &Server) -> Connection {
        let socket = TcpStream::connect(("127.0.0.1", server.port)).expect("a connection");
        socket.set_nodelay(true).expect("no delay");
        Connection(Box::new(socket))
    }

    pub fn unix(server: &Server) -> Connection {
        let socket = UnixStream::connect(server.dir.join(SOCKET)).expect("a connection");
        Connection(Box::new(socket))
    }

    /// Sends a request at once and waits for the last byte of its reply; answers how many seconds
    /// that took. The server keeps replies that nobody has read yet, so it never waits for us.
    pub fn exchange(&mut self, request: &Request) -> f64 {
        let start = Instant::now();
        self.0.write_all(&request.0).expect("it is sent");
        let mut reply = Vec::with_capacity(64 << 10);
        let mut part = vec![0; 64 << 10];
        while !reply.ends_with(LAST_REPLY) {
            let length = self.0.read(&mut part).expect("a reply");
            assert!(length > 0, "the server went away");
            reply.extend_from_slice(&part[..length]);
        }
        let seconds = start.elapsed().as_secs_f64();
        let has_error = reply.starts_with(b"-") || reply.windows(3).any(|part| part == b"\r\n-");
        assert!(!has_error, "{}", String::from_utf8_lossy(&reply));
        seconds
    }
}

/// What is sent.
pub struct Request(Vec<u8>);

impl Request {
    pub fn ingest(markdown: &str) -> Request {
        Request::of(&[["KEYNS.INGESTMD", "doc", markdown]])
    }

    pub fn of<W: AsRef<[u8]>>(commands: &[impl AsRef<[W]>]) -> Request {
        let mut request = Vec::new();
        for command in commands {
            let words = command.as_ref();
            request.extend_from_slice(format!("*{}\r\n", words.len()).as_bytes());
            for word in words.iter().map(AsRef::as_ref) {
                request.extend_from_slice(format!("${}\r\n", word.len()).as_bytes());
                request.extend_from_slice(word);
                request.extend_from_slice(b"\r\n");
            }
        }
        request.extend_from_slice(LAST);
        Request(request)
    }

    pub fn bytes(&self) -> usize {
        self.0.len() - LAST.len()
    }
}
