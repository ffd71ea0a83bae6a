//! What CHECK says of keys, by example and for any key.

use proptest::prelude::*;

use super::*;
use crate::naming::number_words::Lang;

fn codes(key: &str) -> Vec<&'static str> {
    problems(key.as_bytes(), &Kinds::default())
        .iter()
        .map(Problem::code)
        .collect()
}

fn suggestion(key: &str) -> Option<String> {
    if problems(key.as_bytes(), &Kinds::default()).is_empty() {
        return None;
    }
    suggest(key.as_bytes(), &Kinds::default(), Lang::De).map(|key| String::from_utf8(key).unwrap())
}

#[test]
fn valid_keys() {
    for key in [
        "doc:portfolio_strategies:001",
        "chunk:diversifikation_grundstein:1000",
        "{acme}:ch:risk_management:001:children",
        "prod:{acme}:v1:doc:intro:042",
        "notification.slack:v1:{Tenant-7}:para:intro:001",
        "doc:_seq",
        "{acme}:doc:_slugs",
    ] {
        assert_eq!(codes(key), [""; 0], "{key}");
        assert_eq!(suggestion(key), None, "{key}");
    }
}

#[test]
fn every_problem_has_its_code_and_its_cure() {
    for (key, expected, cure) in [
        (
            "doc:portfolio-strategies:1",
            &["HYPHEN", "NUMBER_WIDTH"][..],
            Some("doc:portfolio_strategies:001"),
        ),
        (
            "Doc:Portfolio_Strategies:001",
            &["UPPERCASE"],
            Some("doc:portfolio_strategies:001"),
        ),
        (
            "doc:portfolio strategies:001",
            &["SPACE"],
            Some("doc:portfolio_strategies:001"),
        ),
        (
            "doc:r\u{e4}tsel?:001",
            &["SPECIAL_CHAR"],
            Some("doc:raetsel:001"),
        ),
        (
            "doc:3d_druck:001",
            &["SPECIAL_CHAR"],
            Some("doc:drei_d_druck:001"),
        ),
        ("doc:{intro}:001", &["SPECIAL_CHAR"], Some("doc:intro:001")),
        (
            "doc:intro/001",
            &["MIXED_SEPARATORS", "NUMBER_WIDTH"],
            Some("doc:intro:001"),
        ),
        (
            "doc/intro/001",
            &[
                "SPECIAL_CHAR",
                "UNKNOWN_KIND",
                "SLUG_LENGTH",
                "NUMBER_WIDTH",
            ],
            Some("doc:intro:001"),
        ),
        ("doc::intro:001", &["EMPTY_SEGMENT"], Some("doc:intro:001")),
        (":doc:intro:001:", &["EMPTY_SEGMENT"], Some("doc:intro:001")),
        (
            "document:intro:001",
            &["UNKNOWN_KIND"],
            Some("doc:intro:001"),
        ),
        (
            "chunks:intro:001",
            &["UNKNOWN_KIND"],
            Some("chunk:intro:001"),
        ),
        ("dox:intro:001", &["UNKNOWN_KIND"], Some("doc:intro:001")),
        (
            "doc:risk:management:001",
            &["UNKNOWN_KIND"],
            Some("doc:risk_management:001"),
        ),
        (
            "doc:risk:basics:more:things:001",
            &["UNKNOWN_KIND"],
            Some("doc:risk_basics_more_things:001"),
        ),
        ("user:intro:001", &["UNKNOWN_KIND"], None),
        ("doc:x:001", &["SLUG_LENGTH"], None),
        (
            "doc:portfolio_management_risk_assessment:001",
            &["SLUG_LENGTH"],
            Some("doc:portfolio_management_risk_asse:001"),
        ),
        ("doc:001", &["SLUG_LENGTH"], None),
        ("doc:intro", &["NUMBER_WIDTH"], Some("doc:intro:001")),
        (
            "doc:intro:07:children",
            &["NUMBER_WIDTH"],
            Some("doc:intro:007:children"),
        ),
        ("doc", &["SLUG_LENGTH", "NUMBER_WIDTH"], None),
        ("", &["EMPTY_SEGMENT", "SLUG_LENGTH", "NUMBER_WIDTH"], None),
        (
            "Prod:{Acme}:doc:intro:001",
            &["UPPERCASE"],
            Some("prod:{Acme}:doc:intro:001"),
        ),
        (
            "{a:b}:doc:Intro:001",
            &["UPPERCASE"],
            Some("{a:b}:doc:intro:001"),
        ),
        (
            "Doc:Portfolio-Strategies:1:Children",
            &["UPPERCASE", "HYPHEN", "NUMBER_WIDTH"],
            Some("doc:portfolio_strategies:001:children"),
        ),
        ("doc:_Seq", &["UPPERCASE"], Some("doc:_seq")),
        (
            "doc:_seq:children",
            &["SPECIAL_CHAR", "NUMBER_WIDTH"],
            Some("doc:seq:001:children"),
        ),
        ("DOC:_seq", &["UPPERCASE"], Some("doc:_seq")),
    ] {
        assert_eq!(codes(key), expected, "{key}");
        assert_eq!(suggestion(key).as_deref(), cure, "{key}");
    }
}

