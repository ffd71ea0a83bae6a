//! Clients that send what redis-benchmark cannot: commands that differ from each other in more than
//! a random number.

use std::io::{Read, Result, Write};
use std::net::TcpStream;
use std::ops::Range;

use keyns_testkit::{Client, Server};

use super::main_thread_seconds;

pub const CLIENTS: usize = 50;
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

    /// Which client sends the command at this place. What it sends comes in the order in which it
    /// was sent; what others send may come before or after.
    pub fn sender(at: usize) -> usize {
        at / PIPELINE % CLIENTS
    }

    /// Has all of them work in this database.
    pub fn select(&mut self, database: usize) {
        let select = encode(&["SELECT".into(), database.to_string()]);
        for client in &mut self.0 {
            client.write_all(&select).expect("the server listens");
            await_replies(client, 1, |_, _| ());
        }
    }

    /// Sends all commands, and answers the CPU time of the server's main thread per command.
    pub fn nanoseconds(&mut self, commands: &[Vec<String>], control: &mut Client) -> f64 {
        self.nanoseconds_and_replies(commands, control, |_, _| ())
    }

    /// The same, and shows every reply with the place of its command. What is done with it has to
    /// be little: a client that is slower than the server would have it wait, and every wait costs
    /// the server time that belongs to no command.
    pub fn nanoseconds_and_replies(
        &mut self,
        commands: &[Vec<String>],
        control: &mut Client,
        mut show: impl FnMut(usize, &[u8]),
    ) -> f64 {
        let batches: Vec<(Vec<u8>, usize)> = commands
            .chunks(PIPELINE)
            .map(|batch| {
                (
                    batch.iter().map(|c| encode(c)).collect::<Vec<_>>().concat(),
                    batch.len(),
                )
            })
            .collect();
        let mut answered = 0;
        let before = main_thread_seconds(control);
        for batches in batches.chunks(self.0.len()) {
            for (client, (bytes, _)) in self.0.iter_mut().zip(batches) {
                client.write_all(bytes).expect("the server listens");
            }
            for (client, (_, replies)) in self.0.iter_mut().zip(batches) {
                await_replies(client, *replies, |at, reply| show(answered + at, reply));
                answered += replies;
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

/// Reads so many replies to their end, none of which may be an error, and shows each with its place.
fn await_replies(client: &mut TcpStream, replies: usize, mut show: impl FnMut(usize, &[u8])) {
    let mut buffer = [0; 32 * 1024];
    let mut unread = 0..0;
    let mut read_replies = 0;
    while read_replies < replies {
        while let Some(len) = reply_len(&buffer[unread.clone()]) {
            assert_ne!(buffer[unread.start], b'-', "{}", text(&buffer, &unread));
            show(read_replies, &buffer[unread.start..unread.start + len]);
            unread.start += len;
            read_replies += 1;
        }
        if read_replies < replies {
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

/// Numbers that look random and are the same in every run (Knuth's MMIX generator).
pub struct Dice(u64);

impl Dice {
    pub fn new() -> Dice {
        Dice(1)
    }

    pub fn below(&mut self, end: usize) -> usize {
        const FACTOR: u64 = 6_364_136_223_846_793_005;
        const STEP: u64 = 1_442_695_040_888_963_407;
        self.0 = self.0.wrapping_mul(FACTOR).wrapping_add(STEP);
        (self.0 >> 33) as usize % end
    }
}
