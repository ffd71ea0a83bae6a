//! An AOF that ends in the middle of a document, because the server died while it wrote.

use std::fs;

use keyns_testkit::{
    Document, GUIDE, Options, Random, assert_same, end_of_aof, ingest, keyspace, rewrite_aof,
    without_counters,
};

/// Servers cut such an AOF off inside the transaction, where it would go on with what comes next.
/// What operations.md has one do about it helps.
#[test]
fn a_document_that_was_half_written_never_comes_back_if_the_aof_is_rewritten() {
    const CUTS: u32 = 6;
    let mut server = Options::new().durable().start();
    let mut client = server.client();
    let kept = ingest(&mut client, "doc", GUIDE, "")["doc"].text();
    let whole = without_counters(keyspace(&mut client));
    let mut random = Random::seeded(7);
    for cut in 0..CUTS {
        let mut client = server.client();
        let file = end_of_aof(&server);
        let before = fs::metadata(&file).unwrap().len();
        ingest(&mut client, "doc", "# Moss\n\ngrows.\n\n# Oaks\n", "");
        server.kill();
        let after = fs::metadata(&file).unwrap().len();
        // From the first byte of it on, but never with all of them.
        let end = before + random.below(after - before);
        fs::OpenOptions::new()
            .write(true)
            .open(&file)
            .unwrap()
            .set_len(end)
            .unwrap();

        server.start_again();
        let mut client = server.client();
        assert_same(&without_counters(keyspace(&mut client)), &whole);
        rewrite_aof(&mut client);
        let number = client.run("KEYNS.NEXTID number").integer();
        assert_eq!(number, i64::from(cut) + 1, "something was lost");
        server.start_again();
        let keys = without_counters(keyspace(&mut server.client()));
        assert_same(&keys, &whole);
        assert_same(&keys, &Document::find(&kept, &keys).keys());
    }
}
