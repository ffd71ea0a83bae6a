//! Mistakes in the words of a call: an error that says where, and nothing has changed.

use keyns::server::spec::Kind;
use keyns_testkit::{ROWS, Row, Value};

use crate::grammar::{Word, WordKind, arguments, read, spec_of, takes_any_number};
use crate::stage::Stage;

type Words = Vec<Vec<u8>>;

fn words(row: &Row) -> Words {
    row.call().into_iter().map(String::into_bytes).collect()
}

/// A call with another word in one place, counted behind the command's name.
fn with(row: &Row, place: usize, word: &[u8]) -> Words {
    let mut words = words(row);
    words[place + 1] = word.to_vec();
    words
}

/// Whether an error calls a word by one of its names.
fn names(error: &str, word: &Word) -> bool {
    let error = error.to_lowercase();
    let mut names = word.names.iter();
    names.any(|name| error.contains(&name.to_lowercase()))
}

/// Fails unless an error names the word that it is about, repeats it, or names the setting that
/// does not allow it.
#[track_caller]
fn assert_names(error: &str, word: &Word, given: &[u8], case: &str) {
    let is_named = names(error, word);
    let error = error.to_lowercase();
    let start = given[..given.len().min(40)].escape_ascii().to_string();
    let start = start.to_lowercase();
    // Of a long word only the start is repeated.
    let is_repeated = match given.len() {
        0..=40 => error.contains(&format!("'{start}'")),
        _ => error.contains(&format!("'{start}")),
    };
    let is_setting = error.contains("(keyns.");
    assert!(is_named || is_repeated || is_setting, "{case}: {error}");
}

/// Whether a word is an integer, or seconds with or without a unit.
fn is_number(word: &Word) -> bool {
    word.kind == WordKind::Integer || word.names.iter().any(|name| name == "period")
}

/// Whether a word must be one of those that the command knows. KEYNS.KEY takes any for a value.
fn is_keyword(row: &Row, word: &Word) -> bool {
    matches!(word.kind, WordKind::Keyword | WordKind::Choice) && row.command() != "KEYNS.KEY"
}

#[test]
fn too_few_words_are_an_error() {
    let mut stage = Stage::start();
    for row in ROWS {
        stage.set(row);
        let spec = spec_of(row.command());
        let read = read(spec, &row.call());
        let all = words(row);
        let least = usize::try_from(spec.arity.abs()).unwrap();
        for count in 1..least {
            let error = stage.refused(None, &all[..count]);
            let command = row.command().to_lowercase();
            let expected = format!("ERR wrong number of arguments for '{command}' command");
            assert_eq!(error.to_lowercase(), expected.to_lowercase());
        }
        // From there on a call is whole, unless it ends in the middle of an option.
        for count in least.max(2)..all.len() {
            stage.set(row);
            let [last, missing] = [&read[count - 2], &read[count - 1]];
            if !last.goes_on {
                stage.any_reply(&all[..count]);
                continue;
            }
            let error = stage.refused(None, &all[..count]);
            let is_named = names(&error, last) || names(&error, missing);
            assert!(is_named, "{} up to {last:?}: {error}", row.line);
        }
    }
}

#[test]
fn a_word_too_many_is_an_error() {
    let mut stage = Stage::start();
    for row in ROWS {
        if takes_any_number(spec_of(row.command())) && !row.line.contains("KEYNS.KEY") {
            continue;
        }
        stage.set(row);
        let mut words = words(row);
        words.push(b"FOO".to_vec());
        let error = stage.refused(None, &words);
        let says = [
            "'FOO'",
            "wrong number of arguments",
            "values, got",
            "at most 1 value, got",
        ];
        assert!(
            says.iter().any(|text| error.contains(text)),
            "{}: {error}",
            row.line
        );
    }
}

#[test]
fn an_option_given_twice_is_an_error() {
    let mut stage = Stage::start();
    for row in ROWS {
        let spec = spec_of(row.command());
        let read = read(spec, &row.call());
        for (place, word) in read.iter().enumerate() {
            if word.kind != WordKind::Keyword {
                continue;
            }
            let name = &word.names[0];
            let mut options = arguments(spec);
            // A call may have several limits alike, and several lists of them.
            if !options.any(|a| a.token == Some(name) && !matches!(a.kind, Kind::Block(_))) {
                continue;
            }
            let values = read[place + 1..]
                .iter()
                .take_while(|value| value.kind != WordKind::Keyword && value.names.contains(name));
            let mut words = words(row);
            let again = words[place + 1..place + 2 + values.count()].to_vec();
            let option = String::from_utf8(again.join(&b' ')).unwrap();
            words.extend(again);
            stage.set(row);
            let error = stage.refused(None, &words);
            let says = [
                format!("{name} is given twice"),
                format!("{option} is given twice"),
                format!("near '{name}'"),
                "wrong number of arguments".into(),
                "values, got".into(),
                "at most 1 value, got".into(),
            ];
            assert!(
                says.iter().any(|text| error.contains(text)),
                "{}: {name}: {error}",
                row.line
            );
        }
    }
}

