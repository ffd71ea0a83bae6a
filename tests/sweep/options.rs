//! A wrong word is told which words are allowed in its place: those that `COMMAND DOCS` has, so that
//! no option can be forgotten in one of both.

use std::collections::{BTreeMap, BTreeSet};

use keyns::server::spec::Spec;
use keyns_testkit::{ROWS, Row, Value};

use crate::grammar::{Word, WordKind, keywords, read, spec_of, specs, text};
use crate::stage::Stage;

/// An argument of `COMMAND DOCS` that a caller starts with a word.
struct Described {
    name: String,
    /// The words by which it starts: its keyword, or one of several in its place.
    starts: Vec<String>,
    is_tagged: bool,
    repeats: bool,
    /// The words for its value, if it is one of some words.
    values: Vec<String>,
}

fn described(stage: &mut Stage, command: &str) -> Vec<Described> {
    let docs = stage.client.call(&["COMMAND", "DOCS", command]);
    let docs = docs.fields().into_values().next().expect("a command");
    let docs = docs.fields();
    let arguments = docs.get("arguments").map(Value::array).unwrap_or_default();
    let arguments = arguments.iter().map(Value::fields);
    arguments.filter_map(|fields| describe(&fields)).collect()
}

fn describe(fields: &BTreeMap<String, Value>) -> Option<Described> {
    let inner = fields.get("arguments").map(Value::array);
    let values: Vec<String> = match fields["type"].text().as_str() {
        "oneof" => inner.unwrap_or_default().iter().filter_map(token).collect(),
        _ => Vec::new(),
    };
    let token = fields.get("token").map(Value::text);
    let is_tagged = token.is_some();
    let flags = fields.get("flags").map(Value::array).unwrap_or_default();
    let starts = token.map_or_else(|| values.clone(), |token| vec![token]);
    (!starts.is_empty()).then(|| Described {
        name: fields["name"].text(),
        starts,
        is_tagged,
        repeats: flags.iter().any(|flag| flag.text() == "multiple"),
        values,
    })
}

fn token(argument: &Value) -> Option<String> {
    argument.fields().get("token").map(Value::text)
}

/// `A, B or C`; where nothing is left, that.
fn list(words: &[String]) -> String {
    match words {
        [] => "nothing more".into(),
        [one] => one.clone(),
        [others @ .., last] => format!("{} or {last}", others.join(", ")),
    }
}

/// The words that may stand behind those of a row.
fn allowed(described: &[Described], row: &Row, before: &[Word]) -> Vec<String> {
    let given = row.call();
    let given: BTreeSet<&str> = before
        .iter()
        .zip(&given[1..])
        .filter(|(word, _)| matches!(word.kind, WordKind::Keyword | WordKind::Choice))
        .map(|(_, given)| given.as_str())
        .collect();
    let is_left = |argument: &&Described| {
        argument.repeats
            || !argument
                .starts
                .iter()
                .any(|start| given.contains(start.as_str()))
    };
    let left = described.iter().filter(is_left);
    left.flat_map(|argument| argument.starts.clone()).collect()
}

/// A row's call with a wrong word in place of this one, or behind all of them.
fn with_foo(row: &Row, place: usize) -> Vec<String> {
    let mut call = row.call();
    match call.get_mut(place + 1) {
        Some(word) => *word = "FOO".into(),
        None => call.push("FOO".into()),
    }
    call
}

/// Whether words that are no options follow this place: a wrong word there is taken for one of them.
fn is_before_others(read: &[Word], place: usize) -> bool {
    let mut goes_on = false;
    read[place..].iter().any(|word| {
        let is_value = goes_on;
        goes_on = word.goes_on;
        !is_value && !matches!(word.kind, WordKind::Keyword | WordKind::Choice)
    })
}

/// Whether an option may start in this place, or a word of some stand there.
fn may_start(spec: &Spec, read: &[Word], place: usize) -> bool {
    let Some(word) = read.get(place) else {
        // Where no more words are allowed, it is the server that says so.
        return spec.arity < 0;
    };
    let is_value = place > 0 && read[place - 1].goes_on;
    let is_word = matches!(word.kind, WordKind::Keyword | WordKind::Choice);
    is_word && !is_value && !is_before_others(read, place)
}

