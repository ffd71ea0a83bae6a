//! Every `redis-cli` block of the documentation, run against a real server and compared.
//!
//! What is meant for the eye of a person, as a drawn tree is, stands in a `redis-cli --raw` block.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::Server;

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

struct Example {
    /// How redis-cli is to print the reply.
    format: &'static str,
    command: String,
    output: Vec<String>,
}

impl Example {
    /// Line by line, as far as a line `...`.
    fn matches(&self, actual: &str) -> bool {
        let mut actual = actual.lines();
        for line in &self.output {
            if line.trim() == "..." {
                return true;
            }
            if actual.next() != Some(line) {
                return false;
            }
        }
        actual.next().is_none()
    }
}

fn read_examples(page: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut block = None;
    for line in page.lines() {
        if line.starts_with("```") {
            block = match line {
                "```redis-cli" => Some("--no-raw"),
                "```redis-cli --raw" => Some("--raw"),
                _ => None,
            };
            continue;
        }
        let Some(format) = block.filter(|_| !line.is_empty()) else {
            continue;
        };
        if let Some(command) = line.strip_prefix("> ") {
            examples.push(Example {
                format,
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
        .args(["-p", &port.to_string(), example.format])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("redis-cli");
    let mut input = process.stdin.take().unwrap();
    writeln!(input, "{}", example.command).unwrap();
    drop(input);
    let output = process.wait_with_output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}
