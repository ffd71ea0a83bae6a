//! Memory is given back: after very many calls of each command, and the removal of what they
//! wrote, the server has as much as before.

use keyns::FAMILIES;
use keyns_testkit::{Client, Options, Outcome, Row, read_in_background, rows_of};

/// Of each command, one in ten of them with a mistake in it.
const CALLS: usize = 100_000;

/// How many are sent at once, each in a scope of its own.
const BATCH: usize = 500;

/// What the server's own tables and buffers may come out different by. If each call lost the least
/// that an allocator gives, it would be eight times as much.
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
        // What stays once it is there has its size after this.
        play(&mut client, &rows, CALLS / 20);
        let before = used_memory(&mut client);
        play(&mut client, &rows, CALLS);
        let lost = used_memory(&mut client) - before;
        println!("{lost:>8} bytes after {CALLS} calls of {name}");
        assert!(lost < NOISE, "{name} has lost {lost} bytes");
    }
}

/// Makes so many calls of a command, of all of its rows alike.
fn play(client: &mut Client, rows: &[&Row], calls: usize) {
    let batches = calls.div_ceil(BATCH);
    for (index, row) in rows.iter().enumerate() {
        let mut before = requests(row.before.iter().copied());
        let mut calls = requests([row.line]);
        mistake(&mut calls, row);
        read_in_background(client, false);
        // What only reads finds the same each time. A write needs everything as it was.
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

/// Requests that are sent at once, and how many replies they have.
struct Requests {
    bytes: Vec<u8>,
    replies: usize,
}

/// Lines in every scope, so that no call meets the keys of another one.
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

/// Puts calls with a mistake beside the right ones: a word too many, or the last one missing.
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

fn clear(client: &mut Client) {
    client.run("FLUSHALL");
    client.forget_namespaces();
}

/// The memory that is in use when nothing is left that could be given back.
fn used_memory(client: &mut Client) -> i64 {
    clear(client);
    client.run("CONFIG RESETSTAT");
    client.run("MEMORY PURGE");
    let used = client.info("memory", "used_memory");
    used.parse().expect("a number")
}
