//! What a command is: the one statement from which `COMMAND INFO`, `COMMAND DOCS`,
//! `COMMAND GETKEYS` and the check of the documentation come.

use std::ffi::{CStr, c_int};

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
    /// In groups, some of which several commands share.
    pub arguments: &'static [&'static [Argument]],
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
}

#[derive(Clone, Copy, Debug)]
pub enum KeyAccess {
    Read,
    ReadAndUpdate,
}

/// An argument, as `COMMAND DOCS` describes it.
#[derive(Clone, Copy, Debug)]
pub struct Argument {
    pub name: &'static CStr,
    pub kind: Kind,
    /// The keyword in front of it, or the keyword that it is.
    pub token: Option<&'static CStr>,
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
    OneOf(&'static [Argument]),
    /// Some that stand together.
    Block(&'static [Argument]),
}

impl Argument {
    const fn new(name: &'static CStr, kind: Kind) -> Argument {
        Argument {
            name,
            kind,
            token: None,
            optional: false,
            multiple: false,
            multiple_token: false,
        }
    }

    pub const fn text(name: &'static CStr) -> Argument {
        Argument::new(name, Kind::Text)
    }

    pub const fn texts(name: &'static CStr) -> Argument {
        Argument {
            multiple: true,
            ..Argument::text(name)
        }
    }

    pub const fn key(name: &'static CStr) -> Argument {
        Argument::new(name, Kind::Key)
    }

    pub const fn keys(name: &'static CStr) -> Argument {
        Argument {
            multiple: true,
            ..Argument::key(name)
        }
    }

    /// `[TOKEN]`
    pub const fn flag(name: &'static CStr, token: &'static CStr) -> Argument {
        Argument {
            token: Some(token),
            optional: true,
            ..Argument::new(name, Kind::Token)
        }
    }

    /// `[TOKEN n]`
    pub const fn integer(name: &'static CStr, token: &'static CStr) -> Argument {
        Argument {
            token: Some(token),
            optional: true,
            ..Argument::new(name, Kind::Integer)
        }
    }

    /// `number`
    pub const fn number(name: &'static CStr) -> Argument {
        Argument::new(name, Kind::Integer)
    }

    /// `TOKEN a b c`
    pub const fn block(
        name: &'static CStr,
        token: &'static CStr,
        arguments: &'static [Argument],
    ) -> Argument {
        Argument {
            token: Some(token),
            ..Argument::new(name, Kind::Block(arguments))
        }
    }

    /// `<A ... | B ...> [name ...]`
    pub const fn some_of(name: &'static CStr, blocks: &'static [Argument]) -> Argument {
        Argument {
            multiple: true,
            ..Argument::new(name, Kind::OneOf(blocks))
        }
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

    /// `[TOKEN text]`
    pub const fn option(name: &'static CStr, token: &'static CStr) -> Argument {
        Argument {
            token: Some(token),
            optional: true,
            ..Argument::new(name, Kind::Text)
        }
    }

    /// `A|B`
    pub const fn one_of(name: &'static CStr, words: &'static [Argument]) -> Argument {
        Argument::new(name, Kind::OneOf(words))
    }

    /// `[TOKEN A|B]`
    pub const fn choice(
        name: &'static CStr,
        token: &'static CStr,
        words: &'static [Argument],
    ) -> Argument {
        Argument {
            token: Some(token),
            optional: true,
            ..Argument::new(name, Kind::OneOf(words))
        }
    }

    /// One of the words of a [`choice`](Argument::choice).
    pub const fn word(name: &'static CStr, token: &'static CStr) -> Argument {
        Argument {
            token: Some(token),
            ..Argument::new(name, Kind::Token)
        }
    }
}

impl Spec {
    /// The line a person reads: `KEYNS.NEXTID prefix [COUNT n]`.
    pub fn syntax(&self) -> String {
        let mut line = text(self.name);
        for argument in self.arguments.iter().copied().flatten() {
            line.push(' ');
            line.push_str(&argument.syntax());
        }
        line
    }
}

impl Argument {
    fn syntax(&self) -> String {
        let name = text(self.name);
        let value = match self.kind {
            Kind::Token => String::new(),
            Kind::OneOf(blocks) if self.multiple && !self.multiple_token => {
                format!("<{}> [{name} ...]", list(blocks, " | "))
            }
            Kind::OneOf(words) => list(words, "|"),
            Kind::Block(arguments) => list(arguments, " "),
            _ if self.multiple => format!("{name} [{name} ...]"),
            _ => name,
        };
        let token = self.token.map(text).unwrap_or_default();
        let space = if token.is_empty() || value.is_empty() {
            ""
        } else {
            " "
        };
        let line = format!("{token}{space}{value}");
        match (self.optional, self.multiple_token) {
            (true, _) => format!("[{line}]"),
            (false, true) => format!("{line} [{line} ...]"),
            (false, false) => line,
        }
    }
}

fn list(arguments: &[Argument], between: &str) -> String {
    let arguments: Vec<String> = arguments.iter().map(Argument::syntax).collect();
    arguments.join(between)
}

fn text(text: &CStr) -> String {
    text.to_string_lossy().into_owned()
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
