//! KEYNS.INGESTMD, KEYNS.TREE, KEYNS.NAV, KEYNS.EXPORTMD and KEYNS.DROP.

mod create;
mod draft;
mod drop;
mod export;
mod ingest;
mod keys;
mod keyspace;
mod layout;
mod namer;
mod names;
mod nav;
mod plan;
mod replace;
mod request;
mod stored;
mod tree;
mod within;

use self::nav::Direction;
use self::request::Request;
use self::tree::View;
use crate::command;
use crate::families::naming::PREFIX;
use crate::families::naming::numbering::NumberOptions;
use crate::server::config::Number;
use crate::server::counters::Hold;
use crate::server::spec::{Argument, Command, KeyAccess, Keys, List, Spec, Which};
use crate::server::{Family, waiting};
use keyns_core::naming::slug::SlugOptions;

pub static FAMILY: Family = Family {
    commands: &[INGESTMD, TREE, NAV, EXPORTMD, DROP],
    configs: &[
        &MAX_DOCUMENT_BYTES,
        &MAX_ELEMENTS,
        &MAX_SIBLINGS,
        &MAX_WRITE_BYTES,
        &PARSE_THREAD_BYTES,
    ],
    info: |section| section.number(c"documents_parsing", waiting() as u64),
    counters: &[
        (c"documents_write_last_usec", &WRITE.last),
        (c"documents_write_longest_usec", &WRITE.longest),
        (c"documents_drop_last_usec", &REMOVAL.last),
        (c"documents_drop_longest_usec", &REMOVAL.longest),
    ],
    ..Family::named("documents")
};

pub static MAX_DOCUMENT_BYTES: Number =
    Number::new(c"max-document-bytes", 8 << 20, 1024..=512 << 20);

pub static MAX_ELEMENTS: Number = Number::new(c"max-elements", 100_000, 1..=10_000_000);

pub static MAX_SIBLINGS: Number = Number::new(c"max-siblings", 256, 1..=10_000);

pub static MAX_WRITE_BYTES: Number = Number::new(c"max-write-bytes", 384 << 20, 64 << 10..=1 << 40);

pub static PARSE_THREAD_BYTES: Number =
    Number::new(c"parse-thread-bytes", 256 << 10, 0..=512 << 20);

/// The step of KEYNS.INGESTMD that blocks the server: writing, and parsing unless a thread does it.
static WRITE: Hold = Hold::new();

/// The step of KEYNS.DROP.
static REMOVAL: Hold = Hold::new();

pub static INGESTMD: &Command = command!(
    Spec {
        name: c"KEYNS.INGESTMD",
        family: &FAMILY,
        summary: c"Stores a Markdown document as a hierarchy of keys, or as the new version of a stored one.",
        complexity: c"O(N+M) with N being the length of the Markdown and M the number of its elements; with SIBLINGS, plus the squares of the numbers of siblings",
        since: c"0.1.0",
        flags: c"write deny-oom",
        acl_categories: c"write slow keyns",
        arity: -3,
        keys: Some(PREFIX),
        arguments: &[
            List::Of(&[
                Argument::key("prefix"),
                Argument::text("markdown"),
            ]),
            List::options::<Request>(),
            List::options::<SlugOptions>(),
            List::options::<NumberOptions>(),
        ],
        reply: "map: doc (bulk string), chapters, paragraphs, subparagraphs, chunks, keys and bytes (integers), conflicts (array of slugs); with REPLACE also kept, added and removed (integers); without it hint (bulk string) if the Markdown looks like the name of a file",
    },
    ingest::ingest
);

pub static TREE: &Command = command!(
    Spec {
        name: c"KEYNS.TREE",
        family: &FAMILY,
        summary: c"Returns the tree below a document or a section.",
        complexity: c"O(N) with N being the number of elements below the key",
        since: c"0.1.0",
        flags: c"readonly",
        acl_categories: c"read slow keyns",
        arity: -2,
        keys: Some(ONE_KEY),
        arguments: &[List::Of(&[Argument::key("key")]), List::options::<View>()],
        reply: "array: key, title and an array of children, each the same; with FORMAT TEXT or MERMAID a bulk string; nil if the key does not exist",
    },
    tree::tree
);

pub static NAV: &Command = command!(
    Spec {
        name: c"KEYNS.NAV",
        family: &FAMILY,
        summary: c"Finds the neighbours of an element.",
        complexity: c"O(1); O(N) for CHILDREN, DESCENDANTS and SEQUENCE with N being the number of elements below the key, for SIBLINGS below its parent",
        since: c"0.1.0",
        flags: c"readonly",
        acl_categories: c"read slow keyns",
        arity: 3,
        keys: Some(ONE_KEY),
        arguments: &[List::Of(&[
            Argument::key("key"),
            Argument::one_of::<Direction>("direction"),
        ])],
        reply: "bulk string or nil for PARENT, NEXT and PREVIOUS; an array of keys in reading order for the others",
    },
    nav::nav
);

pub static EXPORTMD: &Command = command!(
    Spec {
        name: c"KEYNS.EXPORTMD",
        family: &FAMILY,
        summary: c"Returns a document's Markdown, byte for byte.",
        complexity: c"O(N) with N being the length of the Markdown",
        since: c"0.1.0",
        flags: c"readonly",
        acl_categories: c"read slow keyns",
        arity: 2,
        keys: Some(ONE_KEY),
        arguments: &[List::Of(&[Argument::key("dockey")])],
        reply: "bulk string: the Markdown; nil if the key does not exist",
    },
    export::export
);

pub static DROP: &Command = command!(
    Spec {
        name: c"KEYNS.DROP",
        family: &FAMILY,
        summary: c"Removes a document and every trace of it.",
        complexity: c"O(N) with N being the number of the document's keys",
        since: c"0.1.0",
        flags: c"write",
        acl_categories: c"write slow keyns",
        arity: 2,
        keys: Some(PREFIX),
        arguments: &[List::Of(&[Argument::key("dockey")])],
        reply: "integer: how many keys are gone; 0 if the key does not exist",
    },
    drop::drop_document
);

/// The key spec of commands that read one key.
const ONE_KEY: Keys = Keys {
    first: 1,
    which: Which::One,
    access: KeyAccess::Read,
};
