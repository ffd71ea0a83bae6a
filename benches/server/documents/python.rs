//! The redis-py client of `benches/ingest.py`.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::support::Server;

pub struct Python {
    process: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

/// The seconds that an ingest took.
pub struct PythonCost {
    pub parse: f64,
    pub write: f64,
}

impl PythonCost {
    pub fn total(&self) -> f64 {
        self.parse + self.write
    }
}

impl Python {
    /// Starts the client, unless a package that it needs is missing. `KEYNS_PYTHON` names another
    /// python3.
    pub fn start(server: &Server, markdown: &str) -> Option<Python> {
        let python = std::env::var("KEYNS_PYTHON").unwrap_or_else(|_| "python3".into());
        let file = server.dir.join("document.md");
        fs::write(&file, markdown).expect("the document is written");
        let mut process = Command::new(&python)
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/benches/ingest.py"))
            .arg(server.port.to_string())
            .arg(file)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .ok()?;
        let to = process.stdin.take().expect("its input");
        let from = BufReader::new(process.stdout.take().expect("its output"));
        let mut client = Python { process, to, from };
        (client.line() == "ready").then_some(client)
    }

    /// Has the client ingest the document.
    pub fn ingest(&mut self) -> PythonCost {
        self.to.write_all(b"go\n").expect("it listens");
        let line = self.line();
        let (parse, write) = line.split_once(' ').expect("two times");
        PythonCost {
            parse: parse.parse().expect("seconds"),
            write: write.parse().expect("seconds"),
        }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.from.read_line(&mut line).expect("its output");
        line.trim_end().to_owned()
    }
}

impl Drop for Python {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
