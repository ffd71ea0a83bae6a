//! The web applications in `examples/asgi` and `examples/express`: limits for users and addresses,
//! and a penalty for those who guess passwords.

use std::fs;
use std::process::Command;

use keyns_testkit::{Language, Server, WebProgram, signal, wait_until};

use crate::example;

const ADA: &[&str] = &["Authorization: Bearer token-of-ada"];
const BOB: &[&str] = &["Authorization: Bearer token-of-bob"];

/// An application and its limits, which it has in a file of their own.
fn application(server: &Server, language: Language) -> Command {
    let folder = match language {
        Language::Python => "asgi",
        Language::Node => "express",
    };
    let text = |name: &str| example(&format!("{folder}/{}", language.file(name)));
    let limits = server.dir.join(language.file("limits"));
    fs::write(limits, text("limits")).unwrap();
    language.program(server, "app", &text("app"))
}

fn start(server: &Server, language: Language) -> WebProgram {
    WebProgram::start(server, application(server, language))
}

#[test]
fn the_asgi_application_limits_users_and_addresses() {
    limits_users_and_addresses(Language::Python);
}

#[test]
fn the_express_application_limits_users_and_addresses() {
    limits_users_and_addresses(Language::Node);
}

fn limits_users_and_addresses(language: Language) {
    let server = Server::start();
    let mut client = server.client();
    let program = start(&server, language);
    for left in (0..5).rev() {
        let answer = program.get("/", ADA);
        assert_eq!((answer.status, &answer.body[..]), (200, "Hello.\n"));
        assert_eq!(answer.number("ratelimit-limit"), Some(5));
        assert_eq!(answer.number("ratelimit-remaining"), Some(left));
        assert!(answer.number("ratelimit-reset") > Some(0));
        assert_eq!(answer.number("retry-after"), None);
    }
    let refused = program.get("/", ADA);
    let told = (refused.status, &refused.body[..]);
    assert_eq!(told, (429, "Too many requests.\n"));
    assert_eq!(refused.number("ratelimit-limit"), Some(5));
    assert!(refused.number("retry-after") > Some(0));
    // What the user's limit refuses does not count for the address, whose next user is bob.
    for left in (2..7).rev() {
        let answer = program.get("/", BOB);
        assert_eq!(answer.status, 200);
        let limit = answer.number("ratelimit-limit").unwrap();
        let expected = if limit == 5 { left - 2 } else { left };
        assert_eq!(answer.number("ratelimit-remaining"), Some(expected));
    }
    // Whoever is not logged in has the address alone, as has one with a token that nobody knows.
    assert_eq!(program.get("/", &[]).number("ratelimit-limit"), Some(12));
    let unknown = program.get("/", &["Authorization: Bearer ada"]);
    assert_eq!(unknown.number("ratelimit-remaining"), Some(0));
    for headers in [&[], ADA, BOB] {
        assert_eq!(program.get("/", headers).status, 429);
    }
    let mut keys = client.run("KEYS *").array().to_vec();
    keys.sort_by_key(|key| key.text());
    let keys: Vec<String> = keys.iter().map(|key| key.text()).collect();
    assert_eq!(
        keys,
        ["rate:ip:127.0.0.1", "rate:user:ada", "rate:user:bob"]
    );
}

#[test]
fn the_asgi_application_punishes_guessing() {
    punishes_guessing(Language::Python);
}

#[test]
fn the_express_application_punishes_guessing() {
    punishes_guessing(Language::Node);
}

fn punishes_guessing(language: Language) {
    let server = Server::start();
    let mut client = server.client();
    let program = start(&server, language);
    // The limits of all requests are not what this is about.
    let mut log_in = |body: &str| {
        client.run("DEL rate:ip:127.0.0.1");
        program.post("/login", body)
    };
    // What succeeds is given back.
    for _ in 0..7 {
        let answer = log_in("ada:correct horse");
        let told = (answer.status, &answer.body[..]);
        assert_eq!(told, (200, "Welcome, ada.\n"));
    }
    for guess in ["ada:a", "bob:", "ada", "", "ada:correct horse:"] {
        assert_eq!(log_in(guess).status, 401, "{guess}");
    }
    let mut waits = Vec::new();
    for _ in 0..3 {
        let answer = log_in("ada:correct horse");
        let told = (answer.status, &answer.body[..]);
        assert_eq!(told, (429, "Too many attempts.\n"));
        waits.push(answer.number("retry-after").unwrap());
        // Nothing is fresh again before the block ends.
        assert_eq!(answer.number("ratelimit-limit"), Some(5));
        assert!(answer.number("ratelimit-reset") >= waits.last().copied());
    }
    // An hour from the sixth attempt on, and no attempt makes it longer.
    assert!(waits[0] > 900 && waits[0] <= 3600, "{waits:?}");
    assert!(waits.windows(2).all(|pair| pair[1] <= pair[0]), "{waits:?}");
    let blocked = client.rule("KEYNS.RATE.PEEK rate:login:127.0.0.1 SLIDING 5 15m");
    assert_eq!(blocked.binding, -1);
    // No account is blocked. Those that were guessed at are ada, bob and nobody.
    let accounts = client.run("KEYS rate:account:*").array().len();
    assert_eq!(accounts, 3);
}

