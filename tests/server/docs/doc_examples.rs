//! Every `redis-cli` block of the documentation, run against a real server and compared.
//!
//! What is meant for the eye of a person, as a drawn tree is, stands in a `redis-cli --raw` block,
//! and what has times or fencing tokens in it, which differ from run to run, in a `redis-cli times`
//! or a `redis-cli tokens` block.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use keyns_testkit::Server;

#[test]
fn examples_show_what_the_server_answers() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages = vec![root.join("README.md")];
    find_pages(&root.join("docs"), &mut pages);
    let mut examples = 0;
    let mut wrong = Vec::new();
    for page in pages {
        let server = Server::start();
        for example in read_examples(&fs::read_to_string(&page).unwrap()) {
            examples += 1;
            let actual = redis_cli(server.port, &example);
            if !example.matches(&actual) {
                wrong.push(format!(
                    "{}: {}\n--- documented\n{}\n--- actual\n{actual}",
                    page.display(),
                    example.command,
                    example.output.join("\n")
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(examples >= 30, "only {examples} examples were found");
}

#[derive(Clone, Copy)]
struct Block {
    /// How redis-cli is to print the replies.
    format: &'static str,
    /// The numbers in them that differ from one run to the next.
    numbers: Option<Numbers>,
}

#[derive(Clone, Copy)]
enum Numbers {
    Times,
    Tokens,
}

impl Block {
    fn from_fence(line: &str) -> Option<Block> {
        let (format, numbers) = match line {
            "```redis-cli" => ("--no-raw", None),
            "```redis-cli times" => ("--no-raw", Some(Numbers::Times)),
            "```redis-cli tokens" => ("--no-raw", Some(Numbers::Tokens)),
            "```redis-cli --raw" => ("--raw", None),
            _ => return None,
        };
        Some(Block { format, numbers })
    }
}

struct Example {
    block: Block,
    command: String,
    output: Vec<String>,
}

impl Example {
    /// Line by line, as far as a line `...`. Blank lines are for the eye.
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
    /// Whether two lines are the same but for a number that differs each time.
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

fn read_examples(page: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut block = None;
    for line in page.lines() {
        if line.starts_with("```") {
            block = Block::from_fence(line);
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

fn redis_cli(port: u16, example: &Example) -> String {
    let mut process = Command::new("redis-cli")
        .args(["-p", &port.to_string(), example.block.format])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("redis-cli");
    let mut input = process.stdin.take().unwrap();
    writeln!(input, "{}", example.command).unwrap();
    drop(input);
    let output = process.wait_with_output().unwrap();
    let mut shown = String::from_utf8_lossy(&output.stdout).into_owned();
    if let Some(start) = elapsed(&shown) {
        shown.truncate(start);
    }
    shown
}

/// Where the line is with which redis-cli ends what took half a second or more: `(0.52s)`.
fn elapsed(shown: &str) -> Option<usize> {
    let text = shown.trim_end();
    let start = text.rfind('\n')? + 1;
    let seconds = text[start..].strip_prefix('(')?.strip_suffix("s)")?;
    seconds.parse::<f64>().is_ok().then_some(start)
}

#[test]
fn the_time_that_redis_cli_adds_is_no_part_of_a_reply() {
    assert_eq!(elapsed("OK\n(2.08s)\n"), Some(3));
    assert_eq!(elapsed("OK\n"), None);
    assert_eq!(elapsed("1) \"a\"\n2) (nil)\n"), None);
}
