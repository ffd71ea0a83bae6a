//! Users with selectors: a selector that allows a key for one command does not allow it for another.

use keyns_testkit::{Client, Server};

/// A client of a user who may call all commands of the module on `doc` and `visits`, and only
/// `EXISTS` on other keys.
fn client_of(server: &Server, own: &str, selector: &str) -> Client {
    let mut admin = server.client();
    let set =
        format!("ACL SETUSER u reset on nopass resetchannels -@all +@all -@admin {own} {selector}");
    assert_eq!(admin.run(&set).text(), "OK", "{set}");
    let mut client = server.client();
    client.run("AUTH u x");
    client
}

const OTHERS: &str = "~visits:* ~doc:* ~ch:* ~chunk:* ~para:* ~level:* ~secret:*";

fn fill(server: &Server) {
    let mut admin = server.client();
    admin.run("SET visits:2026 1000");
    admin.call(&["KEYNS.INGESTMD", "doc", "# One\n\nText\n"]);
    admin.run("HSET secret:a:001 type ch title TOP-SECRET source TOP-SECRET");
}

/// Once, any selector with the key counted, whatever its commands.
#[test]
fn derived_keys_need_a_selector_that_allows_the_command() {
    let server = Server::start();
    fill(&server);
    let mut client = client_of(
        &server,
        "~visits ~doc ~doc:one:001 ~mine:*",
        &format!("(+exists {OTHERS})"),
    );
    client.run("HSET mine:d:001 type document chapters 1");
    client.run("ZADD mine:d:001:sequence 1 secret:a:001");
    let before = server.digest();
    for line in [
        "KEYNS.COUNT.RANGE visits GRAIN YEAR 1794900000 1794900000",
        "KEYNS.COUNT visits BY -999 GRAIN YEAR",
        "KEYNS.NEXTID doc",
        "KEYNS.MAKE doc Hello",
        "KEYNS.MAKE doc Hello NUMBERING SLUG",
        "KEYNS.INGESTMD doc Text",
        "KEYNS.INGESTMD doc Text REPLACE doc:one:001",
        "KEYNS.TREE mine:d:001",
        "KEYNS.EXPORTMD mine:d:001",
        "KEYNS.TREE doc:one:001",
        "KEYNS.NAV doc:one:001 SEQUENCE",
        "KEYNS.EXPORTMD doc:one:001",
        "KEYNS.DROP doc:one:001",
    ] {
        let error = client.run(line);
        assert!(error.is_error(), "{line}: {error:?}");
        assert!(error.text().starts_with("NOPERM"), "{line}: {error:?}");
    }
    assert_eq!(server.digest(), before);
    let log = server.client().run("ACL LOG");
    assert!(!log.array().is_empty());
}

#[test]
fn a_selector_that_allows_both_is_enough() {
    for (own, selector) in [
        (
            "~visits ~doc",
            format!("(+@all -@admin {OTHERS} ~visits ~doc)"),
        ),
        (&*format!("~visits ~doc {OTHERS}"), "(+exists ~a)".into()),
    ] {
        let server = Server::start();
        fill(&server);
        let mut client = client_of(&server, own, &selector);
        for line in [
            "KEYNS.COUNT.RANGE visits GRAIN YEAR 1794900000 1794900000",
            "KEYNS.COUNT visits BY -999 GRAIN YEAR",
            "KEYNS.NEXTID doc",
            "KEYNS.MAKE doc Hello",
            "KEYNS.INGESTMD doc Text REPLACE doc:one:001",
            "KEYNS.TREE doc:one:001",
            "KEYNS.EXPORTMD doc:one:001",
            "KEYNS.DROP doc:one:001",
        ] {
            let reply = client.run(line);
            assert!(!reply.is_error(), "{line}: {reply:?}");
        }
    }
}

/// Even if a script or a transaction calls for the user.
#[test]
fn scripts_and_transactions_do_not_bypass_selectors() {
    let server = Server::start();
    fill(&server);
    let mut client = client_of(&server, "~visits", &format!("(+exists {OTHERS})"));
    let script = "return redis.call('KEYNS.COUNT', 'visits', 'GRAIN', 'YEAR')";
    let reply = client.call(&["EVAL", script, "1", "visits"]);
    assert!(reply.text().contains("NOPERM"), "{reply:?}");
    client.run("MULTI");
    client.run("KEYNS.COUNT visits GRAIN YEAR");
    let replies = client.run("EXEC");
    assert!(
        replies.array()[0].text().starts_with("NOPERM"),
        "{replies:?}"
    );
}
