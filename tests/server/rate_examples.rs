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
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::support::{Server, wait_until};

/// For what takes a second or two, unless it never comes.
const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn the_python_program_limits_its_clients() {
    limits_its_clients(python_program);
}

#[test]
fn the_node_program_limits_its_clients() {
    limits_its_clients(node_program);
}

fn limits_its_clients(program: fn(&Server) -> Command) {
    let mut server = Server::start();
    let program = Program::start(&server, program(&server));
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

    let reset = server.client().run("DEL rate:web:127.0.0.1");
    assert_eq!(reset.integer(), 1);
    assert_eq!(program.get().number("ratelimit-remaining"), Some(4));

    server.kill();
    program.get().assert_unlimited();
}

#[test]
fn the_python_program_passes_requests_without_redis() {
    passes_requests_without_redis(python_program);
}

#[test]
fn the_node_program_passes_requests_without_redis() {
    passes_requests_without_redis(node_program);
}

fn passes_requests_without_redis(program: fn(&Server) -> Command) {
    let mut server = Server::start();
    server.kill();
    let program = Program::start(&server, program(&server));
    program.get().assert_unlimited();

    server.start_again();
    wait_until("requests are limited", || program.get().is_limited());

    signal(&server, "STOP");
    program.get().assert_unlimited();
}

#[test]
fn the_python_program_fails_where_its_call_is_an_error() {
    fails_where_its_call_is_an_error(python_program);
}

#[test]
fn the_node_program_fails_where_its_call_is_an_error() {
    fails_where_its_call_is_an_error(node_program);
}

fn fails_where_its_call_is_an_error(program: fn(&Server) -> Command) {
    let server = Server::start();
    let program = Program::start(&server, program(&server));
    let mut client = server.client();
    client.run("SET rate:web:127.0.0.1 foreign");
    assert_eq!(program.get().status, 500);
    client.run("DEL rate:web:127.0.0.1");
    assert_eq!(program.get().number("ratelimit-remaining"), Some(4));
}

#[test]
fn penalties_and_refunds_do_what_they_say() {
    let server = Server::start();
    let end = r#"
print([may_log_in("203.0.113.7") for _ in range(7)])

def fail():
    raise OSError("not sent")

try:
    send_sms("ada", fail)
except OSError as error:
    print(error)
print([send_sms("ada", lambda: print("sent")) for _ in range(2)])
"#;
    let shown = run_python(&server, 1, end);
    assert_eq!(
        shown,
        "[True, True, True, True, True, False, False]\nnot sent\nsent\n[True, False]\n"
    );
    let mut client = server.client();
    let blocked = client.run("KEYNS.RATE.PEEK rate:login:203.0.113.7 SLIDING 5 15m");
    assert_eq!(blocked.array()[5].integer(), -1);
}

#[test]
fn the_script_takes_from_all_keys_or_from_none() {
    let server = Server::start();
    fs::write(server.dir.join("limits.lua"), block("lua", 0)).unwrap();
    let end = "print(place, allowed, most, left)";
    assert_eq!(run_python(&server, 2, end), "0 1 100 99\n");
    let mut client = server.client();
    let counted = client.run("KEYNS.RATE.PEEK rate:day:acme FIXED 100000 1d COST 0");
    assert_eq!(counted.array()[2].integer(), 99_999);

    client.run("FLUSHALL");
    client.run("KEYNS.RATE.BLOCK rate:day:acme 1h");
    assert_eq!(run_python(&server, 2, end), "1 0 100000 0\n");
    assert_eq!(client.run("DBSIZE").integer(), 1);
}

fn python_program(server: &Server) -> Command {
    let program = server.dir.join("limited.py");
    fs::write(&program, block("python", 0)).unwrap();
    let mut python = python(server);
    python.arg(program);
    python
}

/// What one of the later programs prints, with these lines at its end.
fn run_python(server: &Server, place: usize, end: &str) -> String {
    let _ = python_program(server);
    let program = server.dir.join("program.py");
    fs::write(&program, block("python", place) + "\n" + end).unwrap();
    let output = python(server).arg(program).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout).unwrap()
}

fn python(server: &Server) -> Command {
    let mut python = Command::new(variable("KEYNS_PYTHON", "/usr/bin/python3"));
    python.current_dir(&server.dir);
    python.env("REDIS_URL", url(server));
    python
}

fn node_program(server: &Server) -> Command {
    let program = server.dir.join("limited.mjs");
    fs::write(&program, block("js", 0)).unwrap();
    // The program finds its package beside itself, and the package what it needs by NODE_PATH.
    let modules = variable("KEYNS_NODE_MODULES", "/usr/share/nodejs");
    symlink(&modules, server.dir.join("node_modules")).unwrap();
    let mut node = Command::new("node");
    node.arg(program).env("NODE_PATH", modules);
    node.env("REDIS_URL", url(server));
    node
}

fn url(server: &Server) -> String {
    format!("redis://127.0.0.1:{}", server.port)
}

/// A program of the page, by its place among those in its language.
fn block(language: &str, place: usize) -> String {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/commands/rate-limits.md");
    let page = fs::read_to_string(page).unwrap();
    let start = format!("\n```{language}\n");
    let block = page.split(&start).nth(place + 1);
    let block = block.unwrap_or_else(|| panic!("no program {place} in {language}"));
    block.split("\n```\n").next().unwrap().to_owned() + "\n"
}

fn signal(server: &Server, signal: &str) {
    let process = server.client().info("server", "process_id");
    let status = Command::new("kill").args(["-s", signal, &process]).status();
    assert!(status.unwrap().success());
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
            .env("PORT", "0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(File::create(&errors).unwrap())
            .spawn();
        let mut process = process.unwrap_or_else(|error| {
            panic!("{command:?} cannot be run, `scripts/setup test` installs it: {error}")
        });
        let line = first_line(&mut process);
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
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        write!(stream, "GET / HTTP/1.0\r\nHost: {}\r\n\r\n", self.address).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        Answer::parse(&answer)
    }
}

/// What a process prints first; nothing if that does not come.
fn first_line(process: &mut Child) -> String {
    let output = process.stdout.take().unwrap();
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut line = String::new();
        let _ = BufReader::new(output).read_line(&mut line);
        let _ = sender.send(line);
    });
    receiver.recv_timeout(PATIENCE).unwrap_or_default()
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

    fn is_limited(&self) -> bool {
        self.headers.contains_key("ratelimit-limit")
    }

    #[track_caller]
    fn assert_unlimited(&self) {
        assert_eq!((self.status, self.is_limited()), (200, false));
    }

    fn number(&self, header: &str) -> Option<u64> {
        let value = self.headers.get(header)?;
        Some(value.parse().expect(header))
    }
}
