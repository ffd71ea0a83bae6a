//! YAML as a list of its texts, each with the keys that lead to it.

use saphyr_parser::{Event, Parser};

/// A text, and the keys above it. Places in lists are no keys.
pub type Entry = (Vec<String>, String);

/// Fails if it is not well-formed, or a key stands twice in one place.
#[track_caller]
pub fn entries(yaml: &str) -> Vec<Entry> {
    let mut events = Parser::new_from_str(yaml).map(|event| event.expect("YAML").0);
    let mut found = Vec::new();
    while let Some(event) = events.next() {
        if let Event::DocumentStart(_) = event {
            let first = events.next().expect("a document");
            read(first, &mut events, &mut Vec::new(), &mut found);
        }
    }
    found
}

fn read<'a>(
    event: Event<'a>,
    events: &mut impl Iterator<Item = Event<'a>>,
    keys: &mut Vec<String>,
    found: &mut Vec<Entry>,
) {
    match event {
        Event::Scalar(text, ..) => found.push((keys.clone(), text.into_owned())),
        Event::SequenceStart(..) => loop {
            match events.next().expect("the end of the list") {
                Event::SequenceEnd => break,
                item => read(item, events, keys, found),
            }
        },
        Event::MappingStart(..) => {
            let mut known = Vec::new();
            while let Event::Scalar(key, ..) = events.next().expect("a key") {
                assert!(!known.contains(&key), "'{key}' stands twice below {keys:?}");
                known.push(key.clone());
                keys.push(key.into_owned());
                let value = events.next().expect("a value");
                read(value, events, keys, found);
                keys.pop();
            }
        }
        other => panic!("{other:?} below {keys:?}"),
    }
}
