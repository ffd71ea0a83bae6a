//! The module gives memory back: after very many calls of each command, and after FLUSHALL, the server
//! uses as much as before.

use keyns::FAMILIES;
use keyns_testkit::{Client, Options, Outcome, Row, read_in_background, rows_of};

/// How often each command is called. One call in ten has a mistake in it.
const CALLS: usize = 100_000;

/// How many calls are sent at once, each in a scope of its own.
const BATCH: usize = 500;

/// By how many bytes the server's own tables and buffers may differ. If each call lost the smallest
/// piece that an allocator hands out, the loss would be eight times as much.
const NOISE: i64 = 100_000;

#[test]
fn a_hundred_thousand_calls_of_each_command_lose_nothing() {
    let server = Options::new()
        .set("--slowlog-log-slower-than", &["-1"])
        .start();
    let mut client = server.client();
    let names = FAMILIES
        .iter()
        .flat_map(|family| family.commands)
        .map(|command| command.spec.name.to_str().unwrap());
    for name in names.filter(|name| *name != "KEYNS.PANIC") {
        let rows: Vec<&Row> = rows_of(name).collect();
        // After this, everything that the server allocates once and keeps is there.
        play(&mut client, &rows, CALLS / 20);
        let before = used_memory(&mut client);
        play(&mut client, &rows, CALLS);
        let lost = used_memory(&mut client) - before;
        println!("{lost:>8} bytes after {CALLS} calls of {name}");
        assert!(lost < NOISE, "{name} has lost {lost} bytes");
    }
}

/// Makes this many calls of a command, spread over its rows.
fn play(client: &mut Client, rows: &[&Row], calls: usize) {
    let batches = calls.div_ceil(BATCH);
    for (index, row) in rows.iter().enumerate() {
        let mut before = requests(row.before.iter().copied());
        let mut calls = requests([row.line]);
        mistake(&mut calls, row);
        read_in_background(client, false);
        // A call that only reads finds the same each time. A write needs the keys as they were.
        let once = row.outcome != Outcome::Writes;
        if once {
            before.play(client);
        }
        for _ in (index..batches).step_by(rows.len()) {
            if !once {
                before.play(client);
            }
            calls.play(client);
            if !once {
                clear(client);
            }
        }
        clear(client);
    }
}

/// Requests that are sent at once, and the number of their replies.
struct Requests {
    bytes: Vec<u8>,
    replies: usize,
}

/// The lines in every scope, so no call meets the keys of another.
fn requests(lines: impl IntoIterator<Item = &'static str> + Clone) -> Requests {
    let mut requests = Requests {
        bytes: Vec::new(),
        replies: 0,
    };
    for scope in 0..BATCH {
        for line in lines.clone() {
            let line = line.replace("{acme}", &format!("{{a{scope}}}"));
            requests.add(&Row::words(&line));
        }
    }
    requests
}

/// Adds calls with a mistake: one word too many, or the last word missing.
fn mistake(requests: &mut Requests, row: &Row) {
    for count in 0..BATCH / 10 {
        let mut call = row.call();
        match count % 2 {
            0 => call.push("FOO".into()),
            _ => drop(call.pop()),
        }
        requests.add(&call);
    }
}

impl Requests {
    fn add(&mut self, call: &[String]) {
        self.bytes.extend(Client::request(call));
        self.replies += 1;
    }

    fn play(&mut self, client: &mut Client) {
        client.send_raw(&self.bytes).expect("the server listens");
        for _ in 0..self.replies {
            client.receive().expect("the server answers");
        }
    }
}

/// Valkey frees keys in the background unless it is told to do so at once.
fn clear(client: &mut Client) {
    client.run("FLUSHALL SYNC");
    client.forget_namespaces();
}

/// The memory in use when the server has nothing left to give back.
fn used_memory(client: &mut Client) -> i64 {
    clear(client);
    client.run("CONFIG RESETSTAT");
    client.run("MEMORY PURGE");
    let used = client.info("memory", "used_memory");
    used.parse().expect("a number")
}
