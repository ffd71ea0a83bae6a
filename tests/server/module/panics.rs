//! A panic becomes an error reply, a log line and a count; the server keeps running.

use keyns_testkit::Options;

#[test]
fn a_panic_does_not_end_the_server() {
    let server = Options::with_panic_command().start();
    let mut client = server.client();
    for count in 1..=3 {
        let reply = client.run("KEYNS.PANIC").text();
        assert_eq!(reply, "ERR internal error, see the server's log");
        let info = client.run("INFO keyns").text();
        assert!(
            info.contains(&format!("keyns_panics:{count}\r\n")),
            "{info}"
        );
    }
    assert_eq!(client.run("KEYNS.MAKE doc intro").text(), "doc:intro:001");
    let log = server.log();
    assert!(log.contains("KEYNS.PANIC was called"), "{log}");
    assert!(log.contains("src/families/panic.rs"), "{log}");
}

#[test]
fn a_panic_in_a_script_or_a_transaction_is_one_error_there() {
    let server = Options::with_panic_command().start();
    let mut client = server.client();
    let script = "local r = redis.pcall('KEYNS.PANIC') return r['err'] or r";
    let reply = client.call(&["EVAL", script, "0"]);
    assert!(reply.text().contains("internal error"), "{reply:?}");
    client.run("MULTI");
    client.run("KEYNS.PANIC");
    client.run("KEYNS.MAKE doc intro");
    let replies = client.run("EXEC");
    assert!(replies.array()[0].is_error());
    assert_eq!(replies.array()[1].text(), "doc:intro:001");
}

#[test]
fn a_panic_in_a_callback_does_not_end_the_server_either() {
    let server = Options::with_panic_command().start();
    let mut client = server.client();
    for (count, (callback, line)) in [
        ("INFO", "INFO keyns"),
        ("CONFIG GET", "CONFIG GET keyns.lang"),
        ("CONFIG GET", "CONFIG GET keyns.kinds"),
        ("CONFIG GET", "CONFIG GET keyns.max-skips"),
        ("CONFIG SET", "CONFIG SET keyns.lang en"),
        ("CONFIG SET", "CONFIG SET keyns.kinds page"),
        ("CONFIG SET", "CONFIG SET keyns.max-skips 5"),
    ]
    .iter()
    .enumerate()
    {
        assert_eq!(client.call(&["KEYNS.PANIC", callback]).text(), "OK");
        client.run(line);
        let info = client.run("INFO keyns").text();
        let panics = format!("keyns_panics:{}\r\n", count + 1);
        assert!(info.contains(&panics), "{line}: {info}");
        let log = server.log();
        assert!(
            log.contains(&format!("internal error in {callback}")),
            "{log}"
        );
    }
}

#[test]
fn the_released_module_has_no_command_to_panic() {
    let server = Options::new().start();
    let reply = server.client().run("KEYNS.PANIC").text();
    assert!(reply.starts_with("ERR unknown command"), "{reply}");
}