/// What a wrong word right after counted keys is told besides: most likely their number is wrong.
fn miscounted(row: &Row, place: usize) -> Option<String> {
    let call = row.call();
    let numkeys: usize = match row.command() {
        "KEYNS.RATE.ALL" => call[1].parse().expect("a number of keys"),
        _ => return None,
    };
    let last = &call[numkeys + 1];
    (place == numkeys + 1).then(|| format!(" (numkeys is {numkeys}, so the last key is '{last}')"))
}

/// Takes any word for a value.
const TAKES_ANY_WORD: [&str; 5] = [
    "KEYNS.KEY",
    "KEYNS.CHECK",
    "KEYNS.PARSE",
    "KEYNS.NS.DEL",
    "KEYNS.PANIC",
];

#[test]
fn a_wrong_word_is_told_the_options_that_are_left() {
    let mut stage = Stage::start();
    let mut listed: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for row in ROWS {
        let command = row.command();
        let spec = spec_of(command);
        if TAKES_ANY_WORD.contains(&command) {
            continue;
        }
        let described = described(&mut stage, command);
        let read = read(spec, &row.call());
        for place in (0..=read.len()).filter(|&place| may_start(spec, &read, place)) {
            stage.set(row);
            let error = stage.refused(None, &with_foo(row, place));
            let allowed = allowed(&described, row, &read[..place]);
            let expected = match (command, described.first()) {
                // The one word in its place that has a name.
                ("KEYNS.NS.PRESET", Some(preset)) if place == 0 => {
                    format!("ERR preset must be {}, got 'FOO'", list(&preset.starts))
                }
                _ => {
                    let (allowed, reason) = match miscounted(row, place) {
                        Some(reason) => (&described[0].starts, reason),
                        None => (&allowed, String::new()),
                    };
                    let allowed = list(allowed);
                    format!("ERR syntax error near 'FOO', expected {allowed}{reason}")
                }
            };
            assert_eq!(error, expected, "{} with FOO at {place}", row.line);
            listed.entry(command).or_default().extend(allowed);
        }
    }
    for spec in specs().filter(|spec| !TAKES_ANY_WORD.contains(&text(spec.name))) {
        let name = text(spec.name);
        let listed = listed.remove(name).unwrap_or_default();
        for keyword in keywords(spec) {
            assert!(
                listed.contains(keyword),
                "{name}: {keyword} is never listed"
            );
        }
    }
}

#[test]
fn a_wrong_value_is_told_the_words_that_its_option_knows() {
    let mut stage = Stage::start();
    for row in ROWS {
        let described = described(&mut stage, row.command());
        let read = read(spec_of(row.command()), &row.call());
        for (place, word) in read.iter().enumerate() {
            let is_value = place > 0 && read[place - 1].goes_on;
            if !is_value || word.kind != WordKind::Choice {
                continue;
            }
            let mut options = described.iter().filter(|argument| argument.is_tagged);
            let option = options.find(|option| word.names.contains(&option.name));
            let option = option.expect("an option");
            stage.set(row);
            let error = stage.refused(None, &with_foo(row, place));
            let (token, values) = (&option.starts[0], list(&option.values));
            let expected = format!("ERR {token} must be {values}, got 'FOO'");
            assert_eq!(error, expected, "{}", row.line);
        }
    }
}

#[test]
fn an_option_without_its_value_says_so() {
    let mut stage = Stage::start();
    for row in ROWS {
        let spec = spec_of(row.command());
        let described = described(&mut stage, row.command());
        let read = read(spec, &row.call());
        for (place, word) in read.iter().enumerate() {
            let mut options = described.iter().filter(|argument| argument.is_tagged);
            let is_option = options.any(|option| option.starts[0] == word.names[0]);
            let is_whole = spec.arity < 0 && place + 2 >= spec.arity.unsigned_abs() as usize;
            if word.kind != WordKind::Keyword || !word.goes_on || !is_option || !is_whole {
                continue;
            }
            stage.set(row);
            let error = stage.refused(None, &row.call()[..place + 2]);
            let expected = format!("ERR {} needs a value", word.names[0]);
            assert_eq!(error, expected, "{}", row.line);
        }
    }
}
