//! The parts of a document that grow faster than its text: what is stored repeatedly, and the memory
//! for parsing.

use super::{Block, Kind, Outline};

/// The number of characters that may be markup. The parser makes a node of about 64 bytes for each.
pub fn markup(source: &[u8]) -> usize {
    source.iter().filter(|&&byte| is_markup(byte)).count()
}

fn is_markup(byte: u8) -> bool {
    matches!(
        byte,
        b'\n' | b'\r' | b'!' | b'&' | b'*' | b'<' | b'[' | b'\\' | b']' | b'_' | b'`' | b'|' | b'~'
    )
}

impl Outline {
    /// How many children each section has; the last is the document.
    pub fn children(&self) -> Vec<usize> {
        let mut children = vec![0; self.elements.len() + 1];
        for element in &self.elements {
            let parent = element.parent.unwrap_or(self.elements.len());
            if let Some(children) = children.get_mut(parent) {
                *children += 1;
            }
        }
        children
    }

    /// How many bytes the paths of all chunks have, as JSON.
    pub fn paths_len(&self) -> usize {
        self.path_lens().iter().sum()
    }

    /// The length of each element's path in bytes, 0 for a section.
    pub fn path_lens(&self) -> Vec<usize> {
        // Of each element, the path of what stands under it.
        let mut below: Vec<usize> = Vec::with_capacity(self.elements.len());
        let mut lens = Vec::with_capacity(self.elements.len());
        for element in &self.elements {
            let above = element.heading.and_then(|heading| below.get(heading));
            let above = above.copied().unwrap_or(0);
            below.push(match element.block {
                Block::Heading => above + json_len(self.label(element)),
                // Nothing is under it.
                _ => 0,
            });
            lens.push(match element.kind {
                Kind::Chunk => above,
                _ => 0,
            });
        }
        lens
    }
}

/// The length of a title in a list of JSON strings.
fn json_len(title: &str) -> usize {
    const QUOTES_AND_COMMA: usize = 3;
    let escaped = title.bytes().map(|byte| match byte {
        0..0x20 => "\\u0000".len(),
        b'"' | b'\\' => 2,
        _ => 1,
    });
    escaped.sum::<usize>() + QUOTES_AND_COMMA
}

#[cfg(test)]
mod tests {
    use super::super::Cut;
    use super::*;

    fn outline(source: &str) -> Outline {
        Outline::of(source, &Cut::default()).unwrap()
    }

    #[test]
    fn the_paths_of_all_chunks_are_as_long_as_they_are_written() {
        let outline = outline("a\n\n# \"One\"\n\nb\n\n#### Four\n\nc\n\n## T\u{1}wo\n\nd\n");
        let written = outline.elements.iter().filter(|e| e.kind == Kind::Chunk);
        let written = written.map(|chunk| outline.path(chunk)).map(|path| {
            let json = serde_json::to_string(&path).unwrap();
            // Without the brackets, and with a comma behind the last.
            json.len() - 2 + usize::from(!path.is_empty())
        });
        assert_eq!(outline.paths_len(), written.sum::<usize>());
    }

    #[test]
    fn children_are_counted_by_section() {
        let outline = outline("a\n\n# One\n\nb\n\nc\n\n## Two\n");
        assert_eq!(outline.children(), [0, 3, 0, 0, 0, 2]);
    }
}
