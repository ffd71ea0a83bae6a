//! The rooms of the house, and how large what stands in them may be.
//!
//! The server's side calls families, families call core and the server's side, core calls nobody. The
//! crate boundary keeps core from calling the others; this keeps the rest.

mod source;

use source::{Source, in_folder};

/// Everything that is no test.
fn sources() -> Vec<Source> {
    let folders = ["src", "crates/core/src", "crates/testkit/src"];
    folders.into_iter().flat_map(in_folder).collect()
}

/// What `found` says of the lines of files, one line each.
fn complaints(
    files: &[Source],
    found: impl Fn(&Source, &str) -> Option<&'static str>,
) -> Vec<String> {
    let complaints = files.iter().flat_map(|file| {
        let found = &found;
        file.code().filter_map(move |(number, line)| {
            let what = found(file, line)?;
            Some(format!("{}:{number}: {what}: {}", file.path, line.trim()))
        })
    });
    complaints.collect()
}

fn nothing(complaints: Vec<String>) {
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

#[test]
fn the_servers_side_names_no_family() {
    let files = in_folder("src/server");
    assert!(files.len() > 20);
    let families = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src/families")).unwrap();
    let families = families.map(|family| family.unwrap().file_name().into_string().unwrap());
    let families: Vec<String> = families.collect();
    assert!(families.len() >= 5);
    nothing(complaints(&files, |_, line| {
        let names = |family: &String| line.contains(&format!("keyns_core::{family}"));
        let is_named = line.contains("families::") || families.iter().any(names);
        // What a prefix and its hash tag are decides about slots.
        let is_key_name = line.contains("keyns_core::naming::key_name::");
        (is_named && !is_key_name).then_some("names a family")
    }));
}

#[test]
fn core_has_no_clock_and_touches_nothing() {
    let files = in_folder("crates/core/src");
    assert!(files.len() > 60);
    const OUTSIDE: [&str; 8] = [
        "std::time",
        "std::fs",
        "std::net",
        "std::env",
        "std::io",
        "std::process",
        "std::thread",
        "println!",
    ];
    nothing(complaints(&files, |_, line| {
        OUTSIDE.into_iter().find(|outside| line.contains(outside))
    }));
}

#[test]
fn unsafe_code_is_on_the_servers_side() {
    let files = sources();
    nothing(complaints(&files, |file, line| {
        let may = file.path.starts_with("src/server/") || file.path == "src/lib.rs";
        let is_unsafe = line.contains("unsafe ") && !line.contains("unsafe_");
        // What a command's entry is made of says it in the caller's file.
        (is_unsafe && !may).then_some("unsafe code")
    }));
}

#[test]
fn no_file_is_longer_than_400_lines() {
    let long = sources().into_iter().filter_map(|file| {
        let lines = file.lines().count();
        (lines > 400).then(|| format!("{}: {lines} lines", file.path))
    });
    nothing(long.collect());
}

#[test]
fn no_function_is_longer_than_60_lines() {
    let files = sources();
    let long = files.iter().flat_map(|file| {
        let functions = file.functions().into_iter();
        let long = functions.filter(|(_, _, lines)| *lines > 60);
        long.map(|(number, name, lines)| format!("{}:{number}: {name}: {lines} lines", file.path))
    });
    nothing(long.collect());
}

#[test]
fn a_long_function_is_found() {
    let body = "    work();\n".repeat(60);
    let file = Source::new(
        "a.rs",
        &format!("impl A {{\n    pub fn b() {{\n{body}    }}\n}}\n"),
    );
    assert_eq!(file.functions(), [(2, "b".to_owned(), 62)]);
}
