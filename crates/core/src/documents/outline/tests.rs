//! Every rule of the outline by its name.

mod blocks;
mod cutting;
mod sections;
mod source;
mod splitting;
mod titles;

use super::*;

fn outline(source: &str) -> Outline {
    Outline::of(source, &Cut::default()).unwrap()
}

/// The outline with one chunk for each section.
fn by_section(source: &str) -> Outline {
    let cut = Cut {
        by_section: true,
        ..Cut::default()
    };
    Outline::of(source, &cut).unwrap()
}

/// The outline with chunks of at most `max` bytes.
fn cut_at(max: usize, source: &str) -> Outline {
    let cut = Cut {
        max_chunk: Some(max),
        ..Cut::default()
    };
    Outline::of(source, &cut).unwrap()
}

fn each<T>(outline: &Outline, what: impl Fn(&Element) -> T) -> Vec<T> {
    outline.elements.iter().map(what).collect()
}

fn kinds(outline: &Outline) -> Vec<Kind> {
    each(outline, |element| element.kind)
}

fn blocks(outline: &Outline) -> Vec<Block> {
    each(outline, |element| element.block)
}

fn parents(outline: &Outline) -> Vec<Option<usize>> {
    each(outline, |element| element.parent)
}

fn labels(outline: &Outline) -> Vec<&str> {
    let elements = outline.elements.iter();
    elements.map(|element| outline.label(element)).collect()
}

/// What every element is of the source.
fn texts<'a>(outline: &Outline, source: &'a str) -> Vec<&'a str> {
    each(outline, |element| &source[element.span.clone()])
}

/// The block that a document of one chunk is.
fn only_block(source: &str) -> Block {
    let outline = outline(source);
    assert_eq!(kinds(&outline), [Kind::Chunk], "{source:?}");
    assert_eq!(texts(&outline, source), [source]);
    outline.elements[0].block
}

/// The title of a document that is one heading.
fn title(source: &str) -> String {
    let outline = outline(source);
    assert_eq!(blocks(&outline), [Block::Heading], "{source:?}");
    outline.label(&outline.elements[0]).to_owned()
}
