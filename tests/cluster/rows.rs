//! One row per command: how it is called with a hash tag, and what happens without one.

use keyns::commands::ALL;
use keyns::server::spec::Spec;

use crate::support::Value;

/// A document, and a later version of it.
const TEXT: &str = "# One\n\nFirst.\n";
const EDITED: &str = "# One\n\nFirst.\n\nSecond.\n";

/// A command in a cluster. In all texts `{T}` is a tag, and `TEXT` and `EDITED` are documents.
pub struct Row {
    pub name: &'static str,
    /// Calls with their replies, one after the other, on what the rows before have left. A reply
    /// that ends in `*` goes on with what nobody can foretell.
    pub calls: &'static [(&'static str, &'static str)],
    pub without_tag: WithoutTag,
}

/// What a command does about a key without a hash tag.
pub enum WithoutTag {
    /// It derives keys, and this call is refused.
    Refused(&'static str),
    /// It has all its keys in its arguments, and this call works.
    Works(&'static str),
    /// It has no key.
    NoKey,
}

use WithoutTag::{NoKey, Refused, Works};

const fn row(
    name: &'static str,
    without_tag: WithoutTag,
    calls: &'static [(&'static str, &'static str)],
) -> Row {
    Row {
        name,
        calls,
        without_tag,
    }
}

const ROWS: &[Row] = &[
    row(
        "KEYNS.SLUG",
        NoKey,
        &[("KEYNS.SLUG Risk-Report", "risk_report")],
    ),
    row(
        "KEYNS.NEXTID",
        Refused("KEYNS.NEXTID doc"),
        &[
            ("KEYNS.NEXTID {T}:doc", "1"),
            ("KEYNS.NEXTID {T}:doc COUNT 2", "2"),
        ],
    ),
    row(
        "KEYNS.MAKE",
        Refused("KEYNS.MAKE doc Intro"),
        &[
            ("KEYNS.MAKE {T}:doc Intro", "{T}:doc:intro:004"),
            (
                "KEYNS.MAKE {T}:doc Intro NUMBERING SLUG",
                "{T}:doc:intro:005",
            ),
        ],
    ),
    row(
        "KEYNS.CHECK",
        Works("KEYNS.CHECK doc:intro:001"),
        &[(
            "KEYNS.CHECK {T}:doc:intro:001 {T}:doc:intro:2",
            "valid 1 problems  warnings  suggestion nil \
             valid 0 problems NUMBER_WIDTH warnings  suggestion {T}:doc:intro:002",
        )],
    ),
    row(
        "KEYNS.PARSE",
        Works("KEYNS.PARSE doc:intro:001"),
        &[(
            "KEYNS.PARSE {T}:doc:intro:001",
            "scope {T} kind doc slug intro number 001 relation nil",
        )],
    ),
    row(
        "KEYNS.INGESTMD",
        Refused("KEYNS.INGESTMD doc TEXT"),
        &[
            ("KEYNS.INGESTMD {T}:doc TEXT", "doc {T}:doc:one:005 *"),
            (
                "KEYNS.INGESTMD {T}:doc EDITED REPLACE {T}:doc:one:005",
                "doc {T}:doc:one:005 *",
            ),
        ],
    ),
    row(
        "KEYNS.TREE",
        Refused("KEYNS.TREE doc:one:001"),
        &[(
            "KEYNS.TREE {T}:doc:one:005",
            "{T}:doc:one:005 One {T}:ch:one:001 One \
             {T}:chunk:first:001 (paragraph)  {T}:chunk:second:002 (paragraph) ",
        )],
    ),
    row(
        "KEYNS.NAV",
        Refused("KEYNS.NAV doc:one:001 CHILDREN"),
        &[
            ("KEYNS.NAV {T}:doc:one:005 CHILDREN", "{T}:ch:one:001"),
            ("KEYNS.NAV {T}:ch:one:001 PARENT", "{T}:doc:one:005"),
            (
                "KEYNS.NAV {T}:ch:one:001 SEQUENCE",
                "{T}:chunk:first:001 {T}:chunk:second:002",
            ),
            ("KEYNS.NAV {T}:chunk:first:001 NEXT", "{T}:chunk:second:002"),
            (
                "KEYNS.NAV {T}:chunk:second:002 SIBLINGS",
                "{T}:chunk:first:001",
            ),
        ],
    ),
    row(
        "KEYNS.EXPORTMD",
        Refused("KEYNS.EXPORTMD doc:one:001"),
        &[("KEYNS.EXPORTMD {T}:doc:one:005", "EDITED")],
    ),
    row(
        "KEYNS.DROP",
        Refused("KEYNS.DROP doc:one:001"),
        &[
            ("KEYNS.DROP {T}:doc:one:005", "17"),
            ("KEYNS.DROP {T}:doc:one:005", "0"),
        ],
    ),
    row(
        "KEYNS.RATE",
        Works("KEYNS.RATE rate FIXED 10 1500d"),
        &[
            ("KEYNS.RATE {T}:rate FIXED 10 1500d COST 3", "1 10 7 -1 *"),
            ("KEYNS.RATE {T}:rate FIXED 10 1500d COST 8", "0 10 7 *"),
        ],
    ),
    row(
        "KEYNS.RATE.PEEK",
        Works("KEYNS.RATE.PEEK rate FIXED 10 1500d"),
        &[("KEYNS.RATE.PEEK {T}:rate FIXED 10 1500d", "1 10 6 -1 *")],
    ),
    row(
        "KEYNS.RATE.REFUND",
        Works("KEYNS.RATE.REFUND rate FIXED 10 1500d COST 1"),
        &[(
            "KEYNS.RATE.REFUND {T}:rate FIXED 10 1500d COST 1",
            "1 10 8 -1 *",
        )],
    ),
    row(
        "KEYNS.RATE.BLOCK",
        Works("KEYNS.RATE.BLOCK rate 60"),
        &[("KEYNS.RATE.BLOCK {T}:rate 60", "60000")],
    ),
    row(
        "KEYNS.THROTTLE",
        Works("KEYNS.THROTTLE throttle 15 30 60"),
        &[("KEYNS.THROTTLE {T}:throttle 15 30 60", "0 16 15 -1 2")],
    ),
    // Every node has namespaces of its own, and its replica the same.
    row(
        "KEYNS.NS.SET",
        NoKey,
        &[(
            "KEYNS.NS.SET cart-T PATTERN shop:{T}:cart:<id:int> TTL 60",
            "OK",
        )],
    ),
    row(
        "KEYNS.NS.GET",
        NoKey,
        &[(
            "KEYNS.NS.GET cart-T",
            "name cart-T pattern shop:{T}:cart:<id:int> *",
        )],
    ),
    row(
        "KEYNS.NS.LIST",
        NoKey,
        &[("KEYNS.NS.LIST", "cart-T"), ("KEYNS.NS.LIST shop:*", "")],
    ),
    row(
        "KEYNS.NS.DEL",
        NoKey,
        &[("KEYNS.NS.DEL cart-T", "1"), ("KEYNS.NS.DEL cart-T", "0")],
    ),
    row(
        "KEYNS.NS.LOAD",
        NoKey,
        &[(
            r#"KEYNS.NS.LOAD {"namespaces":[{"name":"note-T","pattern":"note:{T}:<id>"}]}"#,
            "1",
        )],
    ),
    row(
        "KEYNS.NS.DUMP",
        NoKey,
        &[("KEYNS.NS.DUMP ACL", ""), ("KEYNS.NS.DUMP", "{\n  \"*")],
    ),
    row(
        "KEYNS.NS.PRESET",
        NoKey,
        &[("KEYNS.NS.PRESET projections", "8")],
    ),
    row(
        "KEYNS.KEY",
        NoKey,
        &[("KEYNS.KEY note-T seven", "note:{T}:seven")],
    ),
    row(
        "KEYNS.LOCK",
        Works("KEYNS.LOCK lock ada PX 60000"),
        &[
            ("KEYNS.LOCK {T}:lock ada PX 60000", "1*"),
            ("KEYNS.LOCK {T}:lock bob PX 60000", "nil"),
        ],
    ),
    row(
        "KEYNS.EXTEND",
        Works("KEYNS.EXTEND lock ada PX 60000"),
        &[
            ("KEYNS.EXTEND {T}:lock ada PX 90000", "1"),
            ("KEYNS.EXTEND {T}:lock bob PX 90000", "0"),
        ],
    ),
    row(
        "KEYNS.UNLOCK",
        Works("KEYNS.UNLOCK lock ada"),
        &[
            ("KEYNS.UNLOCK {T}:lock bob", "0"),
            ("KEYNS.UNLOCK {T}:lock ada", "1"),
        ],
    ),
    row(
        "KEYNS.SEEN",
        Works("KEYNS.SEEN event"),
        &[("KEYNS.SEEN {T}:event", "1"), ("KEYNS.SEEN {T}:event", "0")],
    ),
    row(
        "KEYNS.ADVANCE",
        Works("KEYNS.ADVANCE revision 7"),
        &[
            ("KEYNS.ADVANCE {T}:revision 7", "1 7"),
            ("KEYNS.ADVANCE {T}:revision 6", "0 7"),
        ],
    ),
    row(
        "KEYNS.CHECKPOINT",
        Works("KEYNS.CHECKPOINT reader 40"),
        &[
            ("KEYNS.CHECKPOINT {T}:reader 40", "1 40"),
            ("KEYNS.CHECKPOINT {T}:reader 39", "0 40"),
        ],
    ),
    row(
        "KEYNS.COUNT",
        Refused("KEYNS.COUNT visits GRAIN DAY"),
        &[
            (
                "KEYNS.COUNT {T}:visits GRAIN DAY GRAIN YEAR AT 1794735000",
                "1 1",
            ),
            ("KEYNS.COUNT {T}:visits BY 4 GRAIN DAY AT 1794735000", "5"),
        ],
    ),
    row(
        "KEYNS.COUNT.RANGE",
        Refused("KEYNS.COUNT.RANGE visits GRAIN DAY 1794735000 1794735000"),
        &[(
            "KEYNS.COUNT.RANGE {T}:visits GRAIN DAY 1794735000 1794735000",
            "total 5 buckets 2026:11:15 5",
        )],
    ),
];

/// Every command of the module that ships, with its row.
#[track_caller]
pub fn all() -> Vec<(&'static Spec, &'static Row)> {
    let name_of = |spec: &Spec| spec.name.to_str().expect("a name");
    let specs = ALL.iter().map(|command| &command.spec);
    let shipped: Vec<&Spec> = specs
        .filter(|spec| name_of(spec) != "KEYNS.PANIC")
        .collect();
    assert_eq!(shipped.len(), ROWS.len(), "commands, and rows");
    let with_row = |spec: &'static Spec| {
        let row = ROWS.iter().find(|row| row.name == name_of(spec));
        let row = row.unwrap_or_else(|| panic!("there is no row for {}", name_of(spec)));
        let has_key = !matches!(row.without_tag, NoKey);
        assert_eq!(spec.keys.is_some(), has_key, "{}", row.name);
        (spec, row)
    };
    shipped.into_iter().map(with_row).collect()
}

/// The words of a call.
pub fn words(line: &str, tag: &str) -> Vec<String> {
    let words = line.split(' ').map(|word| match word {
        "TEXT" => TEXT.into(),
        "EDITED" => EDITED.into(),
        word => with_tag(word, tag),
    });
    words.collect()
}

fn with_tag(text: &str, tag: &str) -> String {
    text.replace("{T}", &format!("{{{tag}}}"))
        .replace("-T", &format!("-{tag}"))
}

/// Fails unless a reply is what a row says.
#[track_caller]
pub fn assert_replied(line: &str, tag: &str, reply: &Value, expected: &str) {
    let expected = match expected {
        "EDITED" => EDITED.into(),
        expected => with_tag(expected, tag),
    };
    let shown = shown(reply);
    match expected.strip_suffix('*') {
        Some(start) => assert!(shown.starts_with(start), "{line}: {shown:?}"),
        None => assert_eq!(shown, expected, "{line}"),
    }
}

/// A reply in one line.
fn shown(reply: &Value) -> String {
    match reply {
        Value::Null => "nil".into(),
        Value::Integer(number) => number.to_string(),
        Value::Array(values) => values.iter().map(shown).collect::<Vec<_>>().join(" "),
        other => other.text(),
    }
}
