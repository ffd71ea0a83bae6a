//! Placeholders with a regex.

mod hostile;
mod seeds;

use super::*;
use crate::naming::kinds::Kinds;
use crate::naming::number_words::Lang;

fn column_and_reason(text: &str) -> (usize, String) {
    match Pattern::parse(text.as_bytes()) {
        Err(Error::Pattern { column, reason }) => {
            assert!(reason.is_ascii() && !reason.contains('\n'), "{reason}");
            (column, reason)
        }
        other => panic!("{text}: {other:?}"),
    }
}

/// Whether a pattern has a key.
fn has(text: &str, key: &[u8]) -> bool {
    pattern(text).values(key).is_some()
}

#[test]
fn a_regex_matches_the_whole_value_and_nothing_else() {
    for (text, good, bad) in [
        (
            "a:<x:/[a-z_]+/>",
            &["a:b", "a:some_thing"][..],
            &["a:", "a:B", "a:b1", "a:b ", "a:b\n", "a:b:c", "a:b:", "a"][..],
        ),
        (
            "a:<x:/red|green/>",
            &["a:red", "a:green"],
            &["a:redgreen", "a:reddish", "a:r", "a:infrared"],
        ),
        ("a:<x:/^b+$/>", &["a:b", "a:bb"], &["a:", "a:bc"]),
        ("a:<x:/b*/>", &["a:b", "a:bb"], &["a:", "a:c"]),
        ("a:<x:/(?i)b/>", &["a:b", "a:B"], &["a:c"]),
        (r"a:<x:/\w+/>", &["a:a_Z9"], &["a:\u{e4}", "a:-"]),
        (r"a:<x:/\d{2,3}/>", &["a:12", "a:123"], &["a:1", "a:1234"]),
        ("a:<x:/.+/>", &["a:b c", "a:\u{e4}"], &["a:", "a:b:c"]),
        ("a:<x:/\u{e4}+/>", &["a:\u{e4}\u{e4}"], &["a:a"]),
        (r"a:<x:/\xc3[\xa4-\xb6]/>", &["a:\u{e5}"], &["a:a"]),
        (r"a:<x:/b\/c/>", &["a:b/c"], &["a:bc"]),
        (r"a:<x:/b\\/>", &["a:b\\"], &["a:b"]),
        ("a:<x:/<b>|[<>]/>", &["a:<b>", "a:<", "a:>"], &["a:b"]),
        ("a:<x:/(?:b|c){2}/>:d", &["a:bc:d"], &["a:b:d", "a:bc"]),
        ("a:<x:/(?P<n>b)]?/>", &["a:b", "a:b]"], &["a:c"]),
        (
            "a:v<x:/[0-9]+/>.<y:/[a-z]+/>",
            &["a:v1.b"],
            &["a:v.b", "a:v1."],
        ),
        (
            "a:{<x:/[a-z]{2}/>}",
            &["a:{bc}"],
            &["a:{b}", "a:bc", "a:{bcd}"],
        ),
        ("a:<x:/[a-z]{2}/>", &["a:bc"], &["a:b"]),
        ("a[:<x:/b+/>]", &["a", "a:b"], &["a:", "a:c"]),
        (
            "a:<x...:/.+/>",
            &["a:b", "a:b:c", "a::", "a:b::c:"],
            &["a", "a:", "a:b\nc"],
        ),
        ("a:<x...:/b:c/>", &["a:b:c"], &["a:b", "a:b:c:"]),
    ] {
        for key in good {
            assert!(has(text, key.as_bytes()), "{text} {key}");
        }
        for key in bad {
            assert!(!has(text, key.as_bytes()), "{text} {key}");
        }
    }
}

#[test]
fn keys_are_bytes() {
    assert!(has("a:<x:/.+/>", b"a:\xff\x00\xfe"));
    assert!(has(r"a:<x:/\xff+/>", b"a:\xff\xff"));
    assert!(!has("a:<x:/.{2}/>", "a:\u{e4}b".as_bytes()));
    assert!(has(r"a:<x:/[^\x00-\x7f]+/>", b"a:\xc3\xa4"));
}

