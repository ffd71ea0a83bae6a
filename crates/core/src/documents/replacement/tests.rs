use super::super::items::{new_items, stored_chunk, stored_section};
use super::super::layout::tests::Sample;
use super::*;
use crate::documents::outline::Kind;

/// A stored chapter `Risk` with three chunks, and the text that comes in its place.
fn replacement(has_siblings: bool, sample: &Sample, source: &str) -> Replacement<Vec<u8>> {
    let risk = stored_section(Kind::Chapter, b"Risk", None);
    let chunk = |text: &str| stored_chunk(text.as_bytes(), None, Some(&risk));
    let old = [risk, chunk("one"), chunk("two"), chunk("three")];
    let part = |name: &str, kind| StoredPart {
        name: name.into(),
        kind,
    };
    let stored = Stored {
        name: b"doc:d:001".to_vec(),
        parts: vec![
            part("ch:risk:001", Kind::Chapter),
            part("chunk:one:001", Kind::Chunk),
            part("chunk:two:002", Kind::Chunk),
            part("chunk:three:003", Kind::Chunk),
        ],
        sets: Vec::new(),
        has_siblings,
    };
    Replacement::new(stored, &old, &new_items(&sample.outline, source.as_bytes()))
}

fn names<'n>(parts: impl Iterator<Item = &'n StoredPart<Vec<u8>>>) -> Vec<&'n str> {
    parts.map(|part| text(&part.name)).collect()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

const EDITED: &str = "# Risk\n\nthree\n\nnew\n\none\n";

#[test]
fn what_is_the_same_stays_wherever_it_is_now() {
    let sample = Sample::of(EDITED);
    let replacement = replacement(false, &sample, EDITED);
    let kept = ["ch:risk:001", "chunk:three:003", "chunk:one:001"];
    assert_eq!(names(replacement.kept()), kept);
    assert_eq!(names(replacement.removed()), ["chunk:two:002"]);
    let is_kept: Vec<bool> = (0..5).map(|index| replacement.is_kept(index)).collect();
    assert_eq!(is_kept, [true, true, false, true, false]);
    for (index, name) in [
        (0, Some("ch:risk:001")),
        (1, Some("chunk:three:003")),
        (2, None),
        (3, Some("chunk:one:001")),
        (4, None),
    ] {
        let keys = replacement.kept_keys(index, true);
        assert_eq!(keys.as_ref().map(|keys| text(&keys.own)), name, "{index}");
        assert!(keys.is_none_or(|keys| keys.siblings.is_some()));
    }
}

#[test]
fn keys_go_with_their_part_and_siblings_when_they_are_unwanted() {
    let stale = |has_siblings, sample: &Sample| {
        let layout = sample.layout();
        let mut keys: Vec<String> = Vec::new();
        replacement(has_siblings, sample, EDITED)
            .for_stale_keys(&layout, |stale| {
                keys.extend(stale.iter().map(|(key, _)| text(key).to_string()));
                Ok::<(), ()>(())
            })
            .unwrap();
        keys
    };
    let of_part = ["", ":next", ":previous"].map(|end| format!("chunk:two:002{end}"));
    assert_eq!(stale(false, &Sample::of(EDITED)), of_part);
    assert_eq!(stale(false, &Sample::with_siblings(EDITED)), of_part);

    let mut with_siblings = of_part.to_vec();
    with_siblings.push("chunk:two:002:siblings".into());
    assert_eq!(stale(true, &Sample::with_siblings(EDITED)), with_siblings);

    // The layout of the sample names elements by their positions.
    let unwanted = ["ch:e1:001", "chunk:e2:001", "chunk:e4:001"];
    with_siblings.extend(unwanted.map(|name| format!("{name}:siblings")));
    assert_eq!(stale(true, &Sample::of(EDITED)), with_siblings);
}

#[test]
fn an_error_ends_the_walk_over_stale_keys() {
    let sample = Sample::of(EDITED);
    let replacement = replacement(false, &sample, EDITED);
    let stopped = replacement.for_stale_keys(&sample.layout(), |_| Err("stop"));
    assert_eq!(stopped, Err("stop"));
}

#[test]
fn nobody_leaves_a_set_whose_name_is_still_in_use() {
    let sample = Sample::of(EDITED);
    let replacement = replacement(false, &sample, EDITED);
    let leaving = |members, stays, new: &[&'static str]| -> Vec<&str> {
        let new = new.iter().map(|name| name.as_bytes()).collect();
        let leaving = replacement.leaving(members, stays, &new);
        leaving.into_iter().map(|name| text(name)).collect()
    };
    let chunks = Members::Parts(Kind::Chunk);
    let all = ["chunk:one:001", "chunk:two:002", "chunk:three:003"];
    assert_eq!(leaving(chunks, true, &[]), ["chunk:two:002"]);
    assert!(leaving(chunks, true, &["chunk:two:002"]).is_empty());
    assert_eq!(leaving(chunks, false, &["chunk:two:002"]), all);
    assert!(leaving(Members::Parts(Kind::Chapter), true, &[]).is_empty());
    assert!(leaving(Members::Document, true, &[]).is_empty());
    assert_eq!(leaving(Members::Document, false, &[]), ["doc:d:001"]);
}
