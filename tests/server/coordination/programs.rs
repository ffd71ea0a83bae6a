//! The programs and scripts in the guides to locks and events, run as they stand there.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::thread;

use keyns_testkit::{
    Client, Language, Lines, Page, Server, Value, printed, signal, spawn, wait_until,
};

#[test]
fn the_python_program_projects_the_log_of_the_events() {
    projects_the_log_of_the_page(Language::Python);
}

#[test]
fn the_node_program_projects_the_log_of_the_events() {
    projects_the_log_of_the_page(Language::Node);
}

fn projects_the_log_of_the_page(language: Language) {
    let server = Server::start();
    let mut program = projector(&server, language);
    let log = events().block("jsonl", 0);
    let shown = feed(&mut program, &log);
    assert!(shown.starts_with("read up to 5 {"), "{shown}");

    let mut client = server.client();
    for (command, lines) in [
        (
            "HGETALL notification.slack:v1:{acme}:workspace:w7",
            "revision 2 name Sales_and_Service category public",
        ),
        (
            "HGET notification.slack:checkpoint:prod:workspace-projection position",
            "5",
        ),
    ] {
        let reply = client.run(command);
        let shown = match &reply {
            Value::Array(values) => values.iter().map(Value::text).collect(),
            value => vec![value.text()],
        };
        let expected: Vec<_> = lines
            .split(' ')
            .map(|word| word.replace('_', " "))
            .collect();
        assert_eq!(shown, expected);
        for line in expected {
            assert!(events().contains(&format!("\"{line}\"\n")), "{line}");
        }
    }

    // From the checkpoint on there is nothing more, and then one line.
    assert_eq!(feed(&mut program, &log), "read up to 5 {}\n");
    let news = r#"{"tenant": "acme", "workspace": "w8", "revision": 1, "name": "News", "category": "Public"}"#;
    let shown = feed(&mut program, &format!("{log}{news}\n"));
    assert!(shown.starts_with("read up to 6 {"), "{shown}");
    let name = client.run("HGET notification.slack:v1:{acme}:workspace:w8 name");
    assert_eq!(name.text(), "News");
}

#[test]
fn readers_in_python_project_each_event_once() {
    readers_project_each_event_once(Language::Python);
}

#[test]
fn readers_in_node_project_each_event_once() {
    readers_project_each_event_once(Language::Node);
}

/// Three readers at once, each with several workers, on events that come three times and in any
/// order, some of which fail the first time.
fn readers_project_each_event_once(language: Language) {
    let server = Server::start();
    let mut client = server.client();
    client.run("KEYNS.NS.PRESET projections");
    let log = Log::shuffled();
    let failing = [newest_of("acme", 3), newest_of("globex", 8)];
    for event in &failing {
        client.call(&["SADD", "test:fails", event]);
    }
    let mut reader = reader(&server, language, &log);
    let readers: Vec<Child> = (0..3).map(|_| spawn(&mut reader)).collect();
    let mut failures = 0;
    for reader in readers {
        let output = reader.wait_with_output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{errors}");
        for error in errors.lines() {
            assert_eq!(error, "tried again: no service");
            failures += 1;
        }
        log.assert_read(&String::from_utf8_lossy(&output.stdout));
    }
    assert_eq!(failures, failing.len());
    log.assert_projected(&mut client);

    // What is newest is never old, and so was worked on; of the rest some was, as it came.
    let tries = |event: &String| 1 + i64::from(failing.contains(event));
    let calls = calls(&mut client);
    for event in log.events() {
        let count = calls.get(&event).copied().unwrap_or(0);
        assert!(count <= tries(&event), "{event}: {count}");
    }
    for event in log.newest() {
        assert_eq!(calls[&event], tries(&event), "{event}");
    }
    // One claim for each time the work was begun, and one decision for each time it was finished.
    let begun: i64 = calls.values().sum();
    assert_eq!(counted(&mut client, "dedup_misses"), begun);
    let finished = counted(&mut client, "revision_hits") + counted(&mut client, "revision_misses");
    assert_eq!(finished, begun - failing.len() as i64);
}

#[test]
fn a_replay_in_python_changes_nothing_with_the_hints_and_without() {
    a_replay_changes_nothing(Language::Python);
}

