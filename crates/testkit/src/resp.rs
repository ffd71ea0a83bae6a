//! A client that sends any bytes and shows every reply as it is, RESP2 or RESP3.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Result, Write};
use std::net::TcpStream;

use crate::patience;

/// A reply.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Simple(String),
    Error(String),
    Integer(i64),
    Bulk(Vec<u8>),
    Null,
    Array(Vec<Value>),
    Map(Vec<(Value, Value)>),
    Boolean(bool),
    Double(String),
}

impl Value {
    pub fn bulk(text: &str) -> Value {
        Value::Bulk(text.into())
    }

    /// The text of a string or an error, however it was sent.
    #[track_caller]
    pub fn text(&self) -> String {
        match self {
            Value::Simple(text) | Value::Error(text) => text.clone(),
            Value::Bulk(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            other => panic!("not a string: {other:?}"),
        }
    }

    #[track_caller]
    pub fn integer(&self) -> i64 {
        match self {
            Value::Integer(number) => *number,
            other => panic!("not an integer: {other:?}"),
        }
    }

    #[track_caller]
    pub fn array(&self) -> &[Value] {
        match self {
            Value::Array(values) => values,
            other => panic!("not an array: {other:?}"),
        }
    }

    /// The fields of a map, or of the flat array that stands for one under RESP2.
    #[track_caller]
    pub fn fields(&self) -> BTreeMap<String, Value> {
        match self {
            Value::Map(pairs) => pairs.iter().map(|(k, v)| (k.text(), v.clone())).collect(),
            Value::Array(values) => values
                .chunks(2)
                .map(|pair| (pair[0].text(), pair[1].clone()))
                .collect(),
            other => panic!("not a map: {other:?}"),
        }
    }

    pub fn is_error(&self) -> bool {
        matches!(self, Value::Error(_))
    }
}

pub struct Client {
    reader: BufReader<TcpStream>,
    writer: TcpStream,
}

impl Client {
    pub fn connect(port: u16) -> Result<Client> {
        Client::over(TcpStream::connect(("127.0.0.1", port))?)
    }

    /// Speaks over a connection that is there already, from either end.
    pub fn over(writer: TcpStream) -> Result<Client> {
        writer.set_nodelay(true)?;
        // A reply that does not come fails the test instead of holding it up.
        writer.set_read_timeout(Some(patience()))?;
        let reader = BufReader::new(writer.try_clone()?);
        Ok(Client { reader, writer })
    }

    /// Sends a command and answers its reply.
    #[track_caller]
    pub fn call<A: AsRef<[u8]>>(&mut self, args: &[A]) -> Value {
        self.try_call(args).expect("the server answers")
    }

    /// As [`call`](Client::call), where the server may go away.
    pub fn try_call<A: AsRef<[u8]>>(&mut self, args: &[A]) -> Result<Value> {
        self.send(args)?;
        self.receive()
    }

    /// Sends a command written in words without spaces.
    #[track_caller]
    pub fn run(&mut self, line: &str) -> Value {
        self.call(&line.split(' ').collect::<Vec<_>>())
    }

    /// A field of a section of INFO.
    #[track_caller]
    pub fn info(&mut self, section: &str, field: &str) -> String {
        let info = self.call(&["INFO", section]).text();
        let mut fields = info.lines().filter_map(|line| line.split_once(':'));
        let found = fields.find(|(name, _)| *name == field);
        found.expect("a field of INFO").1.to_owned()
    }

    /// Sends many commands at once and answers their replies.
    #[track_caller]
    pub fn pipeline<A: AsRef<[u8]>>(&mut self, commands: &[Vec<A>]) -> Vec<Value> {
        // Several in a packet, and yet not so many that others wait for all of them.
        const PACKET: usize = 4096;
        let mut packet = Vec::with_capacity(2 * PACKET);
        for command in commands {
            packet.extend(Client::request(command));
            if packet.len() >= PACKET {
                self.send_raw(&packet).expect("the server listens");
                packet.clear();
            }
        }
        self.send_raw(&packet).expect("the server listens");
        let replies = commands.iter().map(|_| self.receive());
        replies.collect::<Result<_>>().expect("the server answers")
    }

    pub fn send<A: AsRef<[u8]>>(&mut self, args: &[A]) -> Result<()> {
        self.writer.write_all(&Client::request(args))
    }

    /// What goes over the connection for a command.
    pub fn request<A: AsRef<[u8]>>(args: &[A]) -> Vec<u8> {
        let args: Vec<&[u8]> = args.iter().map(AsRef::as_ref).collect();
        request(&args)
    }

    pub fn send_raw(&mut self, bytes: &[u8]) -> Result<()> {
        self.writer.write_all(bytes)
    }

    pub fn receive(&mut self) -> Result<Value> {
        let mut line = Vec::new();
        if self.reader.read_until(b'\n', &mut line)? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        // The server's own errors repeat what they were sent, whatever bytes it has.
        let line = String::from_utf8_lossy(&line);
        let (kind, rest) = line.trim_end().split_at(1);
        let length = || rest.parse::<i64>().expect("a length");
        Ok(match kind {
            "+" => Value::Simple(rest.into()),
            "-" => Value::Error(rest.into()),
            ":" => Value::Integer(length()),
            "," => Value::Double(rest.into()),
            "#" => Value::Boolean(rest == "t"),
            "_" => Value::Null,
            "$" | "=" if length() >= 0 => self.bulk(length() as usize)?,
            "*" | "~" | ">" if length() >= 0 => Value::Array(
                (0..length())
                    .map(|_| self.receive())
                    .collect::<Result<_>>()?,
            ),
            "%" => Value::Map(
                (0..length())
                    .map(|_| Ok((self.receive()?, self.receive()?)))
                    .collect::<Result<_>>()?,
            ),
            "$" | "*" => Value::Null,
            _ => panic!("not RESP: {line:?}"),
        })
    }

    fn bulk(&mut self, length: usize) -> Result<Value> {
        let mut bytes = vec![0; length + 2];
        self.reader.read_exact(&mut bytes)?;
        bytes.truncate(length);
        Ok(Value::Bulk(bytes))
    }
}

fn request(args: &[&[u8]]) -> Vec<u8> {
    let bytes: usize = args.iter().map(|arg| arg.len() + 16).sum();
    let mut request = Vec::with_capacity(bytes + 16);
    let head = |request: &mut Vec<u8>, sign: char, count: usize| {
        write!(request, "{sign}{count}\r\n").expect("a vector takes everything");
    };
    head(&mut request, '*', args.len());
    for arg in args {
        head(&mut request, '$', arg.len());
        request.extend_from_slice(arg);
        request.extend_from_slice(b"\r\n");
    }
    request
}
