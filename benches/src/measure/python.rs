//! Programs in Python that measure what a client does: they are told on their input what to do, and
//! answer with seconds.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use keyns_testkit::repository;

pub struct Python {
    process: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    /// Of redis-py.
    pub version: String,
}

impl Python {
    /// Starts a program of `benches/`, with the python3 that has the packages it needs: the one that
    /// KEYNS_PYTHON names, the first in PATH, or the one of the distribution.
    pub fn start(program: &str, arguments: &[String]) -> Option<Python> {
        let chosen = std::env::var("KEYNS_PYTHON").ok();
        let pythons = chosen.map_or(vec!["python3".into(), "/usr/bin/python3".into()], |p| {
            vec![p]
        });
        let mut pythons = pythons.iter();
        let started = pythons.find_map(|python| Python::try_start(python, program, arguments));
        if started.is_none() {
            eprintln!(
                "bench: without {program}: no python3 has the packages redis and markdown-it-py \
                 (KEYNS_PYTHON names one)"
            );
        }
        started
    }

    fn try_start(python: &str, program: &str, arguments: &[String]) -> Option<Python> {
        let mut process = Command::new(python)
            .arg(repository().join("benches").join(program))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let to = process.stdin.take().expect("its input");
        let from = BufReader::new(process.stdout.take().expect("its output"));
        let mut client = Python {
            process,
            to,
            from,
            version: String::new(),
        };
        let version = client.line();
        client.version = format!("redis-py {}", version.strip_prefix("ready ")?);
        Some(client)
    }

    /// Has it do something, and answers the numbers that it answers.
    pub fn ask(&mut self, task: &str) -> Vec<f64> {
        writeln!(self.to, "{task}").expect("it listens");
        let line = self.line();
        let numbers: Option<Vec<f64>> = line.split(' ').map(|word| word.parse().ok()).collect();
        numbers.unwrap_or_else(|| panic!("{task}: {line:?}"))
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