#[test]
fn a_replay_in_node_changes_nothing_with_the_hints_and_without() {
    a_replay_changes_nothing(Language::Node);
}

fn a_replay_changes_nothing(language: Language) {
    let server = Server::start();
    let mut client = server.client();
    client.run("KEYNS.NS.PRESET projections");
    let log = Log::shuffled();
    let mut reader = reader(&server, language, &log);
    let mut read = |client: &mut Client| {
        let back = format!("KEYNS.CHECKPOINT {CHECKPOINT} 0 FORCE");
        assert_eq!(client.run(&back).array()[0].integer(), 1);
        let shown = printed(spawn(&mut reader).wait_with_output().unwrap());
        log.assert_read(&shown);
        log.assert_projected(client);
        shown
    };
    assert!(read(&mut client).contains("projected"));
    let first = calls(&mut client);

    assert!(!read(&mut client).contains("projected"));
    assert_eq!(calls(&mut client), first);

    // Without the hints, some that were passed over as old are worked on for the first time.
    for hint in names(&mut client, "notification.slack:pp:ver:*") {
        client.call(&["DEL", &hint]);
    }
    assert!(!read(&mut client).contains("projected"));
    let calls = calls(&mut client);
    assert!(calls.len() > first.len());
    assert!(calls.values().all(|&count| count == 1));
}

#[test]
fn what_a_reader_in_python_had_claimed_when_it_died_is_projected_by_others() {
    what_a_dead_reader_had_claimed_is_projected_by_others(Language::Python);
}

#[test]
fn what_a_reader_in_node_had_claimed_when_it_died_is_projected_by_others() {
    what_a_dead_reader_had_claimed_is_projected_by_others(Language::Node);
}

fn what_a_dead_reader_had_claimed_is_projected_by_others(language: Language) {
    let server = Server::start();
    let mut client = server.client();
    client.run("KEYNS.NS.PRESET projections");
    let log = Log::shuffled();
    let deadly = newest_of("acme", 7);
    client.call(&["SADD", "test:dies", &deadly]);
    let mut reader = reader(&server, language, &log);
    reader.env("CLAIM_SECONDS", "5");

    let first = spawn(&mut reader).wait_with_output().unwrap();
    assert!(!first.status.success());
    assert_eq!(calls(&mut client)[&deadly], 1);
    let claim = "GET notification.slack:pd:dup:{acme}:workspace-w7:9";
    assert_eq!(client.run(claim).text(), "1");

    let readers: Vec<Child> = (0..2).map(|_| spawn(&mut reader)).collect();
    for reader in readers {
        log.assert_read(&printed(reader.wait_with_output().unwrap()));
    }
    log.assert_projected(&mut client);
    assert!(calls(&mut client)[&deadly] >= 2);
    assert_eq!(client.run(claim).text(), "done");
}

#[test]
fn the_script_writes_no_older_revision_over_a_newer_one() {
    let server = Server::start();
    let mut client = server.client();
    let script = events().block("lua", STORE);
    let store = |client: &mut Client, revision: &str| {
        let keys = ["ver", "dup", "model"];
        let call = ["EVAL", &script, "3", keys[0], keys[1], keys[2], revision];
        client.call(&[&call[..], &["name", revision]].concat())
    };
    let name = |client: &mut Client| client.run("HGET model name").text();
    assert_eq!(store(&mut client, "7").integer(), 1);
    for old in ["7", "6"] {
        assert_eq!(store(&mut client, old).integer(), 0);
    }
    client.run("DEL ver");
    assert_eq!(store(&mut client, "6").integer(), 0);
    assert_eq!(name(&mut client), "7");
    assert_eq!(client.run("GET ver").text(), "7");
    assert_eq!(store(&mut client, "8").integer(), 1);
    assert_eq!(name(&mut client), "8");

    // Where it cannot write, it has written nothing.
    client.run("FLUSHALL");
    client.run("SET model taken");
    assert!(store(&mut client, "9").is_error());
    assert_eq!(client.run("DBSIZE").integer(), 1);
}

