//! The programs in `examples/`: those in the folders of languages all tell the same story, and
//! those in the folders of [frameworks](web) are web applications.
//!
//! Those in Python, Node.js and Rust are always run. For Go and Java this goes by what the machine
//! has, and what is left out is said.

mod program;
mod web;

use std::fs;
use std::process::{Child, Output, Stdio};

use keyns_testkit::{Client, Options, Server, Value, printed, spawn, wait_until};

use program::Program;

#[test]
fn the_python_program_tells_the_story() {
    tells_the_story(Program::Python);
}

#[test]
fn the_node_program_tells_the_story() {
    tells_the_story(Program::Node);
}

#[test]
fn the_rust_program_tells_the_story() {
    tells_the_story(Program::Rust);
}

#[test]
fn the_go_program_tells_the_story() {
    tells_the_story(Program::Go);
}

#[test]
fn the_java_program_tells_the_story() {
    tells_the_story(Program::Java);
}

/// Twice, as nothing is left of the first time.
fn tells_the_story(program: Program) {
    if !program.can_run() {
        return;
    }
    let server = Server::start();
    for _ in 0..2 {
        assert_eq!(printed(finished(start(program, &server))), story());
        assert_nothing_is_left(&server);
    }
}

#[test]
fn programs_that_run_at_once_wait_for_the_same_lock() {
    let server = Server::start();
    let mut client = server.client();
    let token = client.run("KEYNS.LOCK lock:example:report tester PX 600000");
    assert!(token.integer() > 0);
    let programs = runnable();
    let running: Vec<Child> = programs.iter().map(|&p| start(p, &server)).collect();
    wait_until("all of them want the lock", || {
        let clients = client.run("CLIENT LIST").text();
        clients.matches("cmd=KEYNS.LOCK ").count() == running.len()
    });
    assert_eq!(taken(&mut client), 1);

    let reply = client.run("KEYNS.UNLOCK lock:example:report tester");
    assert_eq!(reply.integer(), 1);
    for program in running {
        assert_eq!(printed(finished(program)), story());
    }
    // Each of them is ada first and then bob.
    assert_eq!(taken(&mut client), 1 + 2 * programs.len());
    assert_nothing_is_left(&server);
}

#[test]
fn a_program_says_in_one_line_what_the_server_has_against_it() {
    let without_module = Options::without_module().start();
    for program in runnable() {
        let complaint = complaint(start(program, &without_module));
        let expected = "Redis says: ";
        assert!(complaint.starts_with(expected), "{program:?}: {complaint}");
        assert!(complaint.contains("unknown command"), "{complaint}");
        assert_eq!(without_module.client().run("DBSIZE").integer(), 0);
    }
    let mut gone = without_module;
    gone.kill();
    for program in runnable() {
        let complaint = complaint(start(program, &gone));
        let expected = "Redis cannot be reached: ";
        assert!(complaint.starts_with(expected), "{program:?}: {complaint}");
    }
}

#[test]
fn the_readme_shows_what_the_programs_print() {
    let readme = example("README.md");
    assert!(readme.contains(&format!("\n```\n{}```\n", story())));
}

fn start(program: Program, server: &Server) -> Child {
    let mut command = program.command(server);
    command.stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    spawn(&mut command)
}

fn finished(program: Child) -> Output {
    program.wait_with_output().unwrap()
}

/// The last thing that a program says that fails.
fn complaint(program: Child) -> String {
    let output = finished(program);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let errors = String::from_utf8(output.stderr).unwrap();
    errors.lines().last().unwrap_or_default().to_owned()
}

fn runnable() -> Vec<Program> {
    let programs = Program::ALL.into_iter();
    programs.filter(|program| program.can_run()).collect()
}

/// How many locks a server has given.
fn taken(client: &mut Client) -> usize {
    let taken = client.info("keyns", "keyns_coordination_locks_taken");
    taken.parse().unwrap()
}

fn assert_nothing_is_left(server: &Server) {
    let mut client = server.client();
    for list in ["KEYS *", "KEYNS.NS.LIST"] {
        let reply = client.run(list);
        let left: Vec<String> = reply.array().iter().map(Value::text).collect();
        assert!(left.is_empty(), "{list}: {left:?}");
    }
}

fn story() -> String {
    example("expected.txt")
}

fn example(name: &str) -> String {
    let path = format!("{}/examples/{name}", env!("CARGO_MANIFEST_DIR"));
    fs::read_to_string(path).unwrap()
}
