//! Clients that send what redis-benchmark cannot: commands whose keys go round many namespaces and
//! are as many as INCR's.

use std::io::{Read, Result, Write};
use std::net::TcpStream;
use std::ops::Range;

use crate::measure::main_thread_seconds;
use crate::support::{Client, Server};

const CLIENTS: usize = 50;
/// How many commands a client sends at once.
const PIPELINE: usize = 16;

/// As many clients as redis-benchmark has, which send in turn and wait for their replies.
pub struct Clients(Vec<TcpStream>);

impl Clients {
    pub fn connect(server: &Server) -> Clients {
        let connect = || -> Result<TcpStream> {
            let client = TcpStream::connect(("127.0.0.1", server.port))?;
            client.set_nodelay(true)?;
            Ok(client)
        };
        let clients = (0..CLIENTS).map(|_| connect());
        Clients(clients.collect::<Result<_>>().expect("connections"))
    }

    /// Sends all commands, and answers the CPU time of the server's main thread per command.
    pub fn nanoseconds(&mut self, commands: &[Vec<String>], control: &mut Client) -> f64 {
        let batches: Vec<(Vec<u8>, usize)> = commands
            .chunks(PIPELINE)
            .map(|batch| (batch.iter().flat_map(|c| encode(c)).collect(), batch.len()))
            .collect();
        let before = main_thread_seconds(control);
        for batches in batches.chunks(self.0.len()) {
            for (client, (bytes, _)) in self.0.iter_mut().zip(batches) {
                client.write_all(bytes).expect("the server listens");
            }
            for (client, (_, replies)) in self.0.iter_mut().zip(batches) {
                await_replies(client, *replies);
            }
        }
        (main_thread_seconds(control) - before) * 1e9 / commands.len() as f64
    }
}

fn encode(command: &[String]) -> Vec<u8> {
    let mut bytes = format!("*{}\r\n", command.len()).into_bytes();
    for word in command {
        bytes.extend_from_slice(format!("${}\r\n{word}\r\n", word.len()).as_bytes());
    }
    bytes
}

/// Reads so many replies to their end, none of which may be an error. Nothing is made of them: a
/// client that is slower than the server would have it wait, and every wait costs the server time
/// that belongs to no command.
fn await_replies(client: &mut TcpStream, mut replies: usize) {
    let mut buffer = [0; 32 * 1024];
    let mut unread = 0..0;
    while replies > 0 {
        while let Some(len) = reply_len(&buffer[unread.clone()]) {
            assert_ne!(buffer[unread.start], b'-', "{}", text(&buffer, &unread));
            unread.start += len;
            replies -= 1;
        }
        if replies > 0 {
            buffer.copy_within(unread.clone(), 0);
            unread = 0..unread.len();
            let read = client.read(&mut buffer[unread.end..]);
            let read = read.expect("the server answers");
            assert_ne!(read, 0, "the server answers with less than a few kilobytes");
            unread.end += read;
        }
    }
    assert!(unread.is_empty(), "{}", text(&buffer, &unread));
}

fn text(buffer: &[u8], range: &Range<usize>) -> String {
    String::from_utf8_lossy(&buffer[range.clone()]).into_owned()
}

/// The length of the reply that `bytes` start with, `None` if it is not all there. (RESP2)
fn reply_len(bytes: &[u8]) -> Option<usize> {
    let line = bytes.iter().position(|&byte| byte == b'\n')? + 1;
    let count = || {
        let digits = bytes[1..line].iter().take_while(|b| b.is_ascii_digit());
        digits.fold(0, |sum, &b| sum * 10 + usize::from(b - b'0'))
    };
    let is_null = bytes[1] == b'-';
    match bytes[0] {
        b'$' if !is_null => Some(line + count() + 2).filter(|&len| len <= bytes.len()),
        b'*' if !is_null => {
            (0..count()).try_fold(line, |at, _| Some(at + reply_len(&bytes[at..])?))
        }
        _ => Some(line),
    }
}
