//! The row of every command in the sweeps: calls that work, what has to be there for them, and
//! every key that they use. `tests/sweep` fails where a command has no row, or an option is in none.

use Holds::{Anything, Hash, Nothing, Set, SortedSet, String as Text};

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
    String,
    Hash,
    Set,
    SortedSet,
    /// Its value is not looked at.
    Anything,
    /// Nothing: the call steps over it.
    Nothing,
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

const DOC: Used = update("{acme}:doc", Anything);

const GUIDE: &str = "KEYNS.INGESTMD {acme}:doc #~Risk\n\nMeasure. TITLE Guide";
/// Has all documents be read by a thread of their own, where a client may wait for it.
const IN_BACKGROUND: &str = "CONFIG SET keyns.parse-thread-bytes 0";
const NS: &str = "KEYNS.NS.SET user PATTERN user:<id:int> TTL 60";
const TAKEN: &str = "KEYNS.RATE {acme}:r SLIDING 1 1h";
const LOCKED: &str = "KEYNS.LOCK {acme}:lock ada PX 600000";

/// A name that is to be given: one that is taken is stepped over, whatever it is taken by.
const fn free(key: &'static str, _: Holds) -> Used {
    write(key, Nothing)
}

/// The keys of the document that [`GUIDE`] makes, with what a call does to the document's own, to
/// what hangs on it, to the hashes of its parts, and to what hangs on its section and its chunk.
macro_rules! guide_keys {
    (
        $($first:expr),*;
        doc $doc:expr, children $children:expr, below $below:expr,
        parts $parts:expr, section $section:expr, chunk $chunk:expr
    ) => {
        &[
            $($first,)*
            $doc("{acme}:doc:guide:001", Hash),
            $children("{acme}:doc:guide:001:children", Set),
            $below("{acme}:doc:guide:001:all_descendants", Set),
            $below("{acme}:doc:guide:001:sequence", SortedSet),
            $parts("{acme}:ch:risk:001", Hash),
            $section("{acme}:ch:risk:001:children", Set),
            $section("{acme}:ch:risk:001:all_descendants", Set),
            $section("{acme}:ch:risk:001:sequence", SortedSet),
            $section("{acme}:ch:risk:001:next", Text),
            $section("{acme}:ch:risk:001:previous", Text),
            $parts("{acme}:chunk:measure:001", Hash),
            $chunk("{acme}:chunk:measure:001:next", Text),
            $chunk("{acme}:chunk:measure:001:previous", Text),
            write("{acme}:level:doc:chunks", Set),
            write("{acme}:level:ch:chunks", Set),
            write("{acme}:level:chunk:chunks", Set),
        ]
    };
}

const KEYS_OF_NEW_GUIDE: &[Used] = guide_keys!(
    DOC,
    update("{acme}:doc:_seq", Text), read("{acme}:doc:_slugs", Hash),
    update("{acme}:ch:_seq", Text), read("{acme}:ch:_slugs", Hash),
    update("{acme}:chunk:_seq", Text), read("{acme}:chunk:_slugs", Hash);
    doc free, children write, below write, parts free, section write, chunk write
);

