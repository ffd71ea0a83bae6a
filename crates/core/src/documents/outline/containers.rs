//! The limit on nested quotes and lists.
//!
//! For every line that lazily continues a paragraph, the parser visits all containers around it, so
//! nesting can make its work grow faster than the text. Only a marker opens a
//! container, and one from an earlier line stays open only behind a `>` of its own, behind two
//! columns of indentation, or around a paragraph that goes on: that bounds the depth from above,
//! without parsing.

use memchr::memchr2_iter;

use super::{Error, Result};

/// The most containers around one line.
pub const MAX_CONTAINERS: usize = 100;

/// The columns of indentation that keep a list item of an earlier line open.
const COLUMNS_PER_ITEM: usize = 2;
const COLUMNS_PER_TAB: usize = 4;

/// An error if a line may be in more containers than [`MAX_CONTAINERS`].
pub fn check(source: &str) -> Result<()> {
    check_limit(source, MAX_CONTAINERS)
}

/// The same, with a limit of up to [`MAX_CONTAINERS`].
pub fn check_limit(source: &str, limit: usize) -> Result<()> {
    let source = source.as_bytes();
    let mut depth = 0;
    let mut start = 0;
    let mut is_below_text = false;
    for end in memchr2_iter(b'\n', b'\r', source).chain([source.len()]) {
        let line = source.get(start..end).unwrap_or_default();
        if line.first().is_some_and(|&byte| can_be_front(byte)) {
            let front = Front::of(line);
            if front.markers > 0 {
                let held = front.columns / COLUMNS_PER_ITEM;
                let around = front.markers + held.min(depth);
                // A line below text may lazily continue it, and then closes nothing.
                depth = match is_below_text {
                    true => around.max(depth),
                    false => around,
                };
            }
            if depth > limit {
                return Err(Error::TooManyContainers {
                    line: line_number(source, start),
                    limit,
                });
            }
        }
        let is_inside_ending = source.get(start.wrapping_sub(1)..=end) == Some(b"\r\n");
        if !is_inside_ending {
            is_below_text = !line.iter().all(|&byte| is_blank(byte));
        }
        start = end + 1;
    }
    Ok(())
}

/// Whether a line that starts with this byte may have markers or indentation before its text.
fn can_be_front(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'>' | b'-' | b'*' | b'+' | b'0'..=b'9')
}

/// The number of the line that starts here, from 1 on.
fn line_number(source: &[u8], start: usize) -> usize {
    let before = source.get(..start).unwrap_or_default();
    let ends_of_lines = memchr2_iter(b'\n', b'\r', before);
    // The two bytes of one line ending count once.
    let is_end = |&at: &usize| source.get(at..at + 2) != Some(b"\r\n");
    ends_of_lines.filter(is_end).count() + 1
}

/// The markers and white space before the text of a line.
struct Front {
    /// Quotes and items that the line opens or continues.
    markers: usize,
    /// Columns of white space.
    columns: usize,
}

