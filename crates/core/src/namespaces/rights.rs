//! Which namespaces a caller may define.
//!
//! A namespace decides how long keys live, whoever writes them. So defining, changing or removing one
//! takes the right to write all keys that it can have: `app:<kind>:<n>` needs a rule that covers
//! `~app:*:*`, the rule that [`acl`](super::acl()) writes for it.

use super::acl::globs_of;
use super::definition::Namespace;
use super::pattern::MAX_PATTERN_BYTES;
use crate::namespaces::{Error, Result};
use crate::text::glob::Glob;

/// Longer rules are ignored: no pattern needs one, and each takes a hundred times its length.
const MAX_RULE_BYTES: usize = 4 * MAX_PATTERN_BYTES;

/// The keys that a caller may write.
#[derive(Clone, Debug)]
pub enum Rights {
    All,
    /// The keys that match one of these.
    Keys(Vec<Glob>),
}

/// The command, as ACL rules name it.
#[derive(Clone, Copy, Debug)]
pub struct Command<'a> {
    pub name: &'a str,
    /// Its categories, separated by spaces; none if the server has no categories for modules.
    pub categories: &'a str,
}

impl Rights {
    /// Reads the rules of a user in the server's notation. Only selectors that allow the command count:
    /// the others grant keys for something else.
    ///
    /// ```
    /// use keyns_core::namespaces::{Command, Rights};
    ///
    /// let command = Command { name: "keyns.ns.set", categories: "write admin" };
    /// let rights = Rights::of(b"on ~app:* %R~log:* -@all +@admin (~tmp:* -@all +get)", command);
    /// assert!(rights.cover("app:*:id"));
    /// assert!(!rights.cover("log:*"));
    /// assert!(!rights.cover("tmp:*"));
    /// ```
    pub fn of(rules: &[u8], command: Command) -> Rights {
        let selectors = selectors(rules, command).into_iter();
        let selectors = selectors.filter(|selector| selector.allows_command);
        let mut globs = Vec::new();
        for glob in selectors.flat_map(|selector| selector.writable) {
            if glob == "*" {
                return Rights::All;
            }
            if glob.len() <= MAX_RULE_BYTES {
                globs.push(Glob::new(glob.as_bytes()));
            }
        }
        Rights::Keys(globs)
    }

    pub fn none() -> Rights {
        Rights::Keys(Vec::new())
    }

    /// Whether all keys that match `plain`, in which only `*` has a meaning, may be written.
    pub fn cover(&self, plain: &str) -> bool {
        match self {
            Rights::All => true,
            Rights::Keys(globs) => globs.iter().any(|glob| glob.covers(plain.as_bytes())),
        }
    }

    /// An error unless the caller may put `after` in the place of `before`.
    pub fn check(&self, before: Option<&Namespace>, after: Option<&Namespace>) -> Result<()> {
        if matches!(self, Rights::All) || before == after {
            return Ok(());
        }
        for namespace in before.into_iter().chain(after) {
            let mut globs = globs_of(namespace.pattern()).into_iter();
            if let Some(glob) = globs.find(|glob| !self.cover(glob)) {
                return Err(Error::NotPermitted {
                    namespace: namespace.name().to_owned(),
                    glob,
                });
            }
        }
        Ok(())
    }
}

/// The user's own rules, or those of a selector.
#[derive(Default)]
struct Selector<'r> {
    /// The globs of keys that may be written.
    writable: Vec<&'r str>,
    allows_command: bool,
}

/// Rules contain no space, and the last rule of a selector is always about commands.
fn selectors<'r>(rules: &'r [u8], command: Command) -> Vec<Selector<'r>> {
    let mut own = Selector::default();
    let mut selectors = Vec::new();
    let mut open: Option<Selector> = None;
    for rule in rules.split(u8::is_ascii_whitespace) {
        let rule = match rule {
            [b'(', rule @ ..] => {
                open = Some(Selector::default());
                rule
            }
            rule => rule,
        };
        // Patterns are text, so a rule that is not text never covers all keys of one.
        let Ok(rule) = str::from_utf8(rule) else {
            continue;
        };
        let ends = open.is_some() && rule.starts_with(['+', '-']) && rule.ends_with(')');
        let rule = match ends {
            true => rule.trim_end_matches(')'),
            false => rule,
        };
        open.as_mut().unwrap_or(&mut own).add(rule, command);
        if ends {
            selectors.extend(open.take());
        }
    }
    selectors.extend(open);
    selectors.push(own);
    selectors
}

