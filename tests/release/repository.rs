//! Files and scripts of this repository.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

#[track_caller]
pub fn read(name: &str) -> String {
    fs::read_to_string(path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Runs a script and waits for its end.
pub fn run(script: &str, arguments: &[&str]) -> Output {
    let output = Command::new(path(script)).args(arguments).output();
    output.unwrap_or_else(|error| panic!("{script}: {error}"))
}

/// What a script prints that succeeds.
#[track_caller]
pub fn printed(script: &str, arguments: &[&str]) -> String {
    let output = run(script, arguments);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// What a script says that fails.
#[track_caller]
pub fn refusal(script: &str, arguments: &[&str]) -> String {
    let output = run(script, arguments);
    assert!(!output.status.success(), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}
