//! What a command is: the one statement from which `COMMAND INFO`, `COMMAND DOCS`,
//! `COMMAND GETKEYS` and the check of the documentation come.

use std::ffi::{CStr, c_int};

use keyns_core::argument::Keyword;

use super::{Call, Family, RedisModuleCtx, RedisModuleString, Result};

/// A command and the function behind it.
pub struct Command {
    pub spec: Spec,
    /// Checks, then writes, then replies; an error comes before anything is written or replied.
    pub run: fn(&Call) -> Result<()>,
    /// What the server calls.
    pub entry:
        unsafe extern "C" fn(*mut RedisModuleCtx, *mut *mut RedisModuleString, c_int) -> c_int,
}

/// The statement about a command.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    pub name: &'static CStr,
    pub family: &'static Family,
    pub summary: &'static CStr,
    pub complexity: &'static CStr,
    /// The module's version that had it first.
    pub since: &'static CStr,
    /// As `RedisModule_CreateCommand` takes them.
    pub flags: &'static CStr,
    /// As `RedisModule_SetCommandACLCategories` takes them, besides what the flags imply.
    pub acl_categories: &'static CStr,
    /// With the command's name; negative for at least so many.
    pub arity: c_int,
    pub keys: Option<Keys>,
    /// Those in their places, and the options of each list, which several commands may share.
    pub arguments: &'static [List],
    /// In words, for the documentation.
    pub reply: &'static str,
}

/// Which arguments are keys, and what happens to them.
#[derive(Clone, Copy, Debug)]
pub struct Keys {
    /// The index of the first one.
    pub first: c_int,
    pub which: Which,
    pub access: KeyAccess,
}

#[derive(Clone, Copy, Debug)]
pub enum Which {
    One,
    AllThatFollow,
    /// As many as the argument in front of the first key says.
    Counted,
}

#[derive(Clone, Copy, Debug)]
pub enum KeyAccess {
    Read,
    ReadAndUpdate,
}

/// An argument, as `COMMAND DOCS` describes it.
#[derive(Clone, Copy, Debug)]
pub struct Argument {
    /// In any case; it is described in lower case.
    pub(super) name: &'static str,
    pub kind: Kind,
    /// The keyword in front of it, or the keyword that it is.
    pub token: Option<&'static str>,
    pub optional: bool,
    pub multiple: bool,
    /// Whether each of several has the keyword in front of it.
    pub multiple_token: bool,
}

#[derive(Clone, Copy, Debug)]
pub enum Kind {
    Text,
    Integer,
    /// The key that [`Spec::keys`] is about.
    Key,
    /// A keyword alone.
    Token,
    OneOf(List),
    /// Some that stand together.
    Block(List),
}

/// Some arguments, written down or made from what reads them.
#[derive(Clone, Copy, Debug)]
pub enum List {
    Of(&'static [Argument]),
    /// The one of an index.
    Made(fn(usize) -> Option<Argument>),
}

impl List {
    /// Words, one of which is to be given.
    pub const fn words<T: Keyword>() -> List {
        List::Made(|index| T::WORDS.get(index).map(|(word, _)| Argument::word(word)))
    }

    pub fn iter(self) -> impl Iterator<Item = Argument> {
        (0..).map_while(move |index| match self {
            List::Of(arguments) => arguments.get(index).copied(),
            List::Made(nth) => nth(index),
        })
    }
}

impl Argument {
    const fn new(name: &'static str, kind: Kind) -> Argument {
        Argument {
            name,
            kind,
            token: None,
            optional: false,
            multiple: false,
            multiple_token: false,
        }
    }

    /// `[TOKEN ...]`, with the keyword for its name.
    const fn tagged(token: &'static str, kind: Kind) -> Argument {
        Argument {
            token: Some(token),
            optional: true,
            ..Argument::new(token, kind)
        }
    }

    pub const fn text(name: &'static str) -> Argument {
        Argument::new(name, Kind::Text)
    }

    pub const fn texts(name: &'static str) -> Argument {
        Argument {
            multiple: true,
            ..Argument::text(name)
        }
    }

    pub const fn key(name: &'static str) -> Argument {
        Argument::new(name, Kind::Key)
    }

    pub const fn keys(name: &'static str) -> Argument {
        Argument {
            multiple: true,
            ..Argument::key(name)
        }
    }

    /// `number`
    pub const fn number(name: &'static str) -> Argument {
        Argument::new(name, Kind::Integer)
    }

    /// `A|B`
    pub const fn one_of<T: Keyword>(name: &'static str) -> Argument {
        Argument::new(name, Kind::OneOf(List::words::<T>()))
    }

    /// `<A a | B b>`: one of these options.
    pub const fn alternatives(name: &'static str, options: List) -> Argument {
        Argument::new(name, Kind::OneOf(options))
    }

