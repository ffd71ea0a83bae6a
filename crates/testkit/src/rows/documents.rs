//! Documents: the keys of a small one, and what each command does to them.

use super::{DOC, Holds::*, Row, Used, free, read, reads, refuses, update, write, writes};

const GUIDE: &str = "KEYNS.INGESTMD {acme}:doc #~Risk\n\nMeasure. TITLE Guide";
/// Has all documents be read by a thread of their own, where a client may wait for it.
const IN_BACKGROUND: &str = "CONFIG SET keyns.parse-thread-bytes 0";

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

pub const ROWS: &[Row] = &[
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
];
