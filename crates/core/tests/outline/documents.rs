//! Documents that others wrote: the examples of CommonMark, and those of this repository.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The examples of the specification, which the parser has among its tests. A blank line in front
/// of each keeps `---` from being front matter.
pub fn commonmark_examples() -> Vec<String> {
    let path = parsers_folder().join("tests/suite/spec.rs");
    let tests = read(&path);
    let examples = tests.split("let original = r##\"").skip(1);
    examples
        .map(|rest| format!("\n{}", rest.split("\"##;").next().unwrap()))
        .collect()
}

/// Where cargo keeps the source of pulldown-cmark.
fn parsers_folder() -> PathBuf {
    let metadata = metadata(&["--offline"])
        .or_else(|| metadata(&[]))
        .expect("cargo metadata fails");
    let packages = metadata["packages"].as_array().unwrap();
    let parser = packages
        .iter()
        .find(|package| package["name"] == "pulldown-cmark")
        .unwrap();
    let manifest = Path::new(parser["manifest_path"].as_str().unwrap());
    manifest.parent().unwrap().to_owned()
}

fn metadata(options: &[&str]) -> Option<serde_json::Value> {
    let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1"])
        .args(options)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    output
        .status
        .success()
        .then(|| serde_json::from_slice(&output.stdout).unwrap())
}

/// The documents of this repository.
pub fn of_this_repository() -> Vec<String> {
    let mut documents = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    add_documents(&root, &mut documents);
    documents
}

fn add_documents(folder: &Path, documents: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            add_documents(&path, documents);
        } else if name.ends_with(".md") {
            documents.push(read(&path));
        }
    }
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
