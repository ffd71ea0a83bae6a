//! Slugs, numbers, names and checks.

use super::{DOC, Holds::*, NS, Row, free, read, reads, update, writes};

pub const ROWS: &[Row] = &[
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
    reads(
        &[],
        "KEYNS.PARSE {acme}:doc:risk:001 {acme}:x",
        &[
            read("{acme}:doc:risk:001", Anything),
            read("{acme}:x", Anything),
        ],
    ),
];
