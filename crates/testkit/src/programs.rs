//! The pages in docs, and the programs on them, run as they stand there.
//!
//! `scripts/setup test` installs what they need. `KEYNS_PYTHON` names another python3, and
//! `KEYNS_NODE_MODULES` another folder in which Node.js finds the package `redis`.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::symlink;
use std::process::{Child, Command, Output};
use std::sync::mpsc::{self, Receiver};
use std::thread;

use crate::{Server, patience, repository};

/// The text of a page.
pub struct Page(String);

impl Page {
    pub fn open(name: &str) -> Page {
        let path = repository().join(format!("docs/{name}.md"));
        Page(fs::read_to_string(path).unwrap())
    }

    /// The page for those who run servers.
    pub fn operations() -> Page {
        Page::open("operations")
    }

    /// What is below a heading, up to the next one.
    #[track_caller]
    pub fn section(&self, heading: &str) -> &str {
        let start = self.0.find(&format!("\n{heading}\n"));
        let start = start.unwrap_or_else(|| panic!("no heading '{heading}'")) + heading.len() + 2;
        let rest = &self.0[start - 1..];
        let end = ["\n## ", "\n### "]
            .iter()
            .filter_map(|next| rest.find(next));
        &rest[..end.min().unwrap_or(rest.len())]
    }

    pub fn contains(&self, text: &str) -> bool {
        self.0.contains(text)
    }

    /// A block, by its place among those in its language.
    #[track_caller]
    pub fn block(&self, language: &str, place: usize) -> String {
        let block = self.0.split(&format!("\n```{language}\n")).nth(place + 1);
        let block = block.unwrap_or_else(|| panic!("no block {place} in {language}"));
        block.split("\n```\n").next().unwrap().to_owned() + "\n"
    }

    /// The cells of the rows of a table, without the backticks.
    pub fn table(&self, head: &str) -> Vec<Vec<String>> {
        let lines = self.0.lines().skip_while(|line| *line != head).skip(2);
        let rows = lines.take_while(|line| line.starts_with('|'));
        rows.map(|row| {
            let cells = row.trim_matches('|').split(" | ");
            cells.map(|cell| cell.trim().replace('`', "")).collect()
        })
        .collect()
    }
}

/// What a program is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    Python,
    Node,
}

impl Language {
    /// How the blocks of a page name it.
    pub fn fence(self) -> &'static str {
        match self {
            Language::Python => "python",
            Language::Node => "js",
        }
    }

    /// The file of a program.
    pub fn file(self, name: &str) -> String {
        match self {
            Language::Python => format!("{name}.py"),
            Language::Node => format!("{name}.mjs"),
        }
    }

    /// Writes a program into the folder of a server, where it runs and which it talks to.
    pub fn program(self, server: &Server, name: &str, text: &str) -> Command {
        let file = server.dir.join(self.file(name));
        fs::write(&file, text).unwrap();
        let mut command = match self {
            Language::Python => Command::new(variable("KEYNS_PYTHON", "/usr/bin/python3")),
            Language::Node => {
                // A program finds its package beside itself, and the package what it needs by
                // NODE_PATH.
                let modules = variable("KEYNS_NODE_MODULES", "/usr/share/nodejs");
                let beside = server.dir.join("node_modules");
                if !beside.exists() {
                    symlink(&modules, beside).unwrap();
                }
                let mut node = Command::new("node");
                node.env("NODE_PATH", modules);
                node
            }
        };
        command.arg(file).current_dir(&server.dir);
        let url = format!("redis://127.0.0.1:{}", server.port);
        command.env("REDIS_URL", url);
        command
    }
}

/// Starts a program, or says how to install what it needs.
#[track_caller]
pub fn spawn(program: &mut Command) -> Child {
    program.spawn().unwrap_or_else(|error| {
        panic!("{program:?} cannot be run, `scripts/setup test` installs it: {error}")
    })
}

/// What a program has printed that must have had nothing to complain about.
#[track_caller]
pub fn printed(output: Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.is_empty(), "{errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// What a process prints, line by line.
pub struct Lines(Receiver<String>);

impl Lines {
    pub fn of(process: &mut Child) -> Lines {
        let output = process.stdout.take().unwrap();
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || {
            let lines = BufReader::new(output).lines().map_while(Result::ok);
            // Ends with the process, or when nobody listens any more.
            let _ = lines.into_iter().try_for_each(|line| sender.send(line));
        });
        Lines(receiver)
    }

    /// The next line; none if that does not come.
    pub fn next(&self) -> Option<String> {
        self.0.recv_timeout(patience()).ok()
    }
}

/// Sends a signal to a process, as `STOP`. The shell does it: the program `kill` is in a package
/// that a small system lacks.
#[track_caller]
pub fn signal(process_id: &str, name: &str) {
    let kill = ["-c", r#"kill -s "$1" "$2""#, "kill", name, process_id];
    let status = Command::new("sh").args(kill).status();
    assert!(status.unwrap().success());
}

fn variable(name: &str, default: &str) -> OsString {
    env::var_os(name).unwrap_or_else(|| default.into())
}
