//! Recognizes placeholders of other languages, and shows how to write them here.
//!
//! ```text
//! user:${userId}   user:%s   user:%(id)s   user:{{id}}   /user/:id   user::id
//!      <user_id>        <name>      <id>        <id>           <id>       <id>
//! user:$userId     user:%05d          user:#{id}    user:%{id}
//!      <user_id>        <name:number>      <id>          <id>
//! ```
//!
//! The parser refuses those with two braces or two colons. The others are valid literal text that nobody
//! means. `{id}` is a hash tag and stays one; [a hint](literal_tag) follows if such a pattern gets values.

use super::parse::mistake;
use super::placeholder;
use crate::namespaces::Result;
use crate::text::quoting::quoted;

/// Longer texts are not taken for names.
const MAX_NAME_LEN: usize = 32;

/// An error about the first placeholder of another language.
pub fn check(text: &str) -> Result<()> {
    let mut rest = text;
    let mut column = 1;
    let mut before = None;
    while let Some(char) = rest.chars().next() {
        if let Some((found, meant)) = foreign(rest).or_else(|| variable(rest, before?)) {
            // The slash of `/:id` is not part of it.
            let slash = usize::from(char == '/');
            return mistake(column + slash, not(&meant, found));
        }
        let behind = rest.get(char.len_utf8()..).unwrap_or_default();
        let next = match char {
            '<' => placeholder::split(behind, column + 1)?.map_or(behind, |(_, behind)| behind),
            _ => behind,
        };
        let passed = rest.len() - next.len();
        column += rest.get(..passed).map_or(1, |text| text.chars().count());
        before = Some(char);
        rest = next;
    }
    Ok(())
}

/// The hint if nothing in the pattern looks like a placeholder.
pub const PLAIN: &str = "a placeholder is written <name>";

/// The sentence about what to write instead of `found`.
pub fn not(meant: &str, found: &str) -> String {
    format!("a placeholder is written {meant}, not {}", quoted(found))
}

/// The placeholder of another language that a text starts with, and the one that is meant.
fn foreign(rest: &str) -> Option<(&str, String)> {
    let found = |behind: &str| rest.get(..rest.len() - behind.len());
    let braces = ["${", "#{", "%{"];
    let in_braces = braces.iter().find_map(|open| rest.strip_prefix(open));
    if let Some((name, behind)) = in_braces.and_then(|at| at.split_once('}')) {
        return Some((found(behind)?, meant(name)?));
    }
    if let Some((name, behind)) = rest.strip_prefix("%(").and_then(|at| at.split_once(')')) {
        let behind = behind.strip_prefix(['s', 'd', 'i'])?;
        return Some((found(behind)?, meant(name)?));
    }
    if let Some(behind) = rest.strip_prefix('%') {
        let padded = behind.strip_prefix('0').map(without_digits);
        let is_padded = padded.is_some();
        let behind = padded.unwrap_or(behind);
        let kind = behind.chars().next()?;
        let behind = behind.get(kind.len_utf8()..)?;
        let is_last = !behind.starts_with(|next: char| next.is_alphanumeric());
        let meant = match kind {
            's' | 'v' if !is_padded => "<name>",
            'd' | 'i' | 'u' if is_padded => "<name:number>",
            'd' | 'i' | 'u' => "<name:int>",
            'x' => "<name:hex>",
            _ => return None,
        };
        return is_last.then_some((found(behind)?, meant.to_owned()));
    }
    let named = rest.strip_prefix("/:")?;
    let name = named.split([':', '/', '[']).next()?;
    Some((rest.get(1..2 + name.len())?, meant(name)?))
}

fn without_digits(text: &str) -> &str {
    text.trim_start_matches(|c: char| c.is_ascii_digit())
}

/// The `$name` that a text starts with, and the placeholder that is meant. Not within a word (`sys$id`),
/// and not at the start of a pattern (`$sys:x`), where no placeholder may be.
fn variable(rest: &str, before: char) -> Option<(&str, String)> {
    let behind = rest.strip_prefix('$')?;
    let end = behind.find(|c: char| !c.is_alphanumeric() && c != '_');
    let name = end.map_or(Some(behind), |end| behind.get(..end))?;
    let starts_well = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if !starts_well || before.is_alphanumeric() {
        return None;
    }
    Some((rest.get(..1 + name.len())?, meant(name)?))
}

/// The sentence about a placeholder in double braces, given the text behind `{{`.
pub fn in_double_braces(behind: &str) -> Option<String> {
    let (name, _) = behind.split_once("}}")?;
    Some(not(&meant(name.trim())?, &format!("{{{{{name}}}}}")))
}

