//! Runs every `redis-cli` block of the documentation on a real server and compares the replies.
//!
//! Replies for people, such as a drawn tree, are in a `redis-cli --raw` block. Replies with times or
//! fencing tokens, which differ between runs, are in a `redis-cli times` or `redis-cli tokens` block.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use keyns_testkit::{Server, repository};

/// A test for each page, so that they run in parallel.
macro_rules! pages {
    ($($test:ident: $page:literal,)*) => {
        const PAGES: &[&str] = &[$($page),*];

        $(
            #[test]
            fn $test() {
                examples_show_what_the_server_answers($page);
            }
        )*
    };
}

pages! {
    readme: "README.md",
    commands_coordination: "docs/commands/coordination.md",
    commands_documents: "docs/commands/documents.md",
    commands_namespaces: "docs/commands/namespaces.md",
    commands_naming: "docs/commands/naming.md",
    commands_rate_limits: "docs/commands/rate-limits.md",
    guides_counters: "docs/guides/counters.md",
    guides_documents: "docs/guides/documents.md",
    guides_events: "docs/guides/events.md",
    guides_locks: "docs/guides/locks.md",
    guides_namespaces: "docs/guides/namespaces.md",
    guides_rate_limits: "docs/guides/rate-limits.md",
    operations: "docs/operations.md",
}

#[track_caller]
fn examples_show_what_the_server_answers(page: &str) {
    let server = Server::start();
    let mut wrong = Vec::new();
    for examples in read_examples(page).chunk_by(|one, next| one.block == next.block) {
        for (example, actual) in examples.iter().zip(redis_cli(server.port, examples)) {
            if !example.matches(&actual) {
                wrong.push(format!(
                    "{page}: {}\n--- documented\n{}\n--- actual\n{actual}",
                    example.command,
                    example.output.join("\n")
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn every_page_with_examples_has_a_test() {
    let mut paths = vec![repository().join("README.md")];
    find_pages(&repository().join("docs"), &mut paths);
    let mut examples = 0;
    for path in paths {
        let page = path.strip_prefix(repository()).unwrap().to_str().unwrap();
        let count = read_examples(page).len();
        assert_eq!(count > 0, PAGES.contains(&page), "{page}");
        examples += count;
    }
    assert!(examples >= 30, "only {examples} examples were found");
}

#[derive(Clone, Copy, PartialEq)]
pub(super) struct Block {
    /// Its first line: each block is one session of redis-cli.
    line: usize,
    /// How redis-cli prints the replies.
    format: &'static str,
    /// The numbers in them that differ between runs.
    numbers: Option<Numbers>,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Numbers {
    Times,
    Tokens,
}

impl Block {
    fn from_fence(line: usize, fence: &str) -> Option<Block> {
        let (format, numbers) = match fence {
            "```redis-cli" => ("--no-raw", None),
            "```redis-cli times" => ("--no-raw", Some(Numbers::Times)),
            "```redis-cli tokens" => ("--no-raw", Some(Numbers::Tokens)),
            "```redis-cli --raw" => ("--raw", None),
            _ => return None,
        };
        Some(Block {
            line,
            format,
            numbers,
        })
    }
}

pub(super) struct Example {
    pub(super) block: Block,
    command: String,
    output: Vec<String>,
}

impl Example {
    /// Line by line, up to a line `...`. Blank lines do not count.
    fn matches(&self, actual: &str) -> bool {
        let mut actual = actual.lines().filter(|line| !line.is_empty());
        for line in &self.output {
            if line.trim() == "..." {
                return true;
            }
            match actual.next() {
                Some(actual) if actual == line => {}
                Some(actual) if self.block.agrees(line, actual) => {}
                _ => return false,
            }
        }
        actual.next().is_none()
    }
}

impl Block {
    /// Whether two lines are the same except for a number that differs each time.
    fn agrees(self, documented: &str, actual: &str) -> bool {
        let number = |line: &str| {
            let (label, number) = line.rsplit_once(' ')?;
            Some((label.to_owned(), number.parse::<u64>().ok()?))
        };
        let (Some(documented), Some(actual)) = (number(documented), number(actual)) else {
            return false;
        };
        let both_from = |least| documented.1 >= least && actual.1 >= least;
        let alike = match self.numbers {
            None => false,
            Some(Numbers::Times) => {
                both_from(1000) && documented.1.abs_diff(actual.1) <= documented.1 / 100
            }
            // Microseconds since 1970.
            Some(Numbers::Tokens) => both_from(1_700_000_000_000_000),
        };
        alike && documented.0 == actual.0
    }
}

/// The examples of a page, named relative to the repository.
#[track_caller]
pub(super) fn read_examples(page: &str) -> Vec<Example> {
    let page = fs::read_to_string(repository().join(page)).expect("a page");
    let mut examples: Vec<Example> = Vec::new();
    let mut block = None;
    for (number, line) in page.lines().enumerate() {
        if line.starts_with("```") {
            block = Block::from_fence(number, line);
            continue;
        }
        let Some(block) = block.filter(|_| !line.is_empty()) else {
            continue;
        };
        if let Some(command) = line.strip_prefix("> ") {
            examples.push(Example {
                block,
                command: command.into(),
                output: Vec::new(),
            });
        } else if let Some(example) = examples.last_mut() {
            example.output.push(line.into());
        }
    }
    examples
}

fn find_pages(dir: &Path, pages: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            find_pages(&path, pages);
        } else if path.extension().is_some_and(|ending| ending == "md") {
            pages.push(path);
        }
    }
}

/// What redis-cli prints for each example of a block. One session for all, because redis-cli fetches
/// the docs of all commands whenever it starts.
#[track_caller]
pub(super) fn redis_cli(port: u16, examples: &[Example]) -> Vec<String> {
    const END: &str = "-- the end of a reply --";
    let format = examples[0].block.format;
    let mut process = Command::new("redis-cli")
        .args(["-p", &port.to_string(), format])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("redis-cli");
    let mut input = process.stdin.take().unwrap();
    for example in examples {
        writeln!(input, "{}\nECHO \"{END}\"", example.command).unwrap();
    }
    drop(input);
    let output = process.wait_with_output().unwrap();
    let shown = String::from_utf8_lossy(&output.stdout);
    let mut replies = vec![String::new()];
    for line in shown.lines() {
        match line.trim_matches('"') == END {
            true => replies.push(String::new()),
            false => *replies.last_mut().unwrap() += &format!("{line}\n"),
        }
    }
    assert_eq!(replies.pop().as_deref(), Some(""), "{shown}");
    assert_eq!(replies.len(), examples.len(), "{shown}");
    for reply in &mut replies {
        if let Some(start) = elapsed(reply) {
            reply.truncate(start);
        }
    }
    replies
}

/// The start of the line that redis-cli adds to replies that took half a second or more: `(0.52s)`.
fn elapsed(shown: &str) -> Option<usize> {
    let text = shown.trim_end();
    let start = text.rfind('\n')? + 1;
    let seconds = text[start..].strip_prefix('(')?.strip_suffix("s)")?;
    seconds.parse::<f64>().is_ok().then_some(start)
}

#[test]
fn the_time_that_redis_cli_adds_is_not_part_of_a_reply() {
    assert_eq!(elapsed("OK\n(2.08s)\n"), Some(3));
    assert_eq!(elapsed("OK\n"), None);
    assert_eq!(elapsed("1) \"a\"\n2) (nil)\n"), None);
}
