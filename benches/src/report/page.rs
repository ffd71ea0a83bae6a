//! The pages with the results, docs/benchmarks.md and what is behind it in docs/benchmarks: people
//! write the text, benchmarks their tables.
//!
//! A table stands between two comments, `<!-- bench: name -->` and `<!-- end: name -->`, on one of the
//! pages.

use std::fs;
use std::path::PathBuf;

use keyns_testkit::repository;

/// Where the documentation is.
pub fn docs() -> PathBuf {
    repository().join("docs")
}

/// The first page, and all behind it.
pub fn pages() -> Vec<PathBuf> {
    let behind = fs::read_dir(docs().join("benchmarks")).expect("docs/benchmarks");
    let behind = behind.map(|file| file.expect("a page").path());
    let mut pages: Vec<PathBuf> = behind.collect();
    pages.sort();
    pages.insert(0, docs().join("benchmarks.md"));
    pages
}

/// Puts Markdown into its place, instead of what an earlier run put there.
pub fn put(name: &str, markdown: &str) {
    let replaced = pages().into_iter().find_map(|path| {
        let page = fs::read_to_string(&path).expect("a page can be read");
        Some((path, replaced(&page, name, markdown)?))
    });
    let (path, page) = replaced.unwrap_or_else(|| panic!("no page has a place for {name}"));
    fs::write(path, page).expect("a page can be written");
}

/// The page with other Markdown in one of its places, `None` if it has no such place.
pub fn replaced(page: &str, name: &str, markdown: &str) -> Option<String> {
    let (start, end) = (
        format!("<!-- bench: {name} -->\n"),
        format!("<!-- end: {name} -->\n"),
    );
    let (before, rest) = page.split_once(&start)?;
    let (_, after) = rest.split_once(&end)?;
    Some(format!(
        "{before}{start}\n{}\n\n{end}{after}",
        markdown.trim()
    ))
}