#[test]
fn the_other_script_counts_each_event_once() {
    const EVENTS: usize = 300;
    let server = Server::start();
    let script = events().block("lua", TALLY);
    let tally = |client: &mut Client, event: usize, total: &str| {
        let dup = format!("dup:{{acme}}:{event}");
        let amount = event.to_string();
        client.call(&["EVAL", &script, "2", &dup, total, "w7", &amount])
    };
    let counted: i64 = thread::scope(|scope| {
        let workers: Vec<_> = (0..8)
            .map(|worker| {
                let (server, tally) = (&server, &tally);
                scope.spawn(move || {
                    let mut client = server.client();
                    let order = shuffled((0..EVENTS).collect(), worker);
                    let replies = order.iter().map(|&event| tally(&mut client, event, "sum"));
                    replies.map(|reply| reply.integer()).sum::<i64>()
                })
            })
            .collect();
        workers
            .into_iter()
            .map(|worker| worker.join().unwrap())
            .sum()
    });
    assert_eq!(counted, EVENTS as i64);
    let mut client = server.client();
    let sum: usize = (0..EVENTS).sum();
    assert_eq!(client.run("HGET sum w7").text(), sum.to_string());

    // What could not be counted is not seen either.
    client.run("SET taken 1");
    assert!(tally(&mut client, EVENTS, "taken").is_error());
    assert_eq!(tally(&mut client, EVENTS, "sum").integer(), 1);
}

#[test]
fn a_paused_holder_in_python_is_refused_by_the_table() {
    a_paused_holder_is_refused(Language::Python);
}

#[test]
fn a_paused_holder_in_node_is_refused_by_the_script() {
    a_paused_holder_is_refused(Language::Node);
}

fn a_paused_holder_is_refused(language: Language) {
    let server = Server::start();
    let mut client = server.client();
    let mut program = report(&server, language);
    let mut paused = Holder::start(&mut program);
    signal(&paused.process.id().to_string(), "STOP");
    wait_until("its lease has ended", || {
        client.run("EXISTS lock:report:daily").integer() == 0
    });

    let next = Holder::start(&mut program);
    assert!(next.token > paused.token);
    assert_eq!(next.finish("new"), (true, "written".into()));

    signal(&paused.process.id().to_string(), "CONT");
    paused.write("old");
    let refused = "refused: a holder with a higher token has written";
    assert_eq!(paused.finish(""), (false, refused.into()));
    assert!(locks().contains(&format!("\n{refused}\n")));
    assert_eq!(written(&server, language), "new");
    assert_eq!(counted(&mut client, "locks_released"), 1);
    assert!(counted(&mut client, "locks_not_held") > 0);
}

#[test]
fn a_holder_in_python_keeps_its_lock_for_longer_than_a_lease() {
    a_holder_keeps_its_lock(Language::Python);
}

#[test]
fn a_holder_in_node_keeps_its_lock_for_longer_than_a_lease() {
    a_holder_keeps_its_lock(Language::Node);
}

fn a_holder_keeps_its_lock(language: Language) {
    let server = Server::start();
    let mut client = server.client();
    let mut program = report(&server, language);
    let holder = Holder::start(&mut program);
    // Three of them are one lease.
    wait_until("the lock has been extended", || {
        counted(&mut client, "locks_extended") >= 4
    });
    let other = spawn(&mut program).wait_with_output().unwrap();
    assert!(!other.status.success());
    assert_eq!(printed(other), "another process is writing the report\n");

    assert_eq!(holder.finish("mine"), (true, "written".into()));
    assert_eq!(written(&server, language), "mine");
    assert_eq!(client.run("EXISTS lock:report:daily").integer(), 0);
    assert_eq!(counted(&mut client, "locks_not_held"), 0);
}

/// The places of the scripts on their pages.
const FENCED: usize = 0;
const STORE: usize = 0;
const TALLY: usize = 1;

/// The places of the programs among those in their language.
const REPORT: usize = 0;
const PROJECTOR: usize = 0;

fn locks() -> Page {
    Page::open("guides/locks")
}

fn events() -> Page {
    Page::open("guides/events")
}

fn projector(server: &Server, language: Language) -> Command {
    let page = events();
    fs::write(server.dir.join("store.lua"), page.block("lua", STORE)).unwrap();
    let text = page.block(language.fence(), PROJECTOR);
    language.program(server, "projector", &text)
}