impl Front {
    fn of(line: &[u8]) -> Front {
        let mut front = Front {
            markers: 0,
            columns: 0,
        };
        let mut rest = line;
        let mut rule = None;
        // The exact number does not matter past the limit.
        while front.markers <= MAX_CONTAINERS {
            rest = match rest {
                [b' ', after @ ..] => {
                    front.columns += 1;
                    after
                }
                [b'\t', after @ ..] => {
                    front.columns += COLUMNS_PER_TAB;
                    after
                }
                [b'>', after @ ..] => {
                    front.markers += 1;
                    behind_marker(after)
                }
                [b'-' | b'*' | b'+', after @ ..] if ends_marker(after) => {
                    let rule = *rule.get_or_insert_with(|| rule_len(line));
                    if rest.len() <= rule {
                        break;
                    }
                    front.markers += 1;
                    behind_marker(after)
                }
                [b'0'..=b'9', ..] => {
                    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
                    match rest.get(digits..) {
                        Some([b'.' | b')', after @ ..]) if ends_marker(after) => {
                            front.markers += 1;
                            behind_marker(after)
                        }
                        _ => break,
                    }
                }
                _ => break,
            };
        }
        front
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// What follows a marker, of which the first space is a part.
fn behind_marker(after: &[u8]) -> &[u8] {
    after.strip_prefix(b" ").unwrap_or(after)
}

/// Whether a list marker ends here.
fn ends_marker(after: &[u8]) -> bool {
    after.first().is_none_or(|&byte| is_blank(byte))
}

/// How many bytes at the end of a line can only be a rule: `- - -`, `* * *`.
fn rule_len(line: &[u8]) -> usize {
    let mut dashes = line.iter().rev().filter(|&&b| !is_blank(b));
    let Some(&first @ (b'-' | b'*')) = dashes.next() else {
        return 0;
    };
    if dashes.take_while(|&&b| b == first).count() < 2 {
        return 0;
    }
    let in_rule = |&&b: &&u8| b == first || is_blank(b);
    line.iter().rev().take_while(in_rule).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_refused(source: &str) -> bool {
        check(source).is_err()
    }

    #[test]
    fn a_hundred_containers_are_allowed_and_no_more() {
        for marker in ["> ", ">", "- ", "1. ", "+ ", "* a 12) "] {
            let marker = marker.replace("a ", "");
            let markers = marker.matches(['>', '-', '.', '+', '*', ')']).count();
            let line = marker.repeat(100 / markers);
            assert!(!is_refused(&format!("{line}a\n{line}b")), "{marker}");
            assert!(is_refused(&format!("text\n{line}{marker}a\n")), "{marker}");
        }
    }

    #[test]
    fn the_error_names_the_line() {
        let source = format!("a\r\nb\n\n{}x", "> ".repeat(101));
        let error = check(&source).unwrap_err();
        assert_eq!(
            error.to_string(),
            "line 4 of the markdown may open more than 100 nested quotes and lists"
        );
    }

    #[test]
    fn items_nested_over_many_lines_count_too() {
        let ladder = |items: usize, indent: &str| -> String {
            (0..items)
                .map(|i| format!("{}- a\n", indent.repeat(i)))
                .collect()
        };
        assert!(!is_refused(&ladder(100, "  ")));
        assert!(is_refused(&ladder(102, "  ")));
        assert!(is_refused(&ladder(102, "\t")));
        let quoted: String = ladder(102, "  ")
            .lines()
            .map(|l| format!("> {l}\n"))
            .collect();
        assert!(is_refused(&quoted));
    }

    #[test]
    fn a_line_that_goes_on_with_a_paragraph_closes_no_item() {
        let items = "- ".repeat(60);
        for (lazy, indent) in [("> b", "> "), (">     - b", "> "), ("    > b", "")] {
            for ending in ["\n", "\r\n", "\r"] {
                let below = |between: &str| {
                    let deeper = " ".repeat(120);
                    [
                        &format!("{indent}{items}a"),
                        between,
                        &format!("{indent}{deeper}{items}c"),
                    ]
                    .join(ending)
                };
                assert!(is_refused(&below(lazy)), "{lazy:?}");
                assert!(
                    !is_refused(&below(&format!("{ending}{lazy}{ending}"))),
                    "{lazy:?}"
                );
            }
        }
    }

    #[test]
    fn what_only_looks_deep_is_allowed() {
        // A rule, a long flat list, and far indented text with a marker in it.
        assert!(!is_refused(&"- ".repeat(500)));
        assert!(!is_refused(&"* ".repeat(500)));
        assert!(!is_refused(&"- a\n  - b\n".repeat(500)));
        assert!(!is_refused(&format!("{}- x\n", " ".repeat(1000))));
        assert!(!is_refused(&"-".repeat(500)));
        assert!(!is_refused(&"1234567890 ".repeat(500)));
    }

    #[test]
    fn a_form_feed_makes_items_of_what_would_be_a_rule() {
        assert!(is_refused(&format!("{}\u{c}", "- ".repeat(101))));
        assert!(is_refused(&format!("{}\u{c}- - -", "* ".repeat(101))));
    }
}
