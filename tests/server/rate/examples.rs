//! The programs in docs/guides/rate-limits.md, run as they stand there.

use std::process::Command;

use keyns_testkit::{Language, Page, Server, WebAnswer, WebProgram, signal, wait_until};

#[test]
fn the_python_program_limits_its_clients() {
    limits_its_clients(Language::Python);
}

#[test]
fn the_node_program_limits_its_clients() {
    limits_its_clients(Language::Node);
}

fn limits_its_clients(language: Language) {
    let mut server = Server::start();
    let program = WebProgram::start(&server, limited(&server, language));
    for taken in 1..=5 {
        let answer = get(&program);
        assert_eq!(answer.status, 200);
        assert_eq!(answer.body, "Hello.\n");
        assert_eq!(answer.number("ratelimit-limit"), Some(5));
        assert_eq!(answer.number("ratelimit-remaining"), Some(5 - taken));
        let reset = answer.number("ratelimit-reset").unwrap();
        assert!((12 * taken - 11..=12 * taken).contains(&reset), "{reset}");
        assert_eq!(answer.number("retry-after"), None);
    }
    let refused = get(&program);
    assert_eq!(refused.status, 429);
    assert_eq!(refused.body, "Too many requests.\n");
    assert_eq!(refused.number("ratelimit-remaining"), Some(0));
    let retry = refused.number("retry-after").unwrap();
    assert!((1..=12).contains(&retry), "{retry}");

    let reset = server.client().run("DEL rate:web:127.0.0.1");
    assert_eq!(reset.integer(), 1);
    assert_eq!(get(&program).number("ratelimit-remaining"), Some(4));

    server.kill();
    get(&program).assert_unlimited();
}

#[test]
fn the_python_program_passes_requests_without_redis() {
    passes_requests_without_redis(Language::Python);
}

#[test]
fn the_node_program_passes_requests_without_redis() {
    passes_requests_without_redis(Language::Node);
}

fn passes_requests_without_redis(language: Language) {
    let mut server = Server::start();
    server.kill();
    let program = WebProgram::start(&server, limited(&server, language));
    get(&program).assert_unlimited();

    server.start_again();
    wait_until("requests are limited", || get(&program).is_limited());

    let process = server.client().info("server", "process_id");
    signal(&process, "STOP");
    get(&program).assert_unlimited();
}

#[test]
fn the_python_program_fails_where_its_call_is_an_error() {
    fails_where_its_call_is_an_error(Language::Python);
}

#[test]
fn the_node_program_fails_where_its_call_is_an_error() {
    fails_where_its_call_is_an_error(Language::Node);
}

fn fails_where_its_call_is_an_error(language: Language) {
    let server = Server::start();
    let program = WebProgram::start(&server, limited(&server, language));
    let mut client = server.client();
    client.run("SET rate:web:127.0.0.1 foreign");
    assert_eq!(get(&program).status, 500);
    client.run("DEL rate:web:127.0.0.1");
    assert_eq!(get(&program).number("ratelimit-remaining"), Some(4));
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
fn a_request_counts_on_all_keys_or_on_none() {
    let server = Server::start();
    let end = "print(key, allowed, most, left)";
    assert_eq!(run_python(&server, 2, end), "0 1 100 99\n");
    let mut client = server.client();
    let counted = client.run("KEYNS.RATE.PEEK rate:day:acme FIXED 100000 1d COST 0");
    assert_eq!(counted.array()[2].integer(), 99_999);

    client.run("FLUSHALL");
    client.run("KEYNS.RATE.BLOCK rate:day:acme 1h");
    assert_eq!(run_python(&server, 2, end), "1 0 100000 0\n");
    assert_eq!(client.run("DBSIZE").integer(), 1);
}

fn get(program: &WebProgram) -> WebAnswer {
    program.get("/", &[])
}

/// The program that is there in both languages.
fn limited(server: &Server, language: Language) -> Command {
    let text = page().block(language.fence(), 0);
    language.program(server, "limited", &text)
}

/// What one of the later programs prints, with these lines at its end.
fn run_python(server: &Server, place: usize, end: &str) -> String {
    let _ = limited(server, Language::Python);
    let text = page().block("python", place) + "\n" + end;
    let output = Language::Python.program(server, "program", &text).output();
    let output = output.unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout).unwrap()
}

fn page() -> Page {
    Page::open("guides/rate-limits")
}