pub static ROWS: &[Row] = &[
    reads(&[], "KEYNS.SLUG Risk~Guide", &[]),
    reads(
        &[],
        "KEYNS.SLUG The~5~VaR~&~risks CONTENT WORDS 3 KEEPSTOP LANG en NUMBERS ALL SYMBOLS NOABBREV MAXLEN 20 SHORTEN WORD",
        &[],
    ),
    writes(
        &[],
        "KEYNS.NEXTID {acme}:doc",
        &[DOC, update("{acme}:doc:_seq", Text)],
    ),
    writes(
        &["KEYNS.NEXTID {acme}:doc"],
        "KEYNS.NEXTID {acme}:doc COUNT 5",
        &[DOC, update("{acme}:doc:_seq", Text)],
    ),
    writes(
        &[],
        "KEYNS.MAKE {acme}:doc Risk",
        &[
            DOC,
            update("{acme}:doc:_seq", Text),
            read("{acme}:doc:_slugs", Hash),
            free("{acme}:doc:risk:001", Nothing),
        ],
    ),
    writes(
        &["KEYNS.MAKE {acme}:doc Risk"],
        "KEYNS.MAKE {acme}:doc 5~Risks CONTENT WORDS 2 KEEPSTOP LANG en NUMBERS NONE SYMBOLS NOABBREV MAXLEN 20 SHORTEN VOWELS NUMBERING SLUG WIDTH 4",
        &[
            DOC,
            read("{acme}:doc:_seq", Text),
            update("{acme}:doc:_slugs", Hash),
            free("{acme}:doc:n_5_risks:0002", Nothing),
        ],
    ),
    reads(
        &[],
        "KEYNS.CHECK {acme}:doc:risk:001 {acme}:Doc:x-1",
        &[
            read("{acme}:doc:risk:001", Anything),
            read("{acme}:Doc:x-1", Anything),
        ],
    ),
    reads(
        &[NS, "SET user:7 x"],
        "KEYNS.CHECK user:7",
        &[read("user:7", Anything)],
    ),
    reads(
        &[],
        "KEYNS.PARSE {acme}:ch:risk:001:children",
        &[read("{acme}:ch:risk:001:children", Anything)],
    ),
    writes(&[], GUIDE, KEYS_OF_NEW_GUIDE),
    writes(&[IN_BACKGROUND], GUIDE, KEYS_OF_NEW_GUIDE),
    writes(
        &[GUIDE],
        "KEYNS.INGESTMD {acme}:doc #~Risk\n\nWeigh. TITLE Guide REPLACE {acme}:doc:guide:001",
        guide_keys!(
            DOC,
            update("{acme}:chunk:_seq", Text), read("{acme}:chunk:_slugs", Hash),
            free("{acme}:chunk:weigh:002", Hash),
            write("{acme}:chunk:weigh:002:next", Text),
            write("{acme}:chunk:weigh:002:previous", Text);
            doc update, children update, below update, parts update, section update, chunk write
        ),
    ),
    refuses(
        &[GUIDE],
        "KEYNS.INGESTMD {acme}:doc #~Risk\n\nMeasure. TITLE Guide REPLACE {acme}:doc:guide:001",
        guide_keys!(
            DOC;
            doc update, children update, below update, parts update, section update, chunk update
        ),
    ),
    writes(
        &[],
        "KEYNS.INGESTMD {acme}:doc One.\n\nTwo. FILE guide.md CHUNK SECTION MAXCHUNK 64 SIBLINGS CONTENT WORDS 2 KEEPSTOP LANG en NUMBERS ALL SYMBOLS NOABBREV MAXLEN 20 SHORTEN WORD NUMBERING SLUG WIDTH 4",
        &[
            DOC,
            read("{acme}:doc:_seq", Text),
            update("{acme}:doc:_slugs", Hash),
            free("{acme}:doc:guide:0001", Hash),
            write("{acme}:doc:guide:0001:children", Set),
            write("{acme}:doc:guide:0001:all_descendants", Set),
            write("{acme}:doc:guide:0001:sequence", SortedSet),
            read("{acme}:chunk:_seq", Text),
            update("{acme}:chunk:_slugs", Hash),
            free("{acme}:chunk:one_two:0001", Hash),
            write("{acme}:chunk:one_two:0001:next", Text),
            write("{acme}:chunk:one_two:0001:previous", Text),
            write("{acme}:chunk:one_two:0001:siblings", Set),
            write("{acme}:level:doc:chunks", Set),
            write("{acme}:level:chunk:chunks", Set),
        ],
    ),
    reads(
        &[GUIDE],
        "KEYNS.TREE {acme}:doc:guide:001",
        &[
            read("{acme}:doc:guide:001", Hash),
            read("{acme}:doc:guide:001:sequence", SortedSet),
            read("{acme}:ch:risk:001", Hash),
            read("{acme}:chunk:measure:001", Hash),
        ],
    ),
    reads(
        &[GUIDE],
        "KEYNS.TREE {acme}:ch:risk:001 DEPTH 1 FORMAT TEXT",
        &[
            read("{acme}:ch:risk:001", Hash),
            read("{acme}:ch:risk:001:sequence", SortedSet),
            read("{acme}:chunk:measure:001", Hash),
        ],
    ),
    reads(
        &[GUIDE],
        "KEYNS.NAV {acme}:chunk:measure:001 PARENT",
        &[read("{acme}:chunk:measure:001", Hash)],
    ),
    reads(
        &[GUIDE],
        "KEYNS.NAV {acme}:ch:risk:001 CHILDREN",
        &[
            read("{acme}:ch:risk:001", Anything),
            read("{acme}:ch:risk:001:children", Set),
            read("{acme}:ch:risk:001:sequence", SortedSet),
        ],
    ),
    reads(
        &[GUIDE],
        "KEYNS.NAV {acme}:chunk:measure:001 SIBLINGS",
        &[
            read("{acme}:chunk:measure:001", Hash),
            read("{acme}:ch:risk:001:children", Set),
            read("{acme}:ch:risk:001:sequence", SortedSet),
        ],
    ),
    reads(
        &[GUIDE],
        "KEYNS.NAV {acme}:ch:risk:001 NEXT",
        &[
            read("{acme}:ch:risk:001", Anything),
            read("{acme}:ch:risk:001:next", Text),
        ],
    ),
    reads(
        &[GUIDE],
        "KEYNS.NAV {acme}:doc:guide:001 SEQUENCE",
        &[
            read("{acme}:doc:guide:001", Anything),
            read("{acme}:doc:guide:001:sequence", SortedSet),
        ],
    ),
    reads(
        &[GUIDE],
        "KEYNS.EXPORTMD {acme}:doc:guide:001",
        &[
            read("{acme}:doc:guide:001", Hash),
            read("{acme}:doc:guide:001:sequence", SortedSet),
            read("{acme}:ch:risk:001", Hash),
            read("{acme}:chunk:measure:001", Hash),
        ],
    ),
    writes(
        &[GUIDE],
        "KEYNS.DROP {acme}:doc:guide:001",
        guide_keys!(
            ;
            doc update, children write, below update, parts update, section write, chunk write
        ),
    ),
    refuses(
        &[],
        "KEYNS.DROP {acme}:doc:guide:001",
        &[
            update("{acme}:doc:guide:001", Hash),
            read("{acme}:doc:guide:001:sequence", SortedSet),
            read("{acme}:doc:guide:001:all_descendants", Set),
        ],
    ),
    writes(
        &[],
        "KEYNS.RATE {acme}:r BUCKET 10 1 1s FIXED 100 1m SLIDING 50 1h COST 2",
        &[update("{acme}:r", Text)],
    )
    .varies(),
    refuses(&[TAKEN], TAKEN, &[update("{acme}:r", Text)]).varies(),
    reads(
        &[TAKEN],
        "KEYNS.RATE.PEEK {acme}:r SLIDING 1 1h BUCKET 5 1 1s FIXED 9 1d COST 1",
        &[read("{acme}:r", Text)],
    )
    .varies(),
    writes(
        &["KEYNS.RATE {acme}:r SLIDING 5 1h COST 2"],
        "KEYNS.RATE.REFUND {acme}:r SLIDING 5 1h BUCKET 5 1 1s FIXED 9 1d COST 1",
        &[update("{acme}:r", Text)],
    )
    .varies(),
    refuses(
        &[],
        "KEYNS.RATE.REFUND {acme}:r SLIDING 1 1h COST 1",
        &[update("{acme}:r", Text)],
    )
    .varies(),
    writes(
        &[],
        "KEYNS.RATE.BLOCK {acme}:r 1h",
        &[update("{acme}:r", Text)],
    )
    .varies(),
    writes(
        &[],
        "KEYNS.THROTTLE {acme}:r 15 30 36000 1",
        &[update("{acme}:r", Text)],
    )
    .varies(),
    refuses(
        &["KEYNS.THROTTLE {acme}:r 0 1 3600 1"],
        "KEYNS.THROTTLE {acme}:r 0 1 3600 1",
        &[update("{acme}:r", Text)],
    )
    .varies(),
    writes(
        &[],
        "KEYNS.NS.SET user PATTERN user:<id:int> TTL 60 CLASS TEMPORARY TYPE hash OWNER web DESC Who~is~there",
        &[],
    ),
    reads(&[NS], "KEYNS.NS.GET user", &[]),
    reads(&[NS], "KEYNS.NS.LIST u*", &[]),
    writes(&[NS], "KEYNS.NS.DEL user other", &[]),
    refuses(&[NS], "KEYNS.NS.DEL other", &[]),
    writes(
        &[NS],
        "KEYNS.NS.LOAD {\"namespaces\":[{\"name\":\"cart\",\"pattern\":\"cart:<id>\"}]} FLUSH",
        &[],
    ),
    reads(&[NS], "KEYNS.NS.DUMP MARKDOWN", &[]),
    writes(&[], "KEYNS.NS.PRESET general REPLACE", &[]),
    reads(&[NS], "KEYNS.KEY user 7 WITHTTL", &[]),
    writes(&[], LOCKED, &[update("{acme}:lock", Text)]).varies(),
    refuses(
        &[LOCKED],
        "KEYNS.LOCK {acme}:lock bob PX 500000",
        &[update("{acme}:lock", Text)],
    )
    .varies(),
    writes(
        &[LOCKED],
        "KEYNS.EXTEND {acme}:lock ada PX 900000",
        &[update("{acme}:lock", Text)],
    )
    .varies(),
    refuses(
        &[LOCKED],
        "KEYNS.EXTEND {acme}:lock bob PX 900000",
        &[update("{acme}:lock", Text)],
    ),
    writes(
        &[LOCKED],
        "KEYNS.UNLOCK {acme}:lock ada",
        &[update("{acme}:lock", Text)],
    ),
    refuses(
        &[LOCKED],
        "KEYNS.UNLOCK {acme}:lock bob",
        &[update("{acme}:lock", Text)],
    ),
    writes(
        &[],
        "KEYNS.SEEN {acme}:event:7 EX 600",
        &[update("{acme}:event:7", Text)],
    )
    .varies(),
    refuses(
        &["KEYNS.SEEN {acme}:event:7"],
        "KEYNS.SEEN {acme}:event:7",
        &[update("{acme}:event:7", Text)],
    ),
    writes(
        &[],
        "KEYNS.ADVANCE {acme}:version 7 EX 600",
        &[update("{acme}:version", Text)],
    )
    .varies(),
    refuses(
        &["KEYNS.ADVANCE {acme}:version 7"],
        "KEYNS.ADVANCE {acme}:version 6",
        &[update("{acme}:version", Text)],
    ),
    writes(
        &[],
        "KEYNS.CHECKPOINT {acme}:reader 7 FORCE",
        &[update("{acme}:reader", Hash)],
    )
    .varies(),
    refuses(
        &["KEYNS.CHECKPOINT {acme}:reader 7"],
        "KEYNS.CHECKPOINT {acme}:reader 7",
        &[update("{acme}:reader", Hash)],
    )
    .varies(),
    writes(
        &[],
        "KEYNS.COUNT {acme}:hits BY 2 GRAIN YEAR GRAIN DAY AT 1794700800 KEEP 600",
        &[
            update("{acme}:hits", Anything),
            update("{acme}:hits:2026", Text),
            update("{acme}:hits:2026:11:15", Text),
        ],
    )
    .varies(),
    refuses(
        &[],
        "KEYNS.COUNT {acme}:hits BY 0 GRAIN YEAR AT 1794700800",
        &[
            update("{acme}:hits", Anything),
            update("{acme}:hits:2026", Text),
        ],
    ),
    reads(
        &["KEYNS.COUNT {acme}:hits GRAIN DAY AT 1794700800"],
        "KEYNS.COUNT.RANGE {acme}:hits GRAIN DAY 1794614400 1794700800",
        &[
            read("{acme}:hits", Anything),
            read("{acme}:hits:2026:11:14", Text),
            read("{acme}:hits:2026:11:15", Text),
        ],
    ),
];

/// The rows of a command.
pub fn rows_of(command: &str) -> impl Iterator<Item = &'static Row> {
    ROWS.iter().filter(move |row| row.command() == command)
}
