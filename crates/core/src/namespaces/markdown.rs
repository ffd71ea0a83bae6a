//! The namespaces as a page that a team can keep.

use std::fmt::Write;

use super::definition::{Class, Namespace};
use super::registry::{Help, Registry};
use crate::key_type::KeyType;

const HEAD: &str = "\
| Name | Pattern | Type | TTL | Owner | Description | Example |
|---|---|---|---|---|---|---|
";
const HEAD_WITH_READERS: &str = "\
| Name | Pattern | Type | TTL | Owner | Readers | Description | Example |
|---|---|---|---|---|---|---|---|
";

/// A page with one table for each class in use.
pub fn markdown(registry: &Registry) -> String {
    let of = |class| registry.iter().filter(move |entry| entry.class() == class);
    let counts: Vec<String> = Class::ALL
        .into_iter()
        .map(|class| format!("{} {}", of(class).count(), class.keyword().to_lowercase()))
        .collect();
    let total = registry.len();
    let noun = if total == 1 {
        "namespace"
    } else {
        "namespaces"
    };
    let mut page = format!("# Keyspace\n\n{total} {noun}: {}.\n", counts.join(", "));
    let has_readers = registry.iter().any(|entry| !entry.readers().is_empty());
    let head = if has_readers { HEAD_WITH_READERS } else { HEAD };
    let mut help = Help::for_one_call();
    for class in Class::ALL {
        if of(class).next().is_none() {
            continue;
        }
        // Writing to a string cannot fail.
        let _ = write!(
            page,
            "\n## {}\n\n{}\n\n{head}",
            class.keyword(),
            meaning(class)
        );
        for namespace in of(class) {
            let example = registry.example(namespace, &mut help);
            row(namespace, has_readers, example, &mut page);
        }
    }
    page
}

fn meaning(class: Class) -> &'static str {
    match class {
        Class::Protected => "Keys without a TTL, which stay until somebody deletes them.",
        Class::Evictable => "Keys with a TTL that can be rebuilt.",
        Class::Temporary => "Keys with a TTL that are useful for a limited time.",
    }
}

fn row(namespace: &Namespace, has_readers: bool, example: Option<String>, page: &mut String) {
    let pattern = namespace.pattern();
    let mut cells = vec![
        code(namespace.name()),
        code(pattern.as_str()),
        namespace.key_type().map_or("", KeyType::name).to_owned(),
        namespace.ttl().map_or_else(|| "none".to_owned(), duration),
        escaped(namespace.owner().unwrap_or_default()),
    ];
    if has_readers {
        cells.push(escaped(&namespace.readers().join(", ")));
    }
    cells.push(escaped(namespace.description().unwrap_or_default()));
    cells.push(example.map_or_else(String::new, |key| code(&key)));
    let _ = writeln!(page, "| {} |", cells.join(" | "));
}

/// Names, patterns and examples contain no backtick; a `|` ends a cell even in code.
fn code(text: &str) -> String {
    format!("`{}`", text.replace('|', "\\|"))
}

/// Escapes everything that Markdown would format.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        if char.is_ascii_punctuation() && !".,;:-()/%'\"?=".contains(char) {
            escaped.push('\\');
        }
        escaped.push(char);
    }
    escaped
}

/// In the largest unit that needs no fraction, and in seconds.
fn duration(seconds: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(86_400, "d"), (3_600, "h"), (60, "min")];
    let unit = UNITS.iter().find(|(size, _)| seconds.is_multiple_of(*size));
    match unit {
        Some((size, unit)) => format!("{} {unit} ({seconds} s)", seconds / size),
        None => format!("{seconds} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_read_at_a_glance() {
        for (seconds, text) in [
            (1, "1 s"),
            (90, "90 s"),
            (1800, "30 min (1800 s)"),
            (3600, "1 h (3600 s)"),
            (604_800, "7 d (604800 s)"),
        ] {
            assert_eq!(duration(seconds), text);
        }
    }
}