#[test]
fn a_mistake_in_a_regex_has_a_column_and_a_reason() {
    for (text, column, reason) in [
        ("a:<x:/b", 3, "'<' is not closed"),
        ("a:<x:/b>", 6, "a regex must end with '/>'"),
        (r"a:<x:/b\/>", 6, "a regex must end with '/>'"),
        ("a:<x:/b/c/>", 8, r"'/' in a regex is written '\/'"),
        ("a:<x:/[/]/>", 8, r"'/' in a regex is written '\/'"),
        ("a:<x:/b/:c>", 8, r"'/' in a regex is written '\/'"),
        ("a:<x://>", 7, "a regex is empty"),
        ("a:<:/b/>", 4, "a placeholder needs a name"),
        (
            "a:<x:/b c/>",
            8,
            r"this character in a regex is written '\x20'",
        ),
        (
            "a:<x:/b'c/>",
            8,
            r"this character in a regex is written '\x27'",
        ),
        (
            "a:<x:/b`/>",
            8,
            r"this character in a regex is written '\x60'",
        ),
        (
            "a:<x:/b\u{7}/>",
            8,
            r"this character in a regex is written '\x07'",
        ),
        (
            "a:<x:/b\u{200b}/>",
            8,
            "the character U+200B is not allowed",
        ),
        ("a:<x:/b\u{a0}/>", 8, "the character U+00A0 is not allowed"),
        ("a:<x:/[a-z/>", 7, "unclosed character class"),
        ("\u{e4}:<x:/\u{e4}(b/>", 8, "unclosed group"),
        ("a:<x:/b)(/>", 8, "unopened group"),
        ("a:<x:/b)|(c/>", 8, "unopened group"),
        ("a:<x:/*/>", 7, "repetition operator missing expression"),
        (
            "a:<x:/(?=b)/>",
            7,
            "look-around, including look-ahead and look-behind, is not supported",
        ),
        (r"a:<x:/(b)\1/>", 10, "backreferences are not supported"),
        (r"a:<x:/b\pL/>", 8, "Unicode not allowed here"),
        (r"a:<x:/(?u)\w/>", 7, "the flag 'u' is not supported"),
        ("a:<x:/b(?iu:c)/>", 8, "the flag 'u' is not supported"),
        ("a:<x:/b(?x)#/>", 8, "the flag 'x' is not supported"),
        ("a:<x:/[\u{e4}]/>", 8, "Unicode not allowed here"),
        (
            "a:<x:/b:c/>",
            7,
            "no value can match: it has one byte at least, and no ':'",
        ),
        (
            "a:<x:/[:]+(b|c)/>",
            7,
            "no value can match: it has one byte at least, and no ':'",
        ),
        (
            "a:<x:/b{0}/>",
            7,
            "no value can match: it has one byte at least, and no ':'",
        ),
        (
            r"a:<x...:/[^\x00-\xff]/>",
            10,
            "no value can match: it has one byte at least",
        ),
        (
            "a:b<x...:/c/>",
            4,
            "'<x...:/c/>' must be a segment of its own",
        ),
        ("a:<x...:/c/>:b", 13, "nothing may follow '<x...:/c/>'"),
        ("a:<x:/c/...>", 8, r"'/' in a regex is written '\/'"),
        (
            "a:<d:date>:<x:/b/>",
            12,
            "a date must be followed by literal text that cannot be an hour or a minute",
        ),
        (
            "a:<x:/b/><y>",
            10,
            "two placeholders need literal text between them",
        ),
        ("<x:/b/>", 1, "a pattern must start with literal text"),
    ] {
        assert_eq!(
            column_and_reason(text),
            (column, reason.to_owned()),
            "{text}"
        );
    }
    // One of them needs no escape of its own.
    pattern("a:<x:/[a-z]:?/>");
}

