//! Regexes that would take too long, too much memory or too much of the stack.

use std::time::Instant;

use super::*;

#[test]
fn a_regex_that_would_grow_too_large_is_refused_at_once() {
    let nested = |depth: usize| format!("{}a{}", "(".repeat(depth), ")".repeat(depth));
    let large = "the regex takes more than 32768 bytes when compiled";
    let start = Instant::now();
    for (regex, reason) in [
        ("(a{1000}){1000}".to_owned(), large),
        ("(((a{99}){99}){99}){99}".to_owned(), large),
        ("a{100000}".to_owned(), large),
        ("[a-z]{1,900}".to_owned(), large),
        ("((?:){1000}a){2000}".to_owned(), large),
        ("a{99999999999}".to_owned(), "decimal literal invalid"),
        (
            nested(100),
            "exceed the maximum number of nested parentheses/brackets (32)",
        ),
        ("(".repeat(256), "unclosed group"),
        ("[".repeat(256), "unclosed character class"),
        (
            "a".to_owned() + &"*".repeat(200),
            "exceed the maximum number of nested parentheses/brackets (32)",
        ),
        (
            "(?i)".repeat(64),
            "no value can match: it has one byte at least, and no ':'",
        ),
        ("a".repeat(257), "a regex has at most 256 bytes, got 257"),
        (r"\pL".to_owned(), "Unicode not allowed here"),
        (
            "|".repeat(256),
            "no value can match: it has one byte at least, and no ':'",
        ),
    ] {
        let (_, got) = column_and_reason(&format!("a:<x:/{regex}/>"));
        assert_eq!(got, reason, "{regex}");
    }
    println!("{:?}", start.elapsed());
    for regex in [
        "a".repeat(256),
        nested(30),
        "(?i)".repeat(63) + "a",
        "(a|b)".repeat(51),
    ] {
        pattern(&format!("a:<x:/{regex}/>"));
    }
}

/// The regexes that are slow for their size.
const SLOW: [&str; 5] = [
    "(?:a?){100}a{100}",
    "(a|a)*b",
    "(a+)+b",
    "(?:a|aa|aaa)*b",
    "(.*)(.*)(.*)(.*)(.*)b",
];

#[test]
fn a_look_up_pays_for_regexes_by_their_size_and_the_length_of_the_value() {
    let key = |len: usize| format!("a:{}", "a".repeat(len - 2));
    for regex in SLOW {
        let registry = registry(&[format!("a:<x:/{regex}/>")]);
        let steps = |len: usize| {
            let key = key(len);
            let mut work = Work::on(key.as_bytes());
            registry.find_within(key.as_bytes(), &mut work);
            // One alone is never too much, however large.
            assert!(!work.is_spent(), "{regex}");
            work.taken_of(key.as_bytes())
        };
        assert!(steps(1024) > steps(512) + 512 / 16, "{regex}");
        assert!(steps(1024) < 2 * steps(512) + 100, "{regex}");
    }
    // Those in other places cost nothing.
    let mut patterns: Vec<String> = (0..100)
        .map(|n| format!("b{n}:<x:/[a-z]{{1,99}}/>"))
        .collect();
    patterns.push("a:<x>".to_owned());
    let registry = registry(&patterns);
    let mut work = Work::on(b"a:b");
    assert!(registry.find_within(b"a:b", &mut work).is_some());
    assert!(work.taken_of(b"a:b") < 10);
}

#[test]
fn many_slow_regexes_in_one_place_end_a_look_up() {
    let pattern = |n: usize| format!("a:<x:/(?:a?){{90}}a{{{n}}}b/>");
    let registry = registry(&(100..200).map(pattern).collect::<Vec<_>>());
    let key = format!("a:{}", "a".repeat(1022));
    let mut work = Work::on(key.as_bytes());
    let start = Instant::now();
    assert_eq!(registry.find_within(key.as_bytes(), &mut work), None);
    assert!(work.is_spent());
    let help = &mut Help::for_one_call();
    let report = registry.check(
        key.as_bytes(),
        None,
        None,
        &Kinds::default(),
        Lang::En,
        help,
    );
    let reason = "too many patterns start like this key to find its namespace";
    assert_eq!(report.details, [reason]);
    println!("{:?}", start.elapsed());
}

