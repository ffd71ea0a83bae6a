//! The notes of a release are its section of the changelog.

use std::fs;
use std::path::PathBuf;

use crate::repository::{path, printed, refusal};

const CHANGELOG: &str = "# Changelog

## [Unreleased] 0.3.0

- Coming.

## [0.2.0] - 2026-03-01

Slug table `2`.

### Added

- New.


## [0.2.0-rc1] - 2026-02-01

- Nearly.

## [0.1.1] - 2026-01-02

## [0.1.0] - 2026-01-01

- First.

[0.1.0]: https://example.com/v0.1.0
";

/// A changelog of its own for each test.
struct Changelog(PathBuf);

impl Changelog {
    fn write(test: &str) -> Changelog {
        let name = format!("keyns-changelog-{}-{test}.md", std::process::id());
        let file = std::env::temp_dir().join(name);
        fs::write(&file, CHANGELOG).unwrap();
        Changelog(file)
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for Changelog {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

#[test]
fn they_are_what_stands_between_two_headings() {
    let changelog = Changelog::write("between");
    let notes = |version| printed("scripts/release-notes", &[version, changelog.path()]);
    assert_eq!(notes("0.2.0"), "Slug table `2`.\n\n### Added\n\n- New.\n");
    assert_eq!(notes("0.2.0-rc1"), "- Nearly.\n");
    assert_eq!(notes("0.1.0"), "- First.\n");
}

#[test]
fn there_are_none_without_a_section_a_date_or_a_text() {
    let changelog = Changelog::write("none");
    let refused = |version| refusal("scripts/release-notes", &[version, changelog.path()]);
    let missing = "release-notes: CHANGELOG.md has no section \"## [0.3.0] - DATE\".\n";
    assert_eq!(refused("0.3.0"), missing);
    assert!(refused("0.2").contains("no section"));
    assert!(refused("0.2.0]").contains("no section"));
    assert!(refused("0.1.1").contains("is empty"));
}

#[test]
fn a_tag_that_is_not_the_version_is_no_release() {
    let version = env!("CARGO_PKG_VERSION");
    for tag in [version.to_owned(), format!("v{version}.1"), "v".into()] {
        let said = refusal("scripts/release-check", &[&tag]);
        assert!(said.contains(&format!("must be 'v{version}'")), "{said}");
    }
}

/// Until somebody has given the section its date, and then it has notes.
#[test]
fn the_tag_of_this_version_is_one_if_the_changelog_says_when() {
    let version = env!("CARGO_PKG_VERSION");
    let tag = format!("v{version}");
    let changelog = fs::read_to_string(path("CHANGELOG.md")).unwrap();
    match changelog.contains(&format!("\n## [{version}] - ")) {
        true => assert!(printed("scripts/release-check", &[&tag]).contains("Slug table")),
        false => assert!(refusal("scripts/release-check", &[&tag]).contains("no section")),
    }
}
