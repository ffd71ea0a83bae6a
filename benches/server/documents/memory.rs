//! How much memory an ingest takes beside what it stores, and whether any of it stays behind.

use std::thread::sleep;
use std::time::Duration;

use super::{demanded_document, large_document, markdown};
use crate::measure::{at_most, memory};
use crate::support::{Options, Server};

/// In sizes of the document.
const AT_MOST: f64 = 10.0;

/// How many documents come and go, after those that warm the server up.
const ROUNDS: usize = 1000;
const WARM_UP: usize = 10;

pub fn run() {
    println!(
        "\n| document | KB | stored, x its size | beside that at the peak, x its size | at most |\n|---|---|---|---|---|"
    );
    let plain = Options::new();
    let with_aof = Options::new().set("--appendonly", &["yes"]);
    let handbook = demanded_document();
    print_peak("handbook", &handbook, plain.clone());
    print_peak("handbook, server with AOF", &handbook, with_aof);
    print_peak("large handbook", &large_document(), plain.clone());
    print_peak("single letters", &markdown::letters(64 << 10), plain);
    print_growth();
}

/// The server notes its peak after every command, those of the module included.
fn print_peak(name: &str, document: &str, options: Options) {
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
    let extra = (peak - after) / size;
    println!(
        "| {name} | {:.0} | {:.1} | {extra:.1} | {} |",
        size / 1024.0,
        (after - before) / size,
        at_most(AT_MOST, extra)
    );
}

fn print_growth() {
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
    let after = come_and_go(ROUNDS);
    println!(
        "\n{ROUNDS} times a document of {:.0} KB came and went: used_memory is {:+.0} bytes off \
         what it was after the first {WARM_UP}.",
        document.len() as f64 / 1024.0,
        after - before
    );
}

/// The memory that is used once the server has shrunk its tables and the buffers of idle clients.
fn settled_memory(server: &Server) -> f64 {
    sleep(Duration::from_secs(4));
    memory(&mut server.client(), "used_memory")
}