#[test]
fn a_key_is_built_of_values_that_match() {
    let user = r"user:<id:/\d+/>:<attr:/[a-z_]+/>";
    let key = build(&pattern(user), &["42", "email"]);
    assert_eq!(key.as_deref(), Ok("user:42:email"));
    let longest = "x".repeat(70);
    let cases: &[(&str, &[&str], &str)] = &[
        (user, &["42", "X"], "<attr> must match /[a-z_]+/, got 'X'"),
        (user, &["4 2", "x"], r"<id> must match /\d+/, got '4 2'"),
        (user, &["", "x"], r"<id> must match /\d+/, got ''"),
        (user, &["42"], "missing value for <attr>"),
        (
            "a:<x:/.*/>",
            &["b:c"],
            "<x> must be text without ':', got 'b:c'",
        ),
        ("a:<x:/.*/>", &[""], "<x> must match /.*/, got ''"),
        (
            "a:<x:/\u{e4}/>",
            &["b"],
            r"<x> must match /\xc3\xa4/, got 'b'",
        ),
        (
            "a:{<x:/.+/>}",
            &["b}"],
            "<x> must not contain '}' in this pattern, got 'b}'",
        ),
        (
            "a:<x:/.+/>.json",
            &["b.json"],
            "<x> must not contain '.json' in this pattern, got 'b.json'",
        ),
    ];
    for (text, values, error) in cases {
        let built = build(&pattern(text), values);
        assert_eq!(built.unwrap_err().to_string(), *error, "{text}");
    }
    let long = build(&pattern(&format!("a:<x:/{longest}/>")), &["b"]);
    let shown = format!("<x> must match /{}..., got 'b'", &longest[..64]);
    assert_eq!(long.unwrap_err().to_string(), shown);
    // Braces of a regex are no hash tag.
    let key = build(&pattern("a:<x:/b{2}|c/>:<y>"), &["bb", "{d}"]);
    assert_eq!(key.as_deref(), Ok("a:bb:{d}"));
    let rest = build(&pattern("a:<x...:/.+/>"), &["b::c"]);
    assert_eq!(rest.as_deref(), Ok("a:b::c"));
}

#[test]
fn the_order_of_types_and_regexes_is_fixed() {
    let order = [
        "<x:slug>",
        // More fixed text, then the shorter longest value, then the longer text, then its bytes.
        "<x:/red|green/>",
        "<x:/v[0-9]+/>",
        "<x:/[a-z]{3}/>",
        "<x:/[a-z]{1,5}/>",
        "<x:/[a-z0-9_]+/>",
        "<x:/[a-z]+/>",
        "<x:/[b-z]+/>",
        "<x:path>",
        "<x>",
        "<x...:/[a-z]+/>",
        "<x...>",
    ];
    let kinds = order.map(|hole| {
        let pattern = pattern(&format!("a:{hole}"));
        pattern.placeholders()[0].kind.clone()
    });
    for (index, pair) in kinds.windows(2).enumerate() {
        assert!(pair[0] < pair[1], "{} {}", order[index], order[index + 1]);
    }
    // Two rows of the same regexes are the same, and other texts are others, whatever they match.
    let mut registry = registry(&["a:<x:/[a-z]+/>", "a:<x:/[b-z]+/>", "a:<x:/[a-z]{1,}/>"]);
    let same = registry.add(namespace("b", "a:<other:/[a-z]+/>"));
    let error = "the pattern of 'b' cannot be distinguished from that of 'n0'";
    assert_eq!(same.unwrap_err().to_string(), error);
    assert_eq!(registry.find(b"a:c").unwrap().namespace.name(), "n2");
    let built = with_defaults(|building, key| registry.build(b"n1", &["c"], building, key));
    let error = "'a:c' would belong to the namespace 'n2'";
    assert_eq!(built.unwrap_err().to_string(), error);
}