#[test]
fn all_regexes_together_have_a_limit() {
    // Each takes 60 KB by the estimate.
    let pattern = |n: usize| format!("a{n}:<x:/[a-z]{{1,200}}{n}/>");
    let entry = |n: usize| format!(r#"{{"name": "n{n}", "pattern": "{}"}}"#, pattern(n));
    let json = |count: usize| {
        let entries: Vec<String> = (0..count).map(entry).collect();
        format!(r#"{{"namespaces": [{}]}}"#, entries.join(","))
    };
    let refused = |error: Error| {
        let text = error.to_string();
        let start = "the regexes of all namespaces would take 671";
        assert!(text.starts_with(start), "{text}");
        assert!(text.ends_with("bytes, the limit is 67108864"), "{text}");
    };
    let mut registry = Registry::new();
    let load = registry.load(json(2_000).as_bytes(), Existing::Refuse, usize::MAX);
    refused(load.unwrap_err());
    assert!(registry.is_empty());
    let mut count = 0;
    while let Ok(()) = registry.add(namespace(&format!("n{count}"), &pattern(count))) {
        count += 1;
    }
    assert!((1_000..1_200).contains(&count), "{count}");
    refused(
        registry
            .add(namespace("more", &pattern(count)))
            .unwrap_err(),
    );
    // In place of one, with a regex that is there, without one, and after one has gone.
    assert_eq!(registry.add(namespace("n0", &pattern(count))), Ok(()));
    let same = format!("same:{}", &pattern(1)[3..]);
    assert_eq!(registry.add(namespace("same", &same)), Ok(()));
    assert_eq!(registry.add(namespace("plain", "plain:<x>")), Ok(()));
    registry.remove(b"n1");
    refused(
        registry
            .add(namespace("n1", &pattern(count + 1)))
            .unwrap_err(),
    );
    registry.remove(b"same");
    assert_eq!(registry.add(namespace("n1", &pattern(count + 1))), Ok(()));
    let json = registry.to_json();
    for existing in [Existing::Flush, Existing::Replace, Existing::Refuse] {
        let load = registry.load(json.as_bytes(), existing, usize::MAX);
        assert_eq!(load, Ok(count + 1));
    }
    let all: Vec<Vec<u8>> = registry.names().map(<[u8]>::to_vec).collect();
    registry.remove_all(all.iter().map(Vec::as_slice));
    let load = registry.load(json.as_bytes(), Existing::Refuse, usize::MAX);
    assert_eq!(load, Ok(count + 1));
}

/// Where the regex of a namespace's first placeholder is.
fn place(registry: &Registry, name: &str) -> *const u8 {
    let namespace = registry.get(name.as_bytes()).unwrap();
    let kind = &namespace.pattern().placeholders()[0].kind;
    kind.regex().unwrap().text().as_ptr()
}

#[test]
fn a_regex_is_compiled_once_for_all_that_have_it() {
    let mut registry = registry(&["a:<x:/b+/>", "b:<x:/b+/>:v<y:/b+/>", "c:<x...:/b+/>"]);
    assert_eq!(place(&registry, "n0"), place(&registry, "n1"));
    assert_ne!(place(&registry, "n0"), place(&registry, "n2"));
    let json = registry.to_json();
    registry.remove(b"n0");
    registry.add(namespace("n0", "z:<x:/b+/>")).unwrap();
    assert_eq!(place(&registry, "n0"), place(&registry, "n1"));
    let mut again = Registry::new();
    again.load(json.as_bytes(), Existing::Refuse, 3).unwrap();
    assert_eq!(place(&again, "n0"), place(&again, "n1"));
    assert!(again.find(b"c:bb").is_some());
}

#[test]
fn copies_of_a_registry_share_their_regexes() {
    let registry = registry(&["a:<x:/[a-z]+/>:<y:/[0-9]+/>"]);
    let copy = registry.clone();
    assert_eq!(place(&registry, "n0"), place(&copy, "n0"));
    let found = copy.find(b"a:b:7").unwrap();
    assert_eq!(texts(&found.values), [Some("b"), Some("7")]);
}
