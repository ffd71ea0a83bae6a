//! The programs in the guides to documents and counters, run as they stand there.

use std::fs;
use std::process::Stdio;

use keyns_testkit::{Language, Page, Server, printed, spawn};

#[test]
fn the_python_program_stores_a_file_and_replaces_it_after_an_edit() {
    let server = Server::start();
    let guide = Page::open("guides/documents");
    let text = guide.block("python", 0);
    let shown = run_with(&server, Language::Python, &text, &handbook());
    assert!(guide.contains(&format!("\n```\n{shown}```\n")), "{shown}");

    let edited = handbook().replace("- History\n", "- History\n- Models\n");
    let shown = run_with(&server, Language::Python, &text, &edited);
    assert!(
        shown.starts_with("doc:risk_handbook:001 - 1 new\n"),
        "{shown}"
    );
    let mut client = server.client();
    assert_eq!(client.run("SCARD level:doc:chunks").integer(), 1);
}

#[test]
fn the_node_program_stores_a_file() {
    let server = Server::start();
    let text = Page::open("guides/documents").block("js", 0);
    let shown = run_with(&server, Language::Node, &text, &handbook());
    let chunks: Vec<_> = shown.lines().collect();
    assert_eq!(chunks.len(), 5, "{shown}");
    assert_eq!(
        chunks[2],
        "chunk:history_simulation:003 list [ 'Measuring risk', 'Methods' ]"
    );
}

#[test]
fn the_python_program_reads_seven_whole_days() {
    let server = Server::start();
    let mut client = server.client();
    let now = client.run("TIME").array()[0].text().parse::<i64>().unwrap();
    for (days_ago, visits) in [(0, 1), (1, 2), (7, 3), (8, 4)] {
        let at = now - days_ago * 86400;
        client.run(&format!(
            "KEYNS.COUNT visits:home BY {visits} GRAIN DAY AT {at}"
        ));
    }
    let text = Page::open("guides/counters").block("python", 0);
    let shown = run_with(&server, Language::Python, &text, "");
    let counts: Vec<_> = shown
        .lines()
        .map(|line| line.split_once(' ').unwrap().1)
        .collect();
    assert_eq!(counts, ["3", "0", "0", "0", "0", "0", "2"], "{shown}");
}

/// The file that the guide takes through its life.
fn handbook() -> String {
    let guide = fs::read_to_string(format!(
        "{}/docs/guides/documents.md",
        env!("CARGO_MANIFEST_DIR")
    ));
    let guide = guide.unwrap();
    let (_, rest) = guide.split_once("\n````markdown\n").unwrap();
    rest.split_once("````\n").unwrap().0.to_owned()
}

/// What a program prints that is started with the name of a file.
fn run_with(server: &Server, language: Language, program: &str, file: &str) -> String {
    fs::write(server.dir.join("handbook.md"), file).unwrap();
    let mut program = language.program(server, "program", program);
    program.arg("handbook.md");
    let process = spawn(program.stdout(Stdio::piped()).stderr(Stdio::piped()));
    printed(process.wait_with_output().unwrap())
}
