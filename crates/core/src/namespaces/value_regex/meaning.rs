//! Parses regexes, and reports the place of every mistake.
//!
//! The meaning of a regex must not depend on how its crate was built. So syntax that needs Unicode tables
//! is an error, even if other crates link these tables in.

use regex_syntax::ast::parse::ParserBuilder;
use regex_syntax::ast::{self, Ast, Flag, Group, GroupKind, Visitor};
use regex_syntax::hir::Hir;
use regex_syntax::hir::translate::TranslatorBuilder;

use super::{MAX_NESTING, Mistake};

pub struct Meaning {
    pub tree: Hir,
    /// The same regex without capturing groups. Nobody reads what they capture, and the engine would build
    /// an automaton of up to a megabyte for them.
    pub plain: String,
}

pub fn of(text: &str) -> Result<Meaning, Mistake> {
    let mut parser = ParserBuilder::new().nest_limit(MAX_NESTING).build();
    let syntax = parser.parse(text).map_err(|error| Mistake {
        at: error.span().start.offset,
        reason: error.kind().to_string(),
    })?;
    let groups = ast::visit(&syntax, Groups::default())?;
    let mut translator = TranslatorBuilder::new().utf8(false).unicode(false).build();
    let tree = translator.translate(text, &syntax);
    let tree = tree.map_err(|error| Mistake {
        at: error.span().start.offset,
        reason: error.kind().to_string(),
    })?;
    let plain = without_captures(text, &groups);
    Ok(Meaning { tree, plain })
}

/// Where capturing groups begin and where their contents begin, from left to right.
type Heads = Vec<(usize, usize)>;

fn without_captures(text: &str, groups: &Heads) -> String {
    let mut plain = String::with_capacity(text.len() + 2 * groups.len());
    let mut end = 0;
    for (start, inside) in groups {
        plain += text.get(end..*start).unwrap_or_default();
        plain += "(?:";
        end = *inside;
    }
    plain + text.get(end..).unwrap_or_default()
}

/// Finds capturing groups. Refuses `(?u)`, and `(?x)`, which only helps with white space.
#[derive(Default)]
struct Groups(Heads);

impl Visitor for Groups {
    type Output = Heads;
    type Err = Mistake;

    fn finish(self) -> Result<Heads, Mistake> {
        Ok(self.0)
    }

    fn visit_pre(&mut self, syntax: &Ast) -> Result<(), Mistake> {
        let flags = match syntax {
            Ast::Flags(set) => Some(&set.flags),
            Ast::Group(group) => {
                self.0.extend(head(group));
                group.flags()
            }
            _ => None,
        };
        for (flag, name) in [(Flag::Unicode, 'u'), (Flag::IgnoreWhitespace, 'x')] {
            if flags.is_some_and(|flags| flags.flag_state(flag) == Some(true)) {
                return Err(Mistake {
                    at: syntax.span().start.offset,
                    reason: format!("the flag '{name}' is not supported"),
                });
            }
        }
        Ok(())
    }
}

fn head(group: &Group) -> Option<(usize, usize)> {
    let start = group.span.start.offset;
    match &group.kind {
        GroupKind::CaptureIndex(_) => Some((start, start + "(".len())),
        GroupKind::CaptureName { name, .. } => Some((start, name.span.end.offset + ">".len())),
        GroupKind::NonCapturing(_) => None,
    }
}