/// The sentence about a placeholder behind a second colon, given the text behind `::`.
pub fn behind_colons(behind: &str) -> Option<String> {
    let name = behind.split([':', '/', '[']).next()?;
    let hint = not(&meant(name)?, &format!(":{name}"));
    Some(format!("a segment is empty ({hint})"))
}

/// A hash tag that looks like a placeholder of another language, after the one that is meant.
pub fn literal_tag(text: &str) -> Option<(String, &str)> {
    let start = text.find('{')?;
    let (name, _) = text.get(start + 1..)?.split_once('}')?;
    Some((meant(name)?, text.get(start..start + name.len() + 2)?))
}

/// The placeholder for a name: `<user_id>` for `userId` and `user.id`.
fn meant(text: &str) -> Option<String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_.-$".contains(c);
    if text.is_empty() || text.len() > MAX_NAME_LEN || !text.chars().all(is_name) {
        return None;
    }
    let mut name = String::new();
    let mut was_lower = false;
    for char in text.chars() {
        let is_start = char.is_ascii_uppercase() && was_lower;
        if (is_start || !char.is_ascii_alphanumeric()) && !name.ends_with('_') {
            name.push('_');
        }
        was_lower = char.is_ascii_lowercase();
        if char.is_ascii_alphanumeric() {
            name.push(char.to_ascii_lowercase());
        }
    }
    let name = name.trim_matches('_');
    let starts_well = name.starts_with(|first: char| first.is_ascii_lowercase());
    Some(match starts_well && name.len() <= MAX_NAME_LEN {
        true => format!("<{name}>"),
        false => "<name>".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_of_other_languages_are_told_how_they_are_written_here() {
        for (pattern, place) in [
            ("user:${id}", "6: a placeholder is written <id>, not ${id}"),
            (
                "user:${userId}:x",
                "6: a placeholder is written <user_id>, not ${userId}",
            ),
            (
                "user:${user.id}",
                "6: a placeholder is written <user_id>, not ${user.id}",
            ),
            ("user:${1}", "6: a placeholder is written <name>, not ${1}"),
            ("\u{e4}:%s", "3: a placeholder is written <name>, not %s"),
            ("user:%s:x", "6: a placeholder is written <name>, not %s"),
            ("user:%d", "6: a placeholder is written <name:int>, not %d"),
            (
                "a:<x:/>%s</>:%x",
                "14: a placeholder is written <name:hex>, not %x",
            ),
            (
                "user:%(id)s",
                "6: a placeholder is written <id>, not %(id)s",
            ),
            ("user:#{id}", "6: a placeholder is written <id>, not #{id}"),
            ("user:%{id}", "6: a placeholder is written <id>, not %{id}"),
            ("user:$id", "6: a placeholder is written <id>, not $id"),
            (
                "user:$userId:x",
                "6: a placeholder is written <user_id>, not $userId",
            ),
            ("user:{$id}", "7: a placeholder is written <id>, not $id"),
            ("img-$w.png", "5: a placeholder is written <w>, not $w"),
            (
                "user:%05d",
                "6: a placeholder is written <name:number>, not %05d",
            ),
            (
                "user:%016x:y",
                "6: a placeholder is written <name:hex>, not %016x",
            ),
            ("/user/:id", "7: a placeholder is written <id>, not :id"),
            (
                "user/:ID[:<x>]",
                "6: a placeholder is written <id>, not :ID",
            ),
        ] {
            let error = check(pattern).unwrap_err().to_string();
            assert_eq!(error, format!("PATTERN at column {place}"), "{pattern}");
        }
    }

    #[test]
    fn literal_text_that_only_looks_alike_is_let_through() {
        for pattern in [
            "user:{id}",
            "user:{<tenant>}:x",
            "${<tenant>}",
            "price:$:{app}",
            "$sys:x",
            "sys$id:x",
            "price:$5",
            "price:us$",
            "a:$\u{e4}",
            "a:#1:{b}",
            "a:#:{b}",
            "a:%:{b}",
            "off:%05",
            "off:%05s",
            "off:%05days",
            "user:@id",
            "user:(id)",
            "user:{0}",
            "100%:x",
            "off:50%sale",
            "%",
            "a:%:b",
            "a:<x:/%s/>",
            "a:<x:/[\\/:id]/>",
            "user:id",
            "a/b:c",
            "a/:<x>",
        ] {
            assert_eq!(check(pattern), Ok(()), "{pattern}");
        }
    }
}
