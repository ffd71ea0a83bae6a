//! `make demo`: what it plays, how it looks in a terminal and elsewhere, and that it leaves nothing
//! behind. docs/tour.md shows what it plays.

use std::env::temp_dir;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

use keyns_testkit::{Lines, Page, Server, printed, signal, spawn};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// A running demo. It writes only to a folder of its own.
struct Demo {
    process: Option<Child>,
    folder: PathBuf,
}

impl Demo {
    fn start(program: &mut Command) -> Demo {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = temp_dir().join(format!("keyns-demo-{}-{count}", std::process::id()));
        fs::create_dir(&folder).unwrap();
        program
            .current_dir(ROOT)
            .env("TMPDIR", &folder)
            .env("TERM", "xterm")
            .env("PACE", "0")
            .env_remove("NO_COLOR")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let process = Some(spawn(program));
        Demo { process, folder }
    }

    fn without_a_terminal(arguments: &[&str]) -> Demo {
        Demo::start(Command::new("scripts/demo").args(arguments))
    }

    fn in_a_terminal(line: &str) -> Demo {
        Demo::start(Command::new("script").args(["-qec", line, "/dev/null"]))
    }

    fn process(&mut self) -> &mut Child {
        self.process.as_mut().expect("it plays")
    }

    /// Processes that run in the demo's folder, such as its server.
    fn servers(&self) -> usize {
        let processes = fs::read_dir("/proc").unwrap().flatten();
        let folders =
            processes.filter_map(|process| fs::read_link(process.path().join("cwd")).ok());
        folders.filter(|it| it.starts_with(&self.folder)).count()
    }

    #[track_caller]
    fn leaves_nothing(&self) {
        assert_eq!(self.servers(), 0);
        let left: Vec<_> = fs::read_dir(&self.folder).unwrap().collect();
        assert!(left.is_empty(), "{left:?}");
    }