/// A reader of this log, whose work is counted, and fails or kills it where the server says so.
fn reader(server: &Server, language: Language, log: &Log) -> Command {
    let _ = projector(server, language);
    fs::write(server.dir.join("log.jsonl"), log.lines.join("\n") + "\n").unwrap();
    let text = match language {
        Language::Python => {
            r#"
import os
import signal

import projector


def work(event):
    name = "{tenant}/{workspace}/{revision}".format(**event)
    first = projector.r.hincrby("test:calls", name, 1) == 1
    if first and projector.r.sismember("test:fails", name):
        raise RuntimeError("no service")
    if first and projector.r.sismember("test:dies", name):
        os.kill(os.getpid(), signal.SIGKILL)
    return projector.view(event)


with open("log.jsonl") as log:
    projector.run(log, work)
"#
        }
        Language::Node => {
            r#"
import { createReadStream } from "node:fs";
import { createClient } from "redis";
import { run, view } from "./projector.mjs";

const client = createClient({ url: process.env.REDIS_URL });
await client.connect();

async function work(event) {
  const name = `${event.tenant}/${event.workspace}/${event.revision}`;
  const first = (await client.hIncrBy("test:calls", name, 1)) === 1;
  if (first && (await client.sIsMember("test:fails", name))) throw new Error("no service");
  if (first && (await client.sIsMember("test:dies", name))) {
    process.kill(process.pid, "SIGKILL");
    await new Promise(() => {});
  }
  return view(event);
}

await run(createReadStream("log.jsonl"), work);
await client.quit();
"#
        }
    };
    let mut reader = language.program(server, "reader", text);
    reader.stdin(Stdio::null()).stdout(Stdio::piped());
    reader.stderr(Stdio::piped());
    reader
}

const CHECKPOINT: &str = "notification.slack:checkpoint:prod:workspace-projection";
const TENANTS: [&str; 2] = ["acme", "globex"];
const WORKSPACES: usize = 20;
const NEWEST: usize = 9;
const COPIES: usize = 3;

/// Events of some workspaces, each of them several times, out of order.
struct Log {
    lines: Vec<String>,
}

impl Log {
    fn shuffled() -> Log {
        let mut lines = Vec::new();
        for (tenant, workspace, revision) in each_event() {
            let line = format!(
                r#"{{"tenant": "{tenant}", "workspace": "w{workspace}", "revision": {revision}, "name": "Name {revision}", "category": "C{workspace}"}}"#
            );
            lines.extend(vec![line; COPIES]);
        }
        Log {
            lines: shuffled(lines, 0),
        }
    }

    /// The names of all events, once.
    fn events(&self) -> Vec<String> {
        let names = each_event()
            .map(|(tenant, workspace, revision)| format!("{tenant}/w{workspace}/{revision}"));
        names.collect()
    }

    fn newest(&self) -> Vec<String> {
        let tenants = TENANTS.into_iter();
        tenants
            .flat_map(|tenant| (0..WORKSPACES).map(move |workspace| newest_of(tenant, workspace)))
            .collect()
    }

    #[track_caller]
    fn assert_read(&self, shown: &str) {
        let read = format!("read up to {} {{", self.lines.len());
        assert!(shown.starts_with(&read), "{shown}");
    }

    /// Whether every workspace shows its newest revision, all of the log is read, and each key is as
    /// its namespace says.
    #[track_caller]
    fn assert_projected(&self, client: &mut Client) {
        for tenant in TENANTS {
            for workspace in 0..WORKSPACES {
                let model = format!("notification.slack:v1:{{{tenant}}}:workspace:w{workspace}");
                let fields = client.call(&["HGETALL", &model]).fields();
                let shown = ["revision", "name", "category"].map(|field| fields[field].text());
                let revision = NEWEST.to_string();
                let name = format!("Name {NEWEST}");
                assert_eq!(shown, [revision, name, format!("c{workspace}")], "{model}");
            }
        }
        let position = client.call(&["HGET", CHECKPOINT, "position"]);
        assert_eq!(position.text(), self.lines.len().to_string());
        for dup in names(client, "notification.slack:pd:dup:*") {
            assert_eq!(client.call(&["GET", &dup]).text(), "done", "{dup}");
        }
        for key in names(client, "notification.slack:*") {
            let report = client.call(&["KEYNS.CHECK", &key]).array()[0].fields();
            assert_eq!(report["valid"].integer(), 1, "{report:?}");
        }
    }
}