#[test]
fn warnings_for_deep_long_and_generic_keys() {
    let codes = |key: &str| {
        warnings(key.as_bytes())
            .iter()
            .map(Warning::code)
            .collect::<Vec<_>>()
    };
    assert_eq!(codes("doc:intro:001"), [""; 0]);
    assert_eq!(codes("a:b:doc:intro:001:children"), ["TOO_DEEP"]);
    assert_eq!(codes(&"ä".repeat(51)), ["TOO_LONG", "TOO_GENERIC"]);
    assert_eq!(codes(&format!("doc:{}", "ä".repeat(46))), [""; 0]);
    assert_eq!(codes("doc"), ["TOO_GENERIC"]);
}

/// As with slugs: a time that grew with the square of the key's length would be minutes here.
#[test]
fn long_keys_of_one_piece_are_read_in_one_go() {
    const BYTES: usize = 1 << 17;
    for piece in [
        ":",
        "a:",
        "doc:",
        "doc:1:",
        "{",
        "}",
        "{}",
        "/",
        "a",
        "1",
        "ü",
        "_",
        "-",
        "children:",
    ] {
        let key = piece.repeat(BYTES / piece.len());
        for kinds in [Kinds::default(), Kinds::parse(b"").unwrap()] {
            problems(key.as_bytes(), &kinds);
            suggest(key.as_bytes(), &kinds, Lang::De);
        }
        warnings(key.as_bytes());
        crate::naming::key_name::KeyName::parse(key.as_bytes());
    }
}

fn any_key() -> impl Strategy<Value = Vec<u8>> {
    let segment = prop_oneof![
        prop::sample::select(vec![
            "doc",
            "Doc",
            "docs",
            "ch",
            "chunk",
            "user",
            "prod",
            "v1",
            "{acme}",
            "{A:b}",
            "{",
            "}",
            "children",
            "next",
            "_seq",
            "_slugs",
            "1",
            "07",
            "001",
            "1000",
            "intro",
            "Risk-Management",
            "risk management",
            "ä",
            "",
            "3d",
            "notification.slack",
            "x",
            "a__b_",
        ])
        .prop_map(|s| s.as_bytes().to_vec()),
        prop::collection::vec(any::<u8>(), 0..6),
        "[a-z_0-9]{1,40}".prop_map(String::into_bytes),
    ];
    let separator = prop::sample::select(vec![":", ":", ":", ":", "/", "|", "::"]);
    prop::collection::vec((segment, separator), 0..7).prop_map(|parts| {
        let mut key: Vec<u8> = parts
            .iter()
            .flat_map(|(s, sep)| [s, sep.as_bytes()].concat())
            .collect();
        key.pop();
        key
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_suggestion_is_valid(key in any_key()) {
        for kinds in [Kinds::default(), Kinds::parse(b"").unwrap()] {
            if !problems(&key, &kinds).is_empty()
                && let Some(better) = suggest(&key, &kinds, Lang::De)
            {
                prop_assert!(problems(&better, &kinds).is_empty());
            }
        }
        warnings(&key).iter().count();
    }

    #[test]
    fn a_valid_key_is_of_the_form_it_should_be(key in any_key()) {
        if problems(&key, &Kinds::default()).is_empty() {
            let key = String::from_utf8(key).unwrap();
            let segments: Vec<&str> = key.split(':').collect();
            let name = crate::naming::key_name::KeyName::parse(key.as_bytes());
            prop_assert!(name.is_some() || segments.last().unwrap().starts_with('_')
                || segments[segments.len() - 2].starts_with('_'), "{key}");
            if let Some(name) = name {
                prop_assert!(name.number.len() >= 3 && (2..=30).contains(&name.slug.len()));
            }
        }
    }
}
