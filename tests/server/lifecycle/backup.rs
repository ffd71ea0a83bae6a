//! "Backup and restore" of docs/operations.md, performed line by line.

use keyns_testkit::{Node, Options, Page, ingest, perform, steps};

#[test]
fn a_backup_brings_everything_back_on_another_server() {
    let module = Options::module_path();
    let mut there = Node::start(&module, "");
    let mut client = there.client();
    client.run("KEYNS.MAKE doc Intro");
    ingest(&mut client, "guide", "# Moss\n\ngrows.\n", "");
    client.run("KEYNS.RATE rate:api BUCKET 10 1 100d COST 4");
    client.run("KEYNS.LOCK lock:report ada PX 600000");
    client.run("KEYNS.NS.PRESET campaigns");
    let (digest, namespaces) = (there.server.digest(), client.namespaces());
    let page = Page::operations();
    let taking = steps(&page, "### Taking a backup");
    perform(&taking, &mut [("server", &mut there)], &module, |_| ());

    let mut here = Node::start(&module, "");
    here.client().run("SET other x");
    here.client().define("other", "other:<x>", "");
    for file in ["backup.rdb", "namespaces.json"] {
        there.hand_over(file, &here);
    }
    drop(there);
    let restoring = steps(&page, "### Restoring a backup");
    perform(&restoring, &mut [("server", &mut here)], &module, |_| ());
    assert_eq!(here.server.digest(), digest);
    let mut client = here.client();
    assert_eq!(client.namespaces(), namespaces);
    assert_eq!(client.run("KEYNS.NEXTID doc").integer(), 2);
    let text = client.run("KEYNS.EXPORTMD guide:moss:001").text();
    assert_eq!(text, "# Moss\n\ngrows.\n");
}