#[test]
fn a_wrong_key_is_explained_and_mended() {
    let registry = registry(&[
        r"user:<id:/\d+/>:<attr:/[a-z_]+/>",
        "code:<c:/[A-Z]{2}-[0-9]+/>",
        "img:<w:/[0-9]+/>x<h:/[0-9]+/>.<kind:/png|jpg/>",
        "page:<slug:/[a-z-]+/>",
        "all:<x...:/[a-z:]+/>",
    ]);
    for (key, detail, suggestion) in [
        (
            "user:42:E-Mail",
            "<attr> of 'n0': expected a match of /[a-z_]+/, got 'E-Mail'",
            Some("user:42:e_mail"),
        ),
        (
            "user:42:Gr\u{f6}\u{df}e!",
            r"<attr> of 'n0': expected a match of /[a-z_]+/, got 'Gr\xc3\xb6\xc3\x9fe!'",
            Some("user:42:groesse"),
        ),
        (
            "user:x:y",
            r"<id> of 'n0': expected a match of /\d+/, got 'x'",
            None,
        ),
        (
            "user:42",
            "<attr> of 'n0': expected a match of /[a-z_]+/",
            None,
        ),
        (
            "code:ab-7",
            "<c> of 'n1': expected a match of /[A-Z]{2}-[0-9]+/, got 'ab-7'",
            Some("code:AB-7"),
        ),
        (
            "img:6x4.PNG",
            "<kind> of 'n2': expected a match of /png|jpg/, got 'PNG'",
            Some("img:6x4.png"),
        ),
        (
            "page:about_us",
            "<slug> of 'n3': expected a match of /[a-z-]+/, got 'about_us'",
            Some("page:about-us"),
        ),
        (
            "all:a:B",
            "<x> of 'n4': expected a match of /[a-z:]+/, got 'a:B'",
            None,
        ),
    ] {
        let kinds = Kinds::default();
        let help = &mut Help::for_one_call();
        let report = registry.check(key.as_bytes(), None, None, &kinds, Lang::De, help);
        assert_eq!(report.details, [detail]);
        let suggested = report.suggestion.map(|key| String::from_utf8(key).unwrap());
        assert_eq!(suggested.as_deref(), suggestion, "{key}");
    }
}

#[test]
fn examples_match_the_regex() {
    for (text, example) in [
        (r"user:<id:/\d+/>:<attr:/[a-z_]+/>", Some("user:42:attr")),
        ("code:<c:/[A-Z]{2}-[0-9]{4}/>", Some("code:AA-0000")),
        ("color:<c:/red|green/>", Some("color:red")),
        ("v:<v:/v[0-9]+(a|bc)?/>", Some("v:v0a")),
        ("id:<i:/[0-9a-f]{6}/>", Some("id:5f3a9c")),
        ("a:<x...:/.+:.+/>", Some("a:a:a")),
        ("a:<x:/[:b]+/>", Some("a:b")),
        ("a:<attr:/[a-z]+/>a<b>", None),
        (r"a:<x:/\xff/>", None),
        (r"a:<x:/b\bc/>", None),
        ("a:<x:/(|b)c?/>", Some("a:c")),
        ("a:<x:/\u{e4}+/>", Some("a:\u{e4}")),
        ("a:<x:/\u{e4}|\u{e5}/>", Some("a:\u{e4}")),
    ] {
        assert_eq!(pattern(text).example().as_deref(), example, "{text}");
    }
}

#[test]
fn what_is_written_down_is_read_again() {
    let patterns = [
        r"user:<id:/\d{1,9}|me/>:<attr:/[a-z_]+/>",
        "cache:<source>:<path...:/.+/>",
        "t:{<tenant:/[a-z]+/>}[:<x:/y|z/>]",
    ];
    let registry = registry(&patterns);
    let mut again = Registry::new();
    let json = registry.to_json();
    assert_eq!(again.load(json.as_bytes(), Existing::Refuse, 3), Ok(3));
    assert_eq!(registry, again);
    assert_eq!(again.to_json(), json);
    assert!(json.contains(r"user:<id:/\\d{1,9}|me/>:<attr:/[a-z_]+/>"));
    let page = markdown(&registry);
    assert!(
        page.contains(r"| `user:<id:/\d{1,9}\|me/>:<attr:/[a-z_]+/>` |"),
        "{page}"
    );
    assert!(page.contains("| `user:42:attr` |"), "{page}");
    // To the ACL it is like any other placeholder.
    let command = Command {
        name: "keyns.ns.set",
        categories: "",
    };
    let rights = Rights::of(b"~user:*:* +@all", command);
    assert_eq!(rights.check(None, registry.get(b"n0")), Ok(()));
    assert!(rights.check(None, registry.get(b"n1")).is_err());
    let draft = Draft {
        name: b"n0",
        pattern: patterns[0].as_bytes(),
        owner: Some(b"web"),
        ..Draft::default()
    };
    again.add(Namespace::new(&draft).unwrap()).unwrap();
    assert_eq!(acl(&again, []), "ACL SETUSER web resetkeys ~user:*:*\n");
}
