//! What holds for the outline of any document, however it is cut.

use proptest::prelude::*;
use proptest::sample::select;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use super::*;

/// Blocks and parts of blocks, closed and open, with the characters that parsers stumble over.
const PIECES: &[&str] = &[
    // Headings.
    "# One\n",
    "## Two *three*\n",
    "### Four #\n",
    "#### Five\n",
    "###### Six\n",
    "#\n",
    "Seven\n===\n",
    "Eight\nnine\n---\n",
    "\n# [ten] `code`\n",
    // Text and what is between blocks.
    "text\n",
    "One sentence. And two! Or three? ",
    "\u{4e2d}\u{6587}\u{3002}\u{65e5}\u{672c}\u{ff01}",
    "a long line of words that goes on and on without any end to it at all\n",
    "anextremelylongwordwithoutanyspaceinitthathastobecutsomewhereinthemiddle",
    "\n",
    "\n\n",
    " \n\t\n",
    "---\n",
    "* * *\n",
    "[ten]: /eleven 'twelve'\n",
    "[open]: /title 'not closed\n",
    "[half\n",
    "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n",
    // Lists and quotes.
    "- item\n",
    "- # in an item\n",
    "-\n",
    "  - deeper\n",
    "    - and deeper. With words.\n",
    "1. first\n2. second\n\n   third\n",
    "- [x] done\n- [ ] to do\n",
    "+ ",
    "> quote\n",
    "> # in a quote\n",
    "> > - ",
    ">\n",
    "lazy\n",
    // Code, HTML and tables.
    "```\n",
    "```rust\n# code\n\nfn main() {}\n```\n",
    "~~~~\n",
    "    indented\n",
    "\tindented\n",
    "<div>\n",
    "</div>\n",
    "<!--\n",
    "-->\n",
    "<PRE>\n",
    "</Pre>\n",
    "<a href='",
    "| a | b |\n|---|:-:|\n| 1 | 2 |\n| 3 | 4 |\n",
    "\n| a |\n|---|\n",
    "| a cell that is longer than most |\n",
    "a | b\n--|--\n",
    "|",
    // Inline.
    "*",
    "**strong**",
    "_",
    "`",
    "``` ",
    "~~",
    "[",
    "](x)",
    "![image](y)",
    "<http://z>",
    "&amp;",
    "&#0;",
    "\\",
    "\\\n",
    "  \n",
    // Characters.
    "\r",
    "\r\n",
    "one.\r\ntwo.\r\n",
    "\r\n\r\n",
    "\0",
    "\u{feff}",
    "\u{b}",
    "\u{c}",
    "\u{85}",
    "\u{a0}",
    "\u{2028}",
    "\u{e4}",
    "\u{20ac}",
    "\u{1f680}",
    "e\u{301}",
    "\t",
    " ",
    "     ",
    "#",
    "=",
    "-",
    ">",
    "1.",
    "x",
];

const STARTS: &[&str] = &[
    "",
    "",
    "",
    "\u{feff}",
    "---\ntitle: One\ntags: [a, b]\n---\n",
    "\u{feff}---\r\ntitle: One\r\n...\r\n",
    "+++\ntitle = \"One\"\n+++\n\n",
    "---\nopen: ended\n",
    "---\n",
];

fn any_document() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        12 => select(PIECES).prop_map(str::to_owned),
        1 => "\\PC{0,8}",
        1 => any::<String>(),
    ];
    let pieces = prop::collection::vec(piece, 0..24);
    let ending = select(&["\n", "\n", "\r\n", "\r"][..]);
    (select(STARTS), pieces, ending).prop_map(|(start, pieces, ending)| {
        (start.to_owned() + &pieces.concat()).replace('\n', ending)
    })
}

/// What stands in front of lines, and lines that go on with those before.
const FRONTS: &[&str] = &[
    "-",
    "- ",
    "* ",
    "+ ",
    "1. ",
    "2) ",
    "10. ",
    ">",
    "> ",
    "> > ",
    " ",
    "  ",
    "    ",
    "     ",
    "\t",
    "a",
    "b\n",
    "\n",
    "\n",
    "\n\n",
    "-\n",
    ">\n",
    "a\n",
    "# a\n",
    "```\n",
    "    a\n",
    "---\n",
    "* *\u{c}*",
    "[a]: b\n",
    "[ ] ",
    "|a|\n|-|\n",
    "<div>\n",
    "===\n",
    "\u{b}",
    "\u{c}\n",
    "\r",
];

fn any_nesting() -> impl Strategy<Value = String> {
    prop::collection::vec(select(FRONTS), 0..40).prop_map(|fronts| fronts.concat())
}

