//! The outline of any bytes is all of them, properly nested and cut, or there is a plain error.
#![no_main]

use arbitrary::Arbitrary;
use keyns_core::documents::Error;
use keyns_core::documents::outline::{Block, Cut, Kind, MAX_LABEL_BYTES, MAX_TITLE_BYTES, Outline};
use libfuzzer_sys::fuzz_target;

/// The least that a command lets chunks be.
const MIN_CHUNK: usize = 16;

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    by_section: bool,
    max_chunk: Option<u8>,
    source: &'a [u8],
}

fuzz_target!(|input: Input| {
    let max_chunk = input.max_chunk.map(|more| MIN_CHUNK + usize::from(more));
    let cut = Cut {
        by_section: input.by_section,
        max_chunk,
        max_elements: usize::MAX,
    };
    let source = input.source;
    let outline = match Outline::of_bytes(source, &cut) {
        Ok(outline) => outline,
        Err(error) => return assert!(error.to_string().is_ascii()),
    };
    is_the_whole_source(&outline, source);
    is_nested(&outline);
    is_short(&outline, source, max_chunk);
    let count = outline.elements.len();
    let limited = |max_elements| {
        Outline::of_bytes(
            source,
            &Cut {
                max_elements,
                ..cut
            },
        )
    };
    assert!(limited(count).is_ok());
    if let Some(limit) = count.checked_sub(1) {
        assert_eq!(limited(limit).err(), Some(Error::TooManyElements { limit }));
    }
    for list in [&outline.front_matter.tags, &outline.front_matter.authors] {
        assert!(
            list.iter()
                .all(|label| !label.trim().is_empty() && !label.contains('\0'))
        );
    }
});

fn is_the_whole_source(outline: &Outline, source: &[u8]) {
    let text = std::str::from_utf8(source).expect("an outline is of UTF-8");
    let mut end = outline.head.end;
    assert_eq!(outline.head.start, 0);
    for element in &outline.elements {
        assert_eq!(element.span.start, end);
        assert!(!element.span.is_empty() && text.is_char_boundary(element.span.end));
        assert!(element.tail <= element.span.len());
        end = element.span.end;
    }
    assert_eq!(end, source.len());
}

fn is_nested(outline: &Outline) {
    for (index, element) in outline.elements.iter().enumerate() {
        assert!(element.end > index && element.end <= outline.elements.len());
        assert!(element.kind != Kind::Chunk || element.end == index + 1);
        let path = outline.path(element);
        assert!(path.len() <= usize::from(element.level));
        if let Some(parent) = element.parent {
            let above = &outline.elements[parent];
            assert!(parent < index && above.kind < Kind::Chunk && above.end >= element.end);
            assert!(path.contains(&outline.label(above)));
        }
    }
}

fn is_short(outline: &Outline, source: &[u8], max_chunk: Option<usize>) {
    for element in &outline.elements {
        let label = outline.label(element);
        let limit = match element.block {
            Block::Heading => MAX_TITLE_BYTES,
            _ => MAX_LABEL_BYTES,
        };
        assert!(label.len() <= limit && label == label.trim() && !label.contains('\0'));
        let Some(max) = max_chunk.filter(|_| element.kind == Kind::Chunk) else {
            continue;
        };
        let text = std::str::from_utf8(&source[element.span.clone()]).expect("whole characters");
        assert!(element.repeated.len() + text.trim_end().len() <= max);
        assert!(element.repeated.len() <= max / 2);
    }
}
