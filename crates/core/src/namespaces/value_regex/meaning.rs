//! Text to meaning, with a place for every mistake.
//!
//! What a regex means must not depend on how its crate was built. So what needs tables of Unicode is
//! refused here, even where other crates have brought them along.

use regex_syntax::ast::parse::ParserBuilder;
use regex_syntax::ast::{self, Ast, Flag, Visitor};
use regex_syntax::hir::Hir;
use regex_syntax::hir::translate::TranslatorBuilder;

use super::{MAX_NESTING, Mistake};

pub fn of(text: &str) -> Result<Hir, Mistake> {
    let mut parser = ParserBuilder::new().nest_limit(MAX_NESTING).build();
    let tree = parser.parse(text).map_err(|error| Mistake {
        at: error.span().start.offset,
        reason: error.kind().to_string(),
    })?;
    ast::visit(&tree, Flags)?;
    let mut translator = TranslatorBuilder::new().utf8(false).unicode(false).build();
    translator.translate(text, &tree).map_err(|error| Mistake {
        at: error.span().start.offset,
        reason: error.kind().to_string(),
    })
}

/// Refuses `(?u)`, and `(?x)`, which is of use with white space only.
struct Flags;

impl Visitor for Flags {
    type Output = ();
    type Err = Mistake;

    fn finish(self) -> Result<(), Mistake> {
        Ok(())
    }

    fn visit_pre(&mut self, tree: &Ast) -> Result<(), Mistake> {
        let flags = match tree {
            Ast::Flags(set) => Some(&set.flags),
            Ast::Group(group) => group.flags(),
            _ => None,
        };
        for (flag, name) in [(Flag::Unicode, 'u'), (Flag::IgnoreWhitespace, 'x')] {
            if flags.is_some_and(|flags| flags.flag_state(flag) == Some(true)) {
                return Err(Mistake {
                    at: tree.span().start.offset,
                    reason: format!("the flag '{name}' is not supported"),
                });
            }
        }
        Ok(())
    }
}