/// How many quotes and items are around the deepest text.
fn depth(source: &str) -> usize {
    let mut depth = 0_usize;
    let mut deepest = 0;
    for event in Parser::new(&quirks::mend(source)) {
        match event {
            Event::Start(Tag::BlockQuote(_) | Tag::Item) => depth += 1,
            Event::End(TagEnd::BlockQuote(_) | TagEnd::Item) => depth -= 1,
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

fn any_cut() -> impl Strategy<Value = Cut> {
    let max_chunk = prop_oneof![
        1 => Just(None),
        3 => (MIN_CHUNK..80).prop_map(Some),
        1 => (MIN_CHUNK..1000).prop_map(Some),
    ];
    (any::<bool>(), max_chunk).prop_map(|(by_section, max_chunk)| Cut {
        by_section,
        max_chunk,
        max_elements: usize::MAX,
    })
}

/// The least that a command lets chunks be: with less, a header and a character may not fit.
const MIN_CHUNK: usize = 16;

/// The outline of a document that has none only for its front matter.
fn outline(source: &str, cut: &Cut) -> Option<Outline> {
    match Outline::of(source, cut) {
        Ok(outline) => Some(outline),
        Err(Error::FrontMatter { .. }) => None,
        Err(error) => panic!("{error} for {source:?}"),
    }
}

/// The innermost section around an element, by where sections end.
fn innermost(outline: &Outline, index: usize) -> Option<usize> {
    (0..index)
        .rev()
        .find(|&above| outline.elements[above].end > index)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_spans_are_the_whole_source(source in any_document(), cut in any_cut()) {
        let Some(outline) = outline(&source, &cut) else { return Ok(()) };
        let mut end = outline.head.end;
        prop_assert_eq!(outline.head.start, 0);
        for element in &outline.elements {
            prop_assert_eq!(element.span.start, end);
            prop_assert!(!element.span.is_empty());
            prop_assert!(source.is_char_boundary(element.span.end));
            prop_assert!(element.tail <= element.span.len());
            end = element.span.end;
        }
        prop_assert_eq!(end, source.len());
    }

    #[test]
    fn sections_are_nested_as_their_parents_say(source in any_document(), cut in any_cut()) {
        let Some(outline) = outline(&source, &cut) else { return Ok(()) };
        for (index, element) in outline.elements.iter().enumerate() {
            prop_assert!(element.end > index && element.end <= outline.elements.len());
            prop_assert!(element.kind != Kind::Chunk || element.end == index + 1);
            prop_assert_eq!(element.parent, innermost(&outline, index));
            let Some(above) = element.parent.map(|parent| &outline.elements[parent]) else {
                continue;
            };
            prop_assert!(above.kind < Kind::Chunk && above.end >= element.end);
            prop_assert!(element.kind == Kind::Chunk || above.level < element.level);
            prop_assert!(above.level <= element.level);
        }
    }

    #[test]
    fn a_path_is_the_titles_of_the_headings_above(source in any_document(), cut in any_cut()) {
        let Some(outline) = outline(&source, &cut) else { return Ok(()) };
        for element in &outline.elements {
            let path = outline.path(element);
            let mut sections = Vec::new();
            let mut above = element.parent;
            while let Some(parent) = above.map(|index| &outline.elements[index]) {
                sections.push(outline.label(parent));
                above = parent.parent;
            }
            sections.reverse();
            prop_assert_eq!(&path[..sections.len()], &sections[..]);
            // Only chunks stand under headings that are no sections, and there are three levels.
            let is_chunk = element.kind == Kind::Chunk;
            prop_assert!(path.len() <= sections.len() + 3 * usize::from(is_chunk));
            prop_assert!(path.len() <= usize::from(element.level));
        }
    }

    #[test]
    fn labels_are_short_and_clean(source in any_document(), cut in any_cut()) {
        let Some(outline) = outline(&source, &cut) else { return Ok(()) };
        for element in &outline.elements {
            let label = outline.label(element);
            let limit = match element.block {
                Block::Heading => MAX_TITLE_BYTES,
                _ => MAX_LABEL_BYTES,
            };
            prop_assert!(label.len() <= limit);
            prop_assert_eq!(label, label.trim());
            prop_assert!(!label.contains('\0'));
            prop_assert!(element.kind == Kind::Chunk || !label.contains(['\n', '\r']));
        }
    }

    /// A part may be longer only by the white space at the end of its chunk, if that is more than a
    /// quarter of what is allowed.
    #[test]
    fn no_part_is_longer_than_allowed(source in any_document(), cut in any_cut()) {
        let Some(outline) = outline(&source, &cut) else { return Ok(()) };
        let Some(max) = cut.max_chunk else { return Ok(()) };
        for chunk in outline.elements.iter().filter(|e| e.kind == Kind::Chunk) {
            let text = &source[chunk.span.clone()];
            let text_len = text.trim_end().len();
            let blank = text.len() - text_len;
            let repeated = chunk.repeated.len();
            prop_assert!(repeated + text_len <= max);
            prop_assert!(repeated + text.len() <= max || blank > max / 4);
            prop_assert!(repeated <= max / 2);
        }
    }

    #[test]
    fn parts_make_up_the_chunks_they_were_split_from(source in any_document(), cut in any_cut()) {
        let Some(parts) = outline(&source, &cut) else { return Ok(()) };
        let whole = Outline::of(&source, &Cut { max_chunk: None, ..cut }).unwrap();
        let mut parts = parts.elements.iter();
        for element in &whole.elements {
            let mut start = element.span.start;
            let mut count = 0;
            let mut tail = 0;
            while start < element.span.end {
                let part = parts.next().unwrap();
                let split = source.get(start.saturating_sub(1)..=start);
                prop_assert!(count == 0 || split != Some("\r\n"));
                prop_assert_eq!(part.span.start, start);
                prop_assert_eq!((part.kind, part.block, part.level), (element.kind, element.block, element.level));
                start = part.span.end;
                tail += part.tail;
                count += 1;
            }
            prop_assert_eq!(start, element.span.end);
            prop_assert_eq!(tail, element.tail);
            let fits = cut.max_chunk.is_none_or(|max| element.span.len() <= max);
            prop_assert!(count == 1 || !(fits || element.kind != Kind::Chunk));
        }
        prop_assert_eq!(parts.next(), None);
    }

    #[test]
    fn what_a_part_repeats_is_a_header_before_it(source in any_document(), cut in any_cut()) {
        let Some(outline) = outline(&source, &cut) else { return Ok(()) };
        for element in outline.elements.iter().filter(|e| !e.repeated.is_empty()) {
            prop_assert!(cut.max_chunk.is_some());
            prop_assert!(matches!(element.block, Block::Table | Block::Section));
            prop_assert!(element.repeated.end <= element.span.start);
            let header = &source[element.repeated.clone()];
            prop_assert!(header.ends_with(['\n', '\r']) && header.contains('-'), "{:?}", header);
        }
    }

    #[test]
    fn a_section_is_one_chunk(source in any_document()) {
        let cut = Cut { by_section: true, ..Cut::default() };
        let Some(outline) = outline(&source, &cut) else { return Ok(()) };
        for pair in outline.elements.windows(2) {
            prop_assert!(pair[0].kind != Kind::Chunk || pair[1].kind != Kind::Chunk);
        }
    }

    #[test]
    fn the_limit_of_elements_is_exact(source in any_document(), cut in any_cut()) {
        let Some(whole) = outline(&source, &cut) else { return Ok(()) };
        let count = whole.elements.len();
        let limited = |max_elements| Outline::of(&source, &Cut { max_elements, ..cut });
        prop_assert!(limited(count).is_ok());
        if let Some(limit) = count.checked_sub(1) {
            prop_assert_eq!(limited(limit).err(), Some(Error::TooManyElements { limit }));
        }
    }

    #[test]
    fn however_short_parts_must_be_they_end(source in any_document(), max in 0..MIN_CHUNK) {
        let cut = Cut { max_chunk: Some(max), ..Cut::default() };
        let Some(outline) = outline(&source, &cut) else { return Ok(()) };
        let parts = outline.elements.iter().map(|e| &source[e.span.clone()]);
        prop_assert_eq!(parts.collect::<String>(), &source[outline.head.end..]);
    }

    #[test]
    fn no_line_is_in_more_containers_than_are_counted(source in any_nesting()) {
        if let Some(limit) = depth(&source).checked_sub(1) {
            let counted = containers::check_limit(&source, limit);
            prop_assert!(counted.is_err(), "{} in {source:?}", limit + 1);
        }
    }

    #[test]
    fn any_bytes_have_an_outline_or_an_error(bytes in any::<Vec<u8>>(), cut in any_cut()) {
        match Outline::of_bytes(&bytes, &cut) {
            Ok(outline) => prop_assert!(outline.elements.iter().all(|e| e.span.end <= bytes.len())),
            Err(error) => prop_assert!(error.to_string().is_ascii()),
        }
    }
}
