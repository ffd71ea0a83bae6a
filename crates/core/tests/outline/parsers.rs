//! What our outline and two parsers of CommonMark say of the same document.

use comrak::nodes::{AstNode, NodeValue};
use keyns_core::documents::front_matter;
use keyns_core::documents::outline::{Block, Cut, Outline};
use pulldown_cmark::{Event, Options, Parser, Tag};

/// A heading at the level of the document: how deep it is, and its plain text.
pub type Heading = (u8, String);

pub fn outline(source: &str) -> Outline {
    Outline::of(source, &Cut::default()).unwrap_or_else(|error| panic!("{error} in {source:?}"))
}

/// The headings that our outline has.
pub fn our_headings(source: &str) -> Vec<Heading> {
    let outline = outline(source);
    let headings = outline.elements.iter();
    let headings = headings.filter(|element| element.block == Block::Heading);
    headings
        .map(|heading| (heading.level, words(outline.label(heading))))
        .collect()
}

/// The headings that comrak has.
pub fn comraks_headings(source: &str) -> Vec<Heading> {
    let mut options = comrak::Options::default();
    options.extension.table = true;
    options.extension.strikethrough = true;
    options.extension.tasklist = true;
    let arena = comrak::Arena::new();
    let document = comrak::parse_document(&arena, content(source), &options);
    let headings = document.children().filter_map(|node| {
        let NodeValue::Heading(heading) = &node.data.borrow().value else {
            return None;
        };
        let mut text = String::new();
        add_plain_text(node, &mut text);
        Some((heading.level, words(&text)))
    });
    headings.collect()
}

fn add_plain_text<'a>(node: &'a AstNode<'a>, text: &mut String) {
    match &node.data.borrow().value {
        NodeValue::Text(plain) => text.push_str(plain),
        NodeValue::Code(code) => text.push_str(&code.literal),
        NodeValue::SoftBreak | NodeValue::LineBreak => text.push(' '),
        _ => {}
    }
    for child in node.children() {
        add_plain_text(child, text);
    }
}

/// The blocks that our outline has, and how deep those are that are headings.
pub fn our_blocks(source: &str) -> Vec<(Block, u8)> {
    let outline = outline(source);
    let elements = outline.elements.iter();
    elements
        .map(|element| match element.block {
            Block::Heading => (Block::Heading, element.level),
            block => (block, 0),
        })
        .collect()
}

/// The same, as pulldown-cmark has them.
pub fn pulldowns_blocks(source: &str) -> Vec<(Block, u8)> {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut depth = 0;
    let mut blocks = Vec::new();
    for event in Parser::new_ext(content(source), options) {
        match event {
            Event::Start(tag) => {
                if depth == 0 {
                    blocks.push(block_of(&tag));
                }
                depth += 1;
            }
            Event::End(_) => depth -= 1,
            _ => {}
        }
    }
    blocks
}

fn block_of(tag: &Tag) -> (Block, u8) {
    let block = match tag {
        Tag::Heading { level, .. } => return (Block::Heading, *level as u8),
        Tag::Paragraph => Block::Paragraph,
        Tag::List(_) => Block::List,
        Tag::CodeBlock(_) => Block::Code,
        Tag::Table(_) => Block::Table,
        Tag::BlockQuote(_) => Block::Quote,
        Tag::HtmlBlock => Block::Html,
        tag => panic!("{tag:?} is no block of a document"),
    };
    (block, 0)
}

/// The source without what other parsers know nothing of.
fn content(source: &str) -> &str {
    let (_, start) = front_matter::read(source).unwrap();
    &source[start..]
}

/// Plain text as titles are compared: nobody says how white space in code ends up.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