#[test]
fn an_unknown_word_is_an_error_that_repeats_it() {
    let mut stage = Stage::start();
    for row in ROWS {
        for (place, word) in read(spec_of(row.command()), &row.call()).iter().enumerate() {
            if is_keyword(row, word) {
                stage.set(row);
                let error = stage.refused(None, &with(row, place, b"FOO"));
                assert!(error.contains("'FOO'"), "{}: {error}", row.line);
            }
        }
    }
}

#[test]
fn what_is_no_integer_or_too_large_for_one_is_an_error_that_names_the_option() {
    let wrong: [&[u8]; 11] = [
        b"",
        b"x",
        b"1.5",
        b"1e3",
        b" 1",
        b"+1",
        b"0x10",
        b"9223372036854775808",
        b"-9223372036854775809",
        b"1\0",
        b"\xff",
    ];
    let mut stage = Stage::start();
    for row in ROWS {
        for (place, word) in read(spec_of(row.command()), &row.call()).iter().enumerate() {
            if !is_number(word) {
                continue;
            }
            for value in wrong {
                stage.set(row);
                let call = with(row, place, value);
                let error = stage.refused(None, &call);
                assert_names(&error, word, b"\n", row.line);
            }
        }
    }
}

/// Integers that may be any of 64 bits: the numbers of callers, which are only compared, and what is
/// added to a counter or taken away from it.
const WITHOUT_RANGE: [(&str, &str); 3] = [
    ("KEYNS.ADVANCE", "revision"),
    ("KEYNS.CHECKPOINT", "position"),
    ("KEYNS.COUNT", "amount"),
];

/// Errors about words that are each in their range, and together ask for too much.
const ABOUT_SEVERAL_WORDS: [(&str, &str); 2] = [
    ("capacity", "a bucket must not take longer than"),
    ("from", "the range has 20773 buckets, more than 10000"),
];

#[test]
fn an_integer_out_of_its_range_is_an_error_that_names_the_option() {
    let edges = [i64::MIN, -1, 0, i64::MAX].map(|edge| edge.to_string());
    let mut stage = Stage::start();
    for row in ROWS {
        for (place, word) in read(spec_of(row.command()), &row.call()).iter().enumerate() {
            if !is_number(word) {
                continue;
            }
            let name = word.names[0].as_str();
            let mut refused = 0;
            for edge in &edges {
                stage.set(row);
                let reply = stage.any_reply(&with(row, place, edge.as_bytes()));
                let Value::Error(error) = reply else {
                    continue;
                };
                let mut known = ABOUT_SEVERAL_WORDS.iter();
                if !known.any(|(of, text)| *of == name && error.contains(text)) {
                    let case = format!("{} with {edge} there", row.line);
                    assert_names(&error, word, b"\n", &case);
                    refused += 1;
                }
            }
            let takes_any = WITHOUT_RANGE.contains(&(row.command(), name));
            let case = format!("{} refuses {refused} of {name}", row.line);
            assert_eq!(refused == 0, takes_any, "{case}");
        }
    }
}

#[test]
fn any_bytes_in_any_place_get_a_reply_and_an_error_names_the_place() {
    let long = vec![b'x'; 1 << 20];
    let values: [&[u8]; 6] = [b"", b"\0", b"a\0b", b"\xff\xfe", b"{", &long];
    let mut stage = Stage::start();
    for row in ROWS {
        for (place, word) in read(spec_of(row.command()), &row.call()).iter().enumerate() {
            for value in values {
                stage.set(row);
                let reply = stage.any_reply(&with(row, place, value));
                // Where WITHTTL was, a word is one more value, which is an error of another kind.
                if word.kind == WordKind::Keyword && !is_keyword(row, word) {
                    continue;
                }
                if let Value::Error(error) = reply {
                    let case = format!(
                        "{} with {} there",
                        row.line,
                        value[..value.len().min(9)].escape_ascii()
                    );
                    assert_names(&error, word, value, &case);
                }
            }
        }
    }
}

/// Keywords count whatever their case, and options in any order.
#[test]
fn keywords_may_be_in_lower_case() {
    let mut stage = Stage::start();
    for row in ROWS {
        stage.set(row);
        let expected = stage.client.call(&row.call());
        stage.set(row);
        let mut call = row.call();
        for (place, word) in read(spec_of(row.command()), &row.call()).iter().enumerate() {
            if matches!(word.kind, WordKind::Keyword | WordKind::Choice) {
                call[place + 1] = call[place + 1].to_lowercase();
            }
        }
        call[0] = call[0].to_lowercase();
        let reply = stage.client.call(&call);
        assert!(!reply.is_error(), "{call:?}: {reply:?}");
        assert!(row.varies || reply == expected, "{call:?}: {reply:?}");
    }
}
