//! How much memory an ingest takes beside what it stores, and whether any of it stays behind.

use std::thread::sleep;
use std::time::Duration;

use keyns_testkit::{Options, Server};

use super::{demanded_document, large_document, markdown};
use crate::measure::{memory, version};
use crate::report::{Report, Spread, Wanted, at_most, is_quick};

/// In sizes of the document.
const AT_MOST: f64 = 10.0;

/// How many documents come and go, after those that warm the server up.
const ROUNDS: usize = 1000;
const WARM_UP: usize = 10;

pub fn run(report: &mut Report) {
    let plain = Options::new();
    report.version(version(&mut plain.clone().start().client()));
    report.table(
        "documents-memory",
        "One ingest each",
        &[
            "document",
            "KB",
            "stored, x its size",
            "beside that at the peak, x its size",
            "at most",
        ],
    );
    let with_aof = Options::new().set("--appendonly", &["yes"]);
    let handbook = demanded_document();
    add_peak(report, "handbook", &handbook, plain.clone());
    add_peak(report, "handbook, server with AOF", &handbook, with_aof);
    add_peak(report, "large handbook", &large_document(), plain.clone());
    let letters = markdown::letters(64 << 10);
    add_peak(
        report,
        "nothing but paragraphs of one letter",
        &letters,
        plain,
    );
    add_growth(report);
}

/// The server notes its peak after every command, those of the module included.
fn add_peak(report: &mut Report, name: &str, document: &str, options: Options) {
    let server = options.start();
    let mut client = server.client();
    let small = markdown::handbook(1);
    let reply = client.call(&["KEYNS.INGESTMD", "doc", &small]).fields();
    client.call(&["KEYNS.DROP", &reply["doc"].text()]);

    let before = memory(&mut client, "used_memory");
    let reply = client.call(&["KEYNS.INGESTMD", "doc", document]);
    assert!(!reply.is_error(), "{reply:?}");
    let after = memory(&mut client, "used_memory");
    let peak = memory(&mut client, "used_memory_peak");

    let size = document.len() as f64;
    let (stored, extra) = ((after - before) / size, (peak - after) / size);
    report.row(&[
        name.into(),
        format!("{:.0}", size / 1024.0),
        format!("{stored:.1}"),
        format!("{extra:.1}"),
        at_most(AT_MOST, extra),
    ]);
    for (case, ratio) in [("stored", stored), ("beside that at the peak", extra)] {
        let case = format!("{name}, {case}");
        let ratio = Spread::exact(ratio);
        report.ratio(&case, "", "its size", Wanted::Less, ratio);
    }
}

fn add_growth(report: &mut Report) {
    let server = Options::new().start();
    let document = markdown::handbook(1);
    let mut client = server.client();
    let mut come_and_go = |times: usize| {
        for _ in 0..times {
            let reply = client.call(&["KEYNS.INGESTMD", "doc", &document]).fields();
            client.call(&["KEYNS.DROP", &reply["doc"].text()]);
        }
        settled_memory(&server)
    };
    let before = come_and_go(WARM_UP);
    let rounds = if is_quick() { WARM_UP } else { ROUNDS };
    let after = come_and_go(rounds);
    let text = format!(
        "{rounds} times a document of {:.0} KB came and went: `used_memory` is {:+.0} bytes off what \
         it was after the first {WARM_UP}.",
        document.len() as f64 / 1024.0,
        after - before
    );
    report.say("documents-growth", &text);
}

/// The memory that is used once the server has shrunk its tables and the buffers of idle clients.
fn settled_memory(server: &Server) -> f64 {
    sleep(Duration::from_secs(4));
    memory(&mut server.client(), "used_memory")
}