    /// `<A ... | B ...> [name ...]`
    pub const fn some_of(name: &'static str, blocks: List) -> Argument {
        Argument {
            multiple: true,
            ..Argument::new(name, Kind::OneOf(blocks))
        }
    }

    /// `[TOKEN]`
    pub const fn flag(token: &'static str) -> Argument {
        Argument::tagged(token, Kind::Token)
    }

    /// `[TOKEN text]`
    pub const fn option(token: &'static str) -> Argument {
        Argument::tagged(token, Kind::Text)
    }

    /// `[TOKEN n]`
    pub const fn integer(token: &'static str) -> Argument {
        Argument::tagged(token, Kind::Integer)
    }

    /// `[TOKEN A|B]`
    pub const fn choice<T: Keyword>(token: &'static str) -> Argument {
        Argument::tagged(token, Kind::OneOf(List::words::<T>()))
    }

    /// `[TOKEN a|B]`, where not all are words.
    pub const fn either(token: &'static str, arguments: &'static [Argument]) -> Argument {
        Argument::tagged(token, Kind::OneOf(List::Of(arguments)))
    }

    /// `TOKEN a b c`
    pub const fn block(token: &'static str, arguments: &'static [Argument]) -> Argument {
        Argument::tagged(token, Kind::Block(List::Of(arguments))).required()
    }

    /// A word that is to be given as it is.
    pub const fn word(token: &'static str) -> Argument {
        Argument::tagged(token, Kind::Token).required()
    }

    /// `TOKEN A|B [TOKEN A|B ...]`
    pub const fn repeated(self) -> Argument {
        Argument {
            multiple: true,
            multiple_token: true,
            ..self
        }
    }

    /// The same, in brackets.
    pub const fn optional(self) -> Argument {
        Argument {
            optional: true,
            ..self
        }
    }

    /// The same, without brackets.
    pub const fn required(self) -> Argument {
        Argument {
            optional: false,
            ..self
        }
    }

    pub fn name(&self) -> String {
        self.name.to_ascii_lowercase()
    }

    /// Whether a keyword and a value are given for it.
    fn is_tagged_value(&self) -> bool {
        self.token.is_some() && !matches!(self.kind, Kind::Token)
    }

    /// Whether a word is its keyword.
    pub fn is(&self, word: &[u8]) -> bool {
        let token = self.token.map(str::as_bytes);
        token.is_some_and(|token| token.eq_ignore_ascii_case(word))
    }
}

impl Spec {
    /// All arguments, in the order in which they are described.
    pub fn arguments(&self) -> impl Iterator<Item = Argument> {
        self.arguments.iter().flat_map(|list| list.iter())
    }

    /// The line a person reads: `KEYNS.NEXTID prefix [COUNT n]`.
    pub fn syntax(&self) -> String {
        let mut line = self.name.to_string_lossy().into_owned();
        for argument in self.arguments() {
            line.push(' ');
            line.push_str(&argument.syntax());
        }
        line
    }
}

impl Argument {
    fn syntax(&self) -> String {
        let name = self.name();
        let value = match self.kind {
            Kind::Token => String::new(),
            Kind::OneOf(blocks) if self.multiple && !self.multiple_token => {
                format!("<{}> [{name} ...]", list(blocks, " | "))
            }
            Kind::OneOf(options) if options.iter().any(|option| option.is_tagged_value()) => {
                format!("<{}>", list(options, " | "))
            }
            Kind::OneOf(words) => list(words, "|"),
            Kind::Block(arguments) => list(arguments, " "),
            _ if self.multiple => format!("{name} [{name} ...]"),
            _ => name,
        };
        let token = self.token.unwrap_or_default();
        let space = if token.is_empty() || value.is_empty() {
            ""
        } else {
            " "
        };
        let line = format!("{token}{space}{value}");
        match (self.optional, self.multiple_token) {
            (true, true) => format!("[{line} ...]"),
            (true, false) => format!("[{line}]"),
            (false, true) => format!("{line} [{line} ...]"),
            (false, false) => line,
        }
    }
}

fn list(arguments: List, between: &str) -> String {
    let arguments: Vec<String> = arguments.iter().map(|each| each.syntax()).collect();
    arguments.join(between)
}

/// A [`Command`] with an entry of its own, so that the server's pointer leads to it without a
/// look-up.
#[macro_export]
macro_rules! command {
    ($spec:expr, $run:expr) => {{
        unsafe extern "C" fn entry(
            ctx: *mut $crate::server::RedisModuleCtx,
            argv: *mut *mut $crate::server::RedisModuleString,
            argc: std::ffi::c_int,
        ) -> std::ffi::c_int {
            // SAFETY: these are the server's own.
            unsafe { $crate::server::enter(ctx, argv, argc, &COMMAND) }
        }
        static COMMAND: $crate::server::spec::Command = $crate::server::spec::Command {
            spec: $spec,
            run: $run,
            entry,
        };
        &COMMAND
    }};
}