fn each_event() -> impl Iterator<Item = (&'static str, usize, usize)> {
    let workspaces = TENANTS
        .into_iter()
        .flat_map(|tenant| (0..WORKSPACES).map(move |workspace| (tenant, workspace)));
    workspaces.flat_map(|(tenant, workspace)| {
        (0..=NEWEST).map(move |revision| (tenant, workspace, revision))
    })
}

fn newest_of(tenant: &str, workspace: usize) -> String {
    format!("{tenant}/w{workspace}/{NEWEST}")
}

/// In an order that has nothing to do with the values, and is the same for the same seed.
fn shuffled<T: Hash>(values: Vec<T>, seed: u64) -> Vec<T> {
    let mut places: Vec<_> = values.into_iter().enumerate().collect();
    places.sort_by_key(|place| {
        let mut hasher = DefaultHasher::new();
        (seed, place).hash(&mut hasher);
        hasher.finish()
    });
    places.into_iter().map(|(_, value)| value).collect()
}

/// How often there was work on each event.
fn calls(client: &mut Client) -> BTreeMap<String, i64> {
    let calls = client.run("HGETALL test:calls").fields().into_iter();
    calls
        .map(|(event, count)| (event, count.text().parse().unwrap()))
        .collect()
}

fn names(client: &mut Client, pattern: &str) -> Vec<String> {
    let keys = client.call(&["KEYS", pattern]);
    let names: Vec<_> = keys.array().iter().map(Value::text).collect();
    assert!(!names.is_empty(), "{pattern}");
    names
}

fn counted(client: &mut Client, field: &str) -> i64 {
    let field = format!("keyns_coordination_{field}");
    client.info("keyns", &field).parse().unwrap()
}

/// What a program prints that reads this.
fn feed(program: &mut Command, input: &str) -> String {
    program.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut process = spawn(program.stderr(Stdio::piped()));
    let mut pipe = process.stdin.take().unwrap();
    pipe.write_all(input.as_bytes()).unwrap();
    drop(pipe);
    printed(process.wait_with_output().unwrap())
}

/// The program that writes a report under a lock, with a short lease.
fn report(server: &Server, language: Language) -> Command {
    let page = locks();
    fs::write(server.dir.join("fenced.lua"), page.block("lua", FENCED)).unwrap();
    let text = page.block(language.fence(), REPORT);
    let mut program = language.program(server, "report", &text);
    program.env("LEASE_MS", "3000").stdin(Stdio::piped());
    program.stdout(Stdio::piped()).stderr(Stdio::piped());
    program
}

/// The report as it is now.
fn written(server: &Server, language: Language) -> String {
    match language {
        Language::Python => {
            let text = r#"
import sqlite3

print(*sqlite3.connect("reports.db").execute("SELECT text FROM report").fetchone(), end="")
"#;
            let output = language.program(server, "show", text).output();
            printed(output.unwrap())
        }
        Language::Node => server.client().run("GET {report:daily}:text").text(),
    }
}

/// A process of that program that has the lock, and waits for the text.
struct Holder {
    process: Child,
    lines: Lines,
    token: u64,
}

impl Holder {
    #[track_caller]
    fn start(program: &mut Command) -> Holder {
        let mut process = spawn(program);
        let lines = Lines::of(&mut process);
        let line = lines.next().expect("a token");
        let token = line.strip_prefix("token ").expect("a token");
        Holder {
            token: token.parse().unwrap(),
            process,
            lines,
        }
    }

    fn write(&mut self, text: &str) {
        let pipe = self.process.stdin.as_mut().unwrap();
        pipe.write_all(text.as_bytes()).unwrap();
    }

    /// Gives it the rest of the text: whether it was content, and what it said.
    fn finish(mut self, text: &str) -> (bool, String) {
        self.write(text);
        drop(self.process.stdin.take());
        let answer = self.lines.next().expect("an answer");
        (self.process.wait().unwrap().success(), answer)
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
