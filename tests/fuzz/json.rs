//! Patterns of namespaces, and JSON with them, good and bad.

use keyns_testkit::Random;

const PATTERNS: [&str; 12] = [
    "user:<id:int>:<attribute>",
    "session:<sid:hex>[:<attribute>]",
    "cache:<source>:<path...>",
    "k:<n:number>",
    "{<tenant>}:doc:<slug:slug>",
    "log:<day:date>",
    "h:<value:hash>",
    "p:<p:path>:x",
    "doc:<slug:slug>:<n:number>[:<relation>]",
    "a:<x>",
    "<kind>:<x>",
    "lock:<x>",
];

pub fn pattern(random: &mut Random) -> String {
    (*random.pick(&PATTERNS)).into()
}

pub fn odd_pattern(random: &mut Random) -> String {
    const ODD: [&str; 16] = [
        "<",
        ">",
        "<>",
        "<a",
        "a:<x>:<x>",
        "<a...>:b",
        "[a]",
        "a[:b[:c]]",
        "a[:b",
        "{<a>}{<b>}",
        "<a:nothing>",
        "::",
        "<a><b>",
        "a:<n:int><m:int>",
        "<\u{e4}>",
        "a:<x:date>[:<y>]",
    ];
    match random.below(4) {
        0 => "<a>:".repeat(400),
        1 => "[".repeat(400),
        _ => (*random.pick(&ODD)).into(),
    }
}

const NAMES: [&str; 8] = ["user", "session", "cache", "k", "log", "doc", "a:b", "x_1"];

pub fn name(random: &mut Random) -> &'static str {
    random.pick::<&str>(&NAMES)
}

/// A text that KEYNS.NS.LOAD may take.
pub fn namespaces(random: &mut Random) -> Vec<u8> {
    let entries: Vec<String> = (0..random.below(4)).map(|_| entry(random)).collect();
    format!("{{\"namespaces\": [{}]}}", entries.join(",")).into_bytes()
}

fn entry(random: &mut Random) -> String {
    const REST: [&str; 7] = [
        "",
        r#","ttl":60,"class":"EVICTABLE""#,
        r#","ttl":null,"class":"PROTECTED""#,
        r#","type":"hash","owner":"team-a","description":"What it is""#,
        r#","ttl":1,"class":"TEMPORARY","type":"zset""#,
        r#","ttl":-1"#,
        r#","unknown":{"a":[1,2,{}]}"#,
    ];
    let (name, pattern, rest) = (name(random), pattern(random), random.pick(&REST));
    format!(r#"{{"name":"{name}","pattern":"{pattern}"{rest}}}"#)
}

/// JSON that is deep, long, doubled, or none.
pub fn hostile(random: &mut Random) -> Vec<u8> {
    let depth = *random.pick(&[10_usize, 127, 129, 20_000]);
    let text = match random.below(11) {
        0 => "[".repeat(depth),
        1 => format!(
            "{{\"namespaces\": {}{}}}",
            "[".repeat(depth),
            "]".repeat(depth)
        ),
        2 => "{\"a\":".repeat(depth),
        3 => format!(
            "{{\"namespaces\": [{}]}}",
            vec![entry(random); depth.min(500)].join(",")
        ),
        4 => "{\"namespaces\": [{\"name\": \"\\ud800\", \"pattern\": \"a\"}]}".into(),
        5 => "{\"namespaces\": [], \"namespaces\": []}".into(),
        6 => "{\"namespaces\": [{\"name\": \"n\", \"pattern\": \"a\", \"ttl\": 1e999}]}".into(),
        7 => "{\"namespaces\": [{\"name\": \"n\", \"pattern\": \"a\\u0000b\"}]}".into(),
        8 => "{\"namespaces\": [null, 1, \"x\"]}".into(),
        9 => format!("\u{feff}{}", String::from_utf8_lossy(&namespaces(random))),
        _ => format!("1{}", "0".repeat(depth)),
    };
    text.into_bytes()
}
