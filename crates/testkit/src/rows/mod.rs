//! The row of every command in the sweeps: calls that work, what has to be there for them, and
//! every key that they use. `tests/sweep` fails where a command has no row, or an option is in none.

mod coordination;
mod documents;
mod namespaces;
mod naming;
mod rate;
mod scoped;

pub use scoped::key_place;

const FAMILIES: &[&[Row]] = &[
    naming::ROWS,
    documents::ROWS,
    rate::ROWS,
    namespaces::ROWS,
    coordination::ROWS,
];

/// The rows of all families.
pub static ROWS: &[Row] = &{
    let mut rows = [FAMILIES[0][0]; COUNT];
    let (mut family, mut at) = (0, 0);
    while family < FAMILIES.len() {
        let mut index = 0;
        while index < FAMILIES[family].len() {
            rows[at] = FAMILIES[family][index];
            (at, index) = (at + 1, index + 1);
        }
        family += 1;
    }
    rows
};

const COUNT: usize = {
    let (mut count, mut family) = (0, 0);
    while family < FAMILIES.len() {
        count += FAMILIES[family].len();
        family += 1;
    }
    count
};

/// The rows of a command.
pub fn rows_of(command: &str) -> impl Iterator<Item = &'static Row> {
    ROWS.iter().filter(move |row| row.command() == command)
}

/// A call, made on a server where only what stands in `before` has been done.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub before: &'static [&'static str],
    pub line: &'static str,
    pub outcome: Outcome,
    /// Every key that the call uses, and how.
    pub keys: &'static [Used],
    /// Whether clock or chance are in what it replies or writes.
    pub varies: bool,
}

/// What a call leaves behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Writes,
    /// It only reads.
    Reads,
    /// It would write, and this time has a reason not to.
    Refuses,
}

/// A key that a call uses.
#[derive(Clone, Copy, Debug)]
pub struct Used {
    pub key: &'static str,
    pub needs: Needs,
    pub holds: Holds,
}

/// What a user must be allowed to do with a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    Read,
    Write,
    Both,
}

/// What a key has to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    Text,
    Hash,
    Set,
    SortedSet,
    /// Its value is not looked at.
    Anything,
    /// Nothing: the call steps over it.
    Nothing,
}

impl Holds {
    /// Whether a key may hold a value of this type, by the name that `TYPE` has for it.
    pub fn takes(self, kind: &str) -> bool {
        match self {
            Holds::Text => kind == "string",
            Holds::Hash => kind == "hash",
            Holds::Set => kind == "set",
            Holds::SortedSet => kind == "zset",
            Holds::Anything | Holds::Nothing => true,
        }
    }
}

impl Row {
    /// The words of a line, in which `~` stands for a space.
    pub fn words(line: &str) -> Vec<String> {
        let words = line.split(' ');
        words.map(|word| word.replace('~', " ")).collect()
    }

    pub fn call(&self) -> Vec<String> {
        Row::words(self.line)
    }

    pub fn command(&self) -> &'static str {
        self.line.split(' ').next().unwrap_or_default()
    }

    const fn varies(self) -> Row {
        Row {
            varies: true,
            ..self
        }
    }
}

const fn writes(before: &'static [&'static str], line: &'static str, keys: &'static [Used]) -> Row {
    Row {
        before,
        line,
        outcome: Outcome::Writes,
        keys,
        varies: false,
    }
}

const fn reads(before: &'static [&'static str], line: &'static str, keys: &'static [Used]) -> Row {
    Row {
        outcome: Outcome::Reads,
        ..writes(before, line, keys)
    }
}

const fn refuses(
    before: &'static [&'static str],
    line: &'static str,
    keys: &'static [Used],
) -> Row {
    Row {
        outcome: Outcome::Refuses,
        ..writes(before, line, keys)
    }
}

const fn used(key: &'static str, needs: Needs, holds: Holds) -> Used {
    Used { key, needs, holds }
}

const fn read(key: &'static str, holds: Holds) -> Used {
    used(key, Needs::Read, holds)
}

const fn write(key: &'static str, holds: Holds) -> Used {
    used(key, Needs::Write, holds)
}

const fn update(key: &'static str, holds: Holds) -> Used {
    used(key, Needs::Both, holds)
}

const DOC: Used = update("{acme}:doc", Holds::Anything);

const NS: &str = "KEYNS.NS.SET user PATTERN user:<id:int> TTL 60";

/// A name that is to be given: one that is taken is stepped over, whatever it is taken by.
const fn free(key: &'static str, _: Holds) -> Used {
    write(key, Holds::Nothing)
}
