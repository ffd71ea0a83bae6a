//! A program in `examples/`, and what it takes to run it.

use std::env;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use keyns_testkit::{Language, Server};

use crate::example;

#[derive(Clone, Copy, Debug)]
pub enum Program {
    Python,
    Node,
    Rust,
    Go,
    Java,
}

/// A program that is compiled, or why it is not.
type Built = Result<PathBuf, String>;

impl Program {
    pub const ALL: [Program; 5] = [
        Program::Python,
        Program::Node,
        Program::Rust,
        Program::Go,
        Program::Java,
    ];

    /// Whether this machine has what it takes. What every machine has to have is no question.
    pub fn can_run(self) -> bool {
        match self {
            Program::Python | Program::Node | Program::Rust => true,
            Program::Go => go().is_ok(),
            Program::Java => java().is_ok(),
        }
    }

    /// The program, for a server.
    pub fn command(self, server: &Server) -> Command {
        let mut command = match self {
            Program::Python => {
                Language::Python.program(server, "example", &example("python/main.py"))
            }
            Program::Node => Language::Node.program(server, "example", &example("node/main.mjs")),
            Program::Rust => Command::new(rust()),
            Program::Go => Command::new(go().as_ref().unwrap()),
            Program::Java => {
                let mut java = Command::new("java");
                java.arg("-cp").arg(java_class_path()).arg("Example");
                java
            }
        };
        command.env("REDIS_URL", format!("redis://127.0.0.1:{}", server.port));
        command
    }
}

fn rust() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let manifest = folder("rust").join("Cargo.toml");
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--quiet", "--locked", "--manifest-path"]);
        build.arg(manifest).arg("--target-dir").arg(target());
        succeed(&mut build);
        target().join("debug/keyns-example")
    })
}

fn go() -> &'static Built {
    static BUILT: OnceLock<Built> = OnceLock::new();
    BUILT.get_or_init(|| build_go().inspect_err(|why| say_skipped("Go", why)))
}

fn java() -> &'static Built {
    static BUILT: OnceLock<Built> = OnceLock::new();
    BUILT.get_or_init(|| build_java().inspect_err(|why| say_skipped("Java", why)))
}

/// Not by println, which is heard only when a test fails.
fn say_skipped(language: &str, why: &str) {
    let _ = writeln!(io::stdout(), "skipped: the {language} example, {why}");
}

/// Works where Go is new enough and gets the packages.
fn build_go() -> Built {
    let go = |arguments: &[&str]| {
        let mut go = Command::new("go");
        // With the Go that is here, or not at all.
        go.env("GOTOOLCHAIN", "local").current_dir(folder("go"));
        go.args(arguments);
        go
    };
    let version = go(&["env", "GOVERSION"]).output();
    let version = version.map_err(|_| "there is no go")?;
    let version = String::from_utf8_lossy(&version.stdout).trim().to_owned();
    let minor = version.strip_prefix("go1.").map(|rest| rest.split('.'));
    let minor = minor.and_then(|mut parts| parts.next()?.parse().ok());
    if minor.unwrap_or(0) < 21 {
        return Err(format!("it takes go1.21 and this is {version}"));
    }
    let download = go(&["mod", "download"]).output().unwrap();
    if !download.status.success() {
        return Err("go cannot get its packages".into());
    }
    let program = built("go").join("keyns-example");
    succeed(go(&["build", "-o"]).arg(&program).arg("."));
    Ok(program)
}

/// Works where `KEYNS_JEDIS` names the jars of Jedis and of what that needs.
fn build_java() -> Built {
    let jars = env::var_os("KEYNS_JEDIS").ok_or("KEYNS_JEDIS names no class path")?;
    let version = Command::new("javac").arg("-version").output();
    version.map_err(|_| "there is no javac")?;
    let classes = built("java");
    let mut compile = Command::new("javac");
    compile.args(["-encoding", "UTF-8", "-Xlint:all", "-Werror", "-cp"]);
    compile.arg(jars).arg("-d").arg(&classes);
    succeed(compile.arg(folder("java").join("src/main/java/Example.java")));
    Ok(classes)
}

fn java_class_path() -> OsString {
    let jars = env::var_os("KEYNS_JEDIS").unwrap();
    let classes = java().as_ref().unwrap().clone();
    env::join_paths(env::split_paths(&jars).chain([classes])).unwrap()
}

#[track_caller]
fn succeed(build: &mut Command) {
    let output = build.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{build:?}\n{errors}");
}

fn folder(language: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    root.join("examples").join(language)
}

/// Where what is built of a program goes that is none of Rust.
fn built(language: &str) -> PathBuf {
    target().join("clients").join(language)
}

fn target() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    root.join(env::var_os("CARGO_TARGET_DIR").unwrap_or("target".into()))
}
