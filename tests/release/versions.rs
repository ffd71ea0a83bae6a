//! The version stands in Cargo.toml. Wherever else one is named, it fits.

use keyns::FAMILIES;

use crate::repository::{printed, read};

const VERSION: &str = env!("CARGO_PKG_VERSION");

fn parts(version: &str) -> Vec<u32> {
    let parts = version.split('.').map(str::parse);
    parts
        .collect::<Result<_, _>>()
        .unwrap_or_else(|_| panic!("{version}"))
}

/// The versions that have a section in CHANGELOG.md, released or to be released.
fn sections() -> Vec<String> {
    let changelog = read("CHANGELOG.md");
    let headings = changelog
        .lines()
        .filter_map(|line| line.strip_prefix("## ["));
    let versions = headings.filter_map(|heading| match heading.split_once(']')? {
        ("Unreleased", version) => Some(version.trim().to_owned()),
        (version, date) => date.starts_with(" - ").then(|| version.to_owned()),
    });
    versions.filter(|version| !version.is_empty()).collect()
}

#[test]
fn scripts_know_the_version_of_cargo_toml() {
    assert_eq!(printed("scripts/version", &[]), format!("{VERSION}\n"));
}

#[test]
fn the_changelog_has_a_section_for_the_version_and_begins_with_it() {
    assert_eq!(sections().first().map(String::as_str), Some(VERSION));
}

#[test]
fn the_slug_table_of_the_version_is_in_its_section() {
    let changelog = read("CHANGELOG.md");
    let section = changelog.split("\n## ").nth(1).unwrap();
    let line = format!("Slug table `{}`.", keyns_core::naming::slug::TABLE_VERSION);
    assert!(section.contains(&line), "no line {line}");
}

#[test]
fn commands_are_there_since_a_version_that_the_changelog_has() {
    let sections = sections();
    for command in FAMILIES.iter().flat_map(|family| family.commands) {
        let since = command.spec.since.to_str().unwrap();
        let is_listed = sections.iter().any(|version| version == since);
        assert!(is_listed, "{:?} since {since}", command.spec.name);
        assert!(parts(since) <= parts(VERSION), "{:?}", command.spec.name);
    }
}

/// Cargo would change them with the next build, or refuse to where they are locked.
#[test]
fn lock_files_have_the_version() {
    let entry = format!("\nname = \"keyns-core\"\nversion = \"{VERSION}\"\n");
    for file in ["Cargo.lock", "fuzz/Cargo.lock"] {
        assert!(
            read(file).contains(&entry),
            "{file}: run `cargo update --workspace` there"
        );
    }
}

#[test]
fn the_page_on_security_names_the_version_that_gets_fixes() {
    let (line, _) = VERSION.rsplit_once('.').unwrap();
    let row = format!("\n| {line}, the latest | yes |\n");
    assert!(read("SECURITY.md").contains(&row), "no row{row}");
}

/// Where the number in the documentation is what a server said: `doc_examples` compares the rest.
#[test]
fn pages_show_no_other_version_of_the_module() {
    for page in ["README.md", "docs/operations.md", "docs/upgrading.md"] {
        let text = read(page);
        for part in text.split("keyns_version:").skip(1) {
            let shown = part.lines().next().unwrap_or_default();
            if shown.starts_with(|c: char| c.is_ascii_digit()) {
                assert_eq!(shown, VERSION, "{page}");
            }
        }
        for part in text.split("keyns-").skip(1) {
            if let Some((shown, _)) = part.split_once("-linux-")
                && shown.starts_with(|c: char| c.is_ascii_digit())
            {
                assert_eq!(shown, VERSION, "{page}");
            }
        }
    }
}