#[test]
fn the_asgi_application_without_redis_answers_but_lets_nobody_log_in() {
    answers_without_redis(Language::Python);
}

#[test]
fn the_express_application_without_redis_answers_but_lets_nobody_log_in() {
    answers_without_redis(Language::Node);
}

fn answers_without_redis(language: Language) {
    let mut server = Server::start();
    server.kill();
    let program = start(&server, language);
    let without = |why: &str| {
        program.get("/", ADA).assert_unlimited();
        let answer = program.post("/login", "ada:correct horse");
        assert_eq!(answer.status, 503, "{why}");
        assert!(answer.number("retry-after").is_some(), "{why}");
    };
    without("before it was there");
    server.start_again();
    wait_until("requests are limited", || {
        program.get("/", &[]).is_limited()
    });
    assert_eq!(program.post("/login", "ada:correct horse").status, 200);

    let process = server.client().info("server", "process_id");
    signal(&process, "STOP");
    without("while it hangs");
    signal(&process, "CONT");
    wait_until("requests are limited again", || {
        program.get("/", &[]).is_limited()
    });
    server.kill();
    without("after it was there");
}

/// A full server and a replica refuse with error replies, which are no mistakes of the program.
#[test]
fn a_server_that_cannot_count_is_as_none() {
    for language in [Language::Python, Language::Node] {
        let server = Server::start();
        let program = start(&server, language);
        let mut client = server.client();
        for (outage, end) in [
            ("CONFIG SET maxmemory 1", "CONFIG SET maxmemory 0"),
            ("REPLICAOF 127.0.0.1 1", "REPLICAOF NO ONE"),
        ] {
            assert!(program.get("/", &[]).is_limited(), "{language:?}");
            client.run(outage);
            program.get("/", &[]).assert_unlimited();
            let answer = program.post("/login", "ada:correct horse");
            assert_eq!(answer.status, 503, "{language:?}: {outage}");
            client.run(end);
        }
        let answer = program.post("/login", "ada:correct horse");
        assert_eq!(answer.status, 200, "{language:?}");
    }
}

#[test]
fn a_call_that_is_an_error_is_no_permission() {
    for language in [Language::Python, Language::Node] {
        let server = Server::start();
        let program = start(&server, language);
        let mut client = server.client();
        client.run("SET rate:ip:127.0.0.1 foreign");
        assert_eq!(program.get("/", ADA).status, 500, "{language:?}");
        client.run("DEL rate:ip:127.0.0.1");
        assert_eq!(program.get("/", ADA).status, 200, "{language:?}");
    }
}

/// An address of IPv6 is limited with all that have its first 64 bits.
#[test]
fn addresses_become_keys() {
    let cases = [
        ("203.0.113.7", "203.0.113.7"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("2001:db8:1:2:3:4:5:6", "2001_0db8_0001_0002"),
        ("2001:db8:1:2::", "2001_0db8_0001_0002"),
        ("2001:db8::1", "2001_0db8_0000_0000"),
        ("::1", "0000_0000_0000_0000"),
        ("fe80::1%eth0", "fe80_0000_0000_0000"),
        ("x:y", "unknown"),
        ("", "unknown"),
    ];
    for language in [Language::Python, Language::Node] {
        let server = Server::start();
        let _ = application(&server, language);
        for (address, expected) in cases {
            let text = match language {
                Language::Python => {
                    format!("from limits import network\nprint(network({address:?}))")
                }
                Language::Node => {
                    let import = "import { network } from './limits.mjs';";
                    format!("{import}\nconsole.log(network({address:?}));")
                }
            };
            let output = language.program(&server, "keys", &text).output().unwrap();
            let printed = keyns_testkit::printed(output);
            assert_eq!(printed.trim_end(), expected, "{language:?}: {address}");
        }
    }
}
