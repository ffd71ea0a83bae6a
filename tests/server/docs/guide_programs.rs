//! Runs the programs in the guides to documents and counters unchanged.

use std::fs;
use std::iter::repeat_with;
use std::process::{Command, Stdio};

use keyns_testkit::{Language, Page, Server, Value, ingest, printed, spawn, wait_until};

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

/// The program once stored a file with three calls, and eight at once made seven documents of one.
/// Here all eight have asked whatever they ask before any of them may write.
#[test]
fn eight_programs_that_store_a_new_file_at_once_make_one_document() {
    const PROGRAMS: usize = 8;
    for language in [Language::Python, Language::Node] {
        let server = Server::start();
        let mut client = server.client();
        prepare(&server, &handbook());
        let text = Page::open("guides/documents").block(language.fence(), 0);
        let mut program = language.program(&server, "program", &text);
        program.arg("handbook.md");
        program.stdout(Stdio::piped()).stderr(Stdio::piped());
        client.run("CLIENT PAUSE 600000 WRITE");
        let start = || spawn(&mut program);
        let processes: Vec<_> = repeat_with(start).take(PROGRAMS).collect();
        wait_until("all programs wait for the server", || {
            let clients = client.run("CLIENT LIST").text();
            clients.matches(" flags=b ").count() == PROGRAMS
        });
        client.run("CLIENT UNPAUSE");
        for process in processes {
            let shown = printed(process.wait_with_output().unwrap());
            assert!(shown.contains("chunk:history_simulation:"), "{shown}");
        }
        assert_eq!(client.run("SCARD level:doc:chunks").integer(), 1);
        assert_eq!(client.run("GET doc:_seq").text(), "1");
    }
}

/// A vector index takes 32-bit floats, little-endian, and nothing else.
#[test]
fn the_programs_store_embeddings_as_float32_where_there_are_none() {
    for language in [Language::Python, Language::Node] {
        let server = Server::start();
        let mut client = server.client();
        let doc = ingest(&mut client, "doc", handbook(), "")["doc"].text();
        let text = Page::open("guides/documents").block(language.fence(), 1);
        let mut program = language.program(&server, "embed", &text);
        program.arg(&doc);
        assert_eq!(output(&mut program), "5 embeddings added\n");
        let list = "- History\n- Simulation\n\n";
        let numbers = [list.len() as f32 / 64.0, 2.0 / 8.0, -0.5];
        let blob = numbers.map(f32::to_le_bytes).concat();
        let stored = client.run("HGET chunk:history_simulation:003 embedding");
        assert_eq!(stored, Value::Bulk(blob), "{language:?}");
        assert_eq!(
            client.run("HEXISTS para:methods:001 embedding").integer(),
            0
        );

        let edited = handbook().replace("Bonds", "Gold");
        ingest(&mut client, "doc", edited, &format!("REPLACE {doc}"));
        assert_eq!(output(&mut program), "1 embeddings added\n");
        assert_eq!(output(&mut program), "0 embeddings added\n");
    }
}

#[test]
fn the_python_program_reads_seven_whole_days() {
    let server = Server::start();
    let mut client = server.client();
    let now = client.run("TIME").array()[0].text().parse::<i64>().unwrap();
    for (days_ago, visits) in [(0, 1), (1, 2), (7, 3), (8, 4)] {
        let at = now - days_ago * 86400;
        client.run(&format!(
            "KEYNS.COUNT counter:visits:page:home BY {visits} GRAIN DAY AT {at}"
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

/// The file that the guide works with.
fn handbook() -> String {
    let guide = fs::read_to_string(format!(
        "{}/docs/guides/documents.md",
        env!("CARGO_MANIFEST_DIR")
    ));
    let guide = guide.unwrap();
    let (_, rest) = guide.split_once("\n````markdown\n").unwrap();
    rest.split_once("````\n").unwrap().0.to_owned()
}

/// What a program prints when it is started with the name of a file.
fn run_with(server: &Server, language: Language, program: &str, file: &str) -> String {
    prepare(server, file);
    let mut program = language.program(server, "program", program);
    output(program.arg("handbook.md"))
}

/// Puts a file into the folder of a server, and the script by which programs store it.
fn prepare(server: &Server, file: &str) {
    fs::write(server.dir.join("handbook.md"), file).unwrap();
    let script = Page::open("guides/documents").block("lua", 0);
    fs::write(server.dir.join("store.lua"), script).unwrap();
}

/// What a program prints.
fn output(program: &mut Command) -> String {
    let process = spawn(program.stdout(Stdio::piped()).stderr(Stdio::piped()));
    printed(process.wait_with_output().unwrap())
}