impl<'r> Selector<'r> {
    fn add(&mut self, rule: &'r str, command: Command) {
        if let Some(glob) = rule.strip_prefix('~') {
            self.writable.push(glob);
        } else if let Some((access, glob)) = rule
            .strip_prefix('%')
            .and_then(|limited| limited.split_once('~'))
        {
            if access.contains(['W', 'w']) {
                self.writable.push(glob);
            }
        } else if let Some((sign @ ('+' | '-'), rule)) = split_first(rule)
            && command.is_in(rule)
        {
            self.allows_command = sign == '+';
        }
    }
}

fn split_first(rule: &str) -> Option<(char, &str)> {
    let mut chars = rule.chars();
    Some((chars.next()?, chars.as_str()))
}

impl Command<'_> {
    /// Whether a rule names it or one of its categories.
    fn is_in(&self, rule: &str) -> bool {
        match rule.strip_prefix('@') {
            Some(category) => {
                let mut categories = self.categories.split(' ').chain(["all"]);
                categories.any(|own| own.eq_ignore_ascii_case(category))
            }
            // A rule may name the command with a certain first argument.
            None => {
                let name = rule.split('|').next().unwrap_or_default();
                self.name.eq_ignore_ascii_case(name)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMAND: Command = Command {
        name: "KEYNS.NS.SET",
        categories: "write slow keyns admin dangerous",
    };

    fn covers(rules: &str, glob: &str) -> bool {
        Rights::of(rules.as_bytes(), COMMAND).cover(glob)
    }

    #[test]
    fn a_rule_must_cover_all_keys_that_a_pattern_can_have() {
        for (rules, expected) in [
            ("~* +@all", true),
            ("~app:* +@all", true),
            ("~a* +@all", true),
            ("~app:*:* +@all", true),
            ("%W~app:* +@all", true),
            ("%RW~app:* +@all", true),
            ("on #0123 ~t:* ~app:* resetchannels -@all +@all", true),
            ("%R~app:* +@all", false),
            ("~app:*:x +@all", false),
            ("~app:cp:* +@all", false),
            ("~t:* +@all", false),
            ("&app:* +@all", false),
            ("resetkeys +@all", false),
            ("", false),
        ] {
            assert_eq!(covers(rules, "app:*:*"), expected, "{rules}");
        }
    }

    #[test]
    fn a_selector_counts_only_if_it_allows_the_command() {
        for (rules, expected) in [
            ("~t:* +@all (~app:* -@all +keyns.ns.set)", true),
            ("~t:* +@all (~app:* -@all +@admin)", true),
            ("~t:* +@all (%R~x ~app:* resetchannels -@all +@all)", true),
            ("~t:* +@all (~app:* -@all +get)", false),
            ("~t:* +@all (~app:* +@all -@dangerous)", false),
            ("~t:* +@all (~app:* +@all -keyns.ns.set)", false),
            ("~t:* +@all (~app:* +@read) (~x:* +@all)", false),
            ("~app:* -@all (~t:* +@all)", false),
            ("~(app:* +@all (~t:* -@all +get)", false),
            ("~app:* -@all +keyns.ns.set|user", true),
            ("~app:* -@all +get", false),
        ] {
            assert_eq!(covers(rules, "app:*:*"), expected, "{rules}");
        }
    }

    #[test]
    fn a_rule_that_is_no_text_covers_nothing_and_opens_its_selector_all_the_same() {
        let covers = |rules: &[u8], glob: &str| Rights::of(rules, COMMAND).cover(glob);
        assert!(!covers(b"~\xff* +@all", "\u{fffd}:*"));
        assert!(!covers(b"~t:* +@all (~\xff* ~app:* -@all +get)", "app:*"));
        assert!(covers(b"~\xff* ~app:* +@all", "app:*"));
    }

    #[test]
    fn categories_say_nothing_where_modules_are_in_none() {
        let command = Command {
            categories: "",
            ..COMMAND
        };
        let covers = |rules: &str| Rights::of(rules.as_bytes(), command).cover("app:*");
        assert!(covers("~app:* +@all -@dangerous -@admin"));
        assert!(!covers("~app:* +@all -keyns.ns.set (~t:* +@all)"));
    }
}
