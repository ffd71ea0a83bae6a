//! The page with the results, docs/benchmarks.md: people write its text, benchmarks their tables.
//!
//! A table stands between two comments, `<!-- bench: name -->` and `<!-- end: name -->`.

use std::fs;
use std::path::PathBuf;

use keyns_testkit::repository;

/// Where the documentation is.
pub fn docs() -> PathBuf {
    repository().join("docs")
}

/// Puts Markdown into its place on the page, instead of what an earlier run put there.
pub fn put(name: &str, markdown: &str) {
    let path = docs().join("benchmarks.md");
    let page = fs::read_to_string(&path).expect("docs/benchmarks.md can be read");
    let page = replaced(&page, name, markdown);
    fs::write(&path, page).expect("docs/benchmarks.md can be written");
}

/// The page with other Markdown in one of its places.
pub fn replaced(page: &str, name: &str, markdown: &str) -> String {
    let (start, end) = (
        format!("<!-- bench: {name} -->\n"),
        format!("<!-- end: {name} -->\n"),
    );
    let missing = |mark: &str| panic!("docs/benchmarks.md has no line {mark}");
    let (before, rest) = page
        .split_once(&start)
        .unwrap_or_else(|| missing(start.trim_end()));
    let (_, after) = rest
        .split_once(&end)
        .unwrap_or_else(|| missing(end.trim_end()));
    format!("{before}{start}\n{}\n\n{end}{after}", markdown.trim())
}
