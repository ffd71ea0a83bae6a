//! The pages for operators list every limit, and their links work.

use std::fs;
use std::path::Path;

use keyns::FAMILIES;
use keyns::server::config::Shape;

fn read(page: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    fs::read_to_string(root.join(page)).unwrap_or_else(|error| panic!("{page}: {error}"))
}

#[test]
fn the_table_of_limits_has_every_config_that_bounds_something() {
    let page = read("SECURITY.md");
    for config in FAMILIES.iter().flat_map(|family| family.configs) {
        if let Shape::Number { default, .. } = config.shape() {
            let name = config.name().to_str().unwrap();
            let row = format!("\n| `keyns.{name}` | {default} | ");
            assert!(page.contains(&row), "no row{row}");
        }
    }
}

/// The anchor of a heading.
fn anchor(heading: &str) -> String {
    let heading = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    heading
        .chars()
        .filter(kept)
        .collect::<String>()
        .replace(' ', "-")
}

fn anchors(page: &str) -> Vec<String> {
    let headings = page.lines().filter(|line| line.starts_with('#'));
    headings.map(anchor).collect()
}

/// The targets of the links on a page.
fn links(page: &str) -> impl Iterator<Item = &str> {
    let targets = page.split("](").skip(1);
    let targets = targets.filter_map(|rest| rest.split(')').next());
    targets.filter(|target| !target.starts_with("http"))
}

#[test]
fn links_lead_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut count = 0;
    let folders = [
        "docs",
        "docs/commands",
        "docs/guides",
        "docs/design",
        "docs/benchmarks",
    ];
    let mut pages = [
        "SECURITY.md",
        "README.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
    ]
    .map(String::from)
    .to_vec();
    pages.push("examples/README.md".into());
    for folder in folders {
        for entry in fs::read_dir(root.join(folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if name.ends_with(".md") {
                pages.push(format!("{folder}/{name}"));
            }
        }
    }
    for page in &pages {
        let text = read(page);
        for link in links(&text) {
            count += 1;
            let (path, place) = link.split_once('#').unwrap_or((link, ""));
            let target = match path {
                "" => root.join(page),
                path => root.join(page).with_file_name("").join(path),
            };
            assert!(target.exists(), "{page}: {link}");
            if !place.is_empty() {
                let target = fs::read_to_string(&target).unwrap();
                let is_there = anchors(&target).iter().any(|anchor| anchor == place);
                assert!(is_there, "{page}: {link}");
            }
        }
    }
    assert!(count > 100, "only {count} links were found");
}