    /// Its output, after it has ended well.
    #[track_caller]
    fn play_out(mut self) -> String {
        let output = self.process.take().unwrap().wait_with_output().unwrap();
        self.leaves_nothing();
        let status = output.status;
        let text = printed(output);
        assert!(status.success(), "{status}:\n{text}");
        text
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        if let Some(mut process) = self.process.take() {
            // It stops its server itself, unless it is killed.
            signal(&process.id().to_string(), "TERM");
            let _ = process.wait();
        }
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// One story in all its forms. They play at the same time, each on a port of its own.
struct Story {
    plain: String,
    markdown: String,
    coloured: String,
    without_colours: String,
}

static STORY: LazyLock<Story> = LazyLock::new(|| {
    let plain = Demo::without_a_terminal(&[]);
    let markdown = Demo::without_a_terminal(&["--markdown"]);
    let coloured = Demo::in_a_terminal("scripts/demo");
    let without_colours = Demo::in_a_terminal("NO_COLOR=1 scripts/demo");
    Story {
        plain: plain.play_out(),
        markdown: markdown.play_out(),
        coloured: coloured.play_out(),
        without_colours: without_colours.play_out(),
    }
});

/// The text without what differs between runs: the port, times, tokens, and who comes first.
fn masked(text: &str) -> String {
    let words = |line: &str| {
        let words = line.split(' ').map(|word| {
            let bare = word.trim_end_matches('.');
            let is_number = bare.len() >= 3 && bare.parse::<f64>().is_ok();
            if is_number { "N" } else { word }
        });
        words.collect::<Vec<_>>().join(" ")
    };
    let text = text.lines().map(words).collect::<Vec<_>>().join("\n");
    ["ada", "bob", "Ada", "Bob"]
        .iter()
        .fold(text, |text, name| text.replace(name, "Somebody"))
}

/// The output below a command that contains this.
#[track_caller]
fn reply_to(command: &str) -> Vec<&'static str> {
    let mut blocks = STORY
        .plain
        .split("\n\n")
        .filter(|block| block.starts_with("$ "));
    let block = blocks.find(|block| block.contains(command));
    let block = block.unwrap_or_else(|| panic!("no {command} in\n{}", STORY.plain));
    let lines = block.lines().skip(1);
    lines.skip_while(|line| line.starts_with("  ")).collect()
}

#[test]
fn a_document_is_drawn_as_a_tree_and_comes_back() {
    assert!(reply_to("INGESTMD").contains(&" 2) \"doc:house_handbook:001\""));
    let tree = reply_to("KEYNS.TREE");
    assert_eq!(tree[0], "doc:house_handbook:001  House Handbook");
    assert!(tree.contains(&"│       └── chunk:not_heading_make_proofs:006  (code)"));
    assert!(reply_to("HGETALL").contains(&r#"16) "[\"Writing\",\"Code\"]""#));
    assert_eq!(reply_to("KEYNS.NAV"), ["\"ch:printing:002\""]);
    assert_eq!(reply_to("KEYNS.EXPORTMD"), ["the same"]);
    let names = ["doc:set_in_lead:002", "doc:set_in_lead:003"];
    assert_eq!(reply_to("KEYNS.MAKE"), names);
}

#[test]
fn the_sixth_request_is_refused_until_it_has_waited() {
    let replies = reply_to("KEYNS.RATE");
    let (refused, allowed) = replies.split_last().unwrap();
    assert_eq!(allowed.len(), 5);
    assert!(allowed.iter().all(|reply| reply.starts_with("1 5 ")));
    let wait = refused.strip_prefix("0 5 0 ").unwrap();
    let wait: u32 = wait.split(' ').next().unwrap().parse().unwrap();
    assert_eq!(
        reply_to(&format!("sleep {}.{:03}", wait / 1000, wait % 1000)),
        [""; 0]
    );
    let again = reply_to("paste -s");
    assert!(again[0].starts_with("1 5 "), "{again:?}");
}

#[test]
fn a_wrong_key_gets_a_suggestion_and_the_rules_a_table() {
    let key = ["1) \"proof:{set_in_lead}:2\"", "2) (integer) 604800"];
    assert_eq!(reply_to("KEYNS.KEY"), key);
    assert!(reply_to("KEYNS.CHECK").contains(&"    8) \"proof:{lead}:2\""));
    // Its replies contain empty lines.
    let row = "| `proof` | `proof:{<book:slug>}:<round:int>` | hash | 7 d (604800 s) | desk |";
    assert!(STORY.plain.contains(row));
}

#[test]
fn a_holder_with_an_older_token_is_refused() {
    let fight = reply_to("PX 3000");
    let (winner, old) = fight[0].split_once(": (integer) ").unwrap();
    let (loser, nothing) = fight[1].split_once(": ").unwrap();
    assert_eq!((fight.len(), nothing), (2, "(nil)"));
    let new = reply_to(&format!("KEYNS.LOCK lock:press {loser} PX 30000"));
    let new = new[0].strip_prefix("(integer) ").unwrap();
    assert!(new.parse::<u64>().unwrap() > old.parse().unwrap());
    assert_eq!(
        reply_to(&format!("{new} 'printed by {loser}'")),
        ["(integer) 1"]
    );
    assert_eq!(
        reply_to(&format!("{old} 'printed by {winner}'")),
        ["(integer) 0"]
    );
    assert_eq!(
        reply_to("GET cover:{set_in_lead}"),
        [format!("\"printed by {loser}\"")]
    );
}

#[test]
fn the_suggested_commands_work() {
    let server = Server::start();
    let (_, next) = STORY.plain.split_once("Then try these").unwrap();
    let lines = next.lines().filter(|line| line.starts_with("redis-cli "));
    let mut count = 0;
    for line in lines {
        let here = format!("redis-cli -p {} ", server.port);
        let line = line.replacen("redis-cli ", &here, 1);
        let mut shell = Command::new("sh");
        shell
            .args(["-c", &line])
            .current_dir(ROOT)
            .env("FAKETTY", "1");
        let reply = printed(shell.output().unwrap());
        let is_error = reply.starts_with("(error)") || reply.starts_with("ERR ");
        assert!(!reply.trim().is_empty() && !is_error, "{line}\n{reply}");
        count += 1;
    }
    assert!(count > 5, "{next}");
}

#[test]
fn no_line_is_wider_than_a_terminal() {
    let wide = STORY.plain.lines().find(|line| line.chars().count() > 80);
    assert_eq!(wide, None);
}

#[test]
fn colours_are_for_terminals_that_want_them() {
    const ESCAPE: char = '\x1b';
    assert!(
        STORY
            .coloured
            .contains("\x1b[1;32m$\x1b[0m \x1b[1mredis-cli")
    );
    for text in [&STORY.plain, &STORY.markdown, &STORY.without_colours] {
        assert!(!text.contains(ESCAPE), "{text}");
    }
    let mut pieces = STORY.coloured.split(ESCAPE);
    let first = pieces.next().unwrap().to_owned();
    let bare = pieces.fold(first, |bare, piece| bare + piece.split_once('m').unwrap().1);
    for text in [&bare, &STORY.without_colours] {
        assert_eq!(masked(&text.replace('\r', "")), masked(&STORY.plain));
    }
}

#[test]
fn the_page_of_the_tour_is_what_the_demo_plays() {
    let page = fs::read_to_string(Path::new(ROOT).join("docs/tour.md")).unwrap();
    assert_eq!(
        masked(&page),
        masked(&STORY.markdown),
        "`make tour` writes the page"
    );
}

#[test]
fn the_script_of_the_demo_is_the_one_on_the_page_of_locks() {
    let script = fs::read_to_string(Path::new(ROOT).join("docs/tour/fenced.lua")).unwrap();
    assert_eq!(script, Page::open("guides/locks").block("lua", 0));
}

#[test]
fn an_interrupted_demo_stops_its_server() {
    // If the tests run in the background, a shell may make them ignore the signal.
    let mut program = Command::new("env");
    let mut demo = Demo::start(program.args(["--default-signal=INT", "scripts/demo"]));
    let lines = Lines::of(demo.process());
    while !lines.next().expect("a command").starts_with("$ ") {}
    assert_eq!(demo.servers(), 1);
    let process_id = demo.process().id().to_string();
    signal(&process_id, "INT");
    let status = demo.process.take().unwrap().wait().unwrap();
    assert_eq!(status.code(), Some(130));
    demo.leaves_nothing();
}

#[test]
fn without_a_module_the_demo_says_what_to_do() {
    let mut program = Command::new("scripts/demo");
    let mut demo = Demo::start(program.env("KEYNS_MODULE", "/nowhere/libkeyns.so"));
    let output = demo.process.take().unwrap().wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(
        errors,
        "The module /nowhere/libkeyns.so does not exist: 'make build' builds it.\n"
    );
    demo.leaves_nothing();
}
