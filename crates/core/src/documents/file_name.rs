//! Recognizes a file name that was sent in place of the file's content.

use crate::text::quoting;

/// The hint in the reply to such a text, which is stored as the document `key`.
///
/// ```
/// use keyns_core::documents::file_name;
/// assert!(file_name::hint(b"doc:guide:001").contains("KEYNS.DROP doc:guide:001;"));
/// ```
pub fn hint(key: &[u8]) -> String {
    let key = quoting::word(key);
    format!(
        "the text looks like the name of a file and is stored as it is; to undo this: KEYNS.DROP {key}; to store the file, send its content: redis-cli -X md KEYNS.INGESTMD doc md <FILE"
    )
}

/// Longer texts are not taken for a file name.
const MAX_BYTES: usize = 255;

/// Extensions of Markdown and plain text files.
const EXTENSIONS: [&str; 8] = [
    "md", "markdown", "mdown", "mkd", "mkdn", "mdx", "txt", "text",
];

/// Starts that only a path has, so it may contain spaces.
const STARTS: [&str; 7] = ["/", "./", "../", "~/", "\\\\", ".\\", "..\\"];

/// Whether a whole text looks like the name of a Markdown or text file.
///
/// ```
/// use keyns_core::documents::file_name;
/// assert!(file_name::is_alone_in(b"docs/handbook.md"));
/// assert!(!file_name::is_alone_in(b"Read docs/handbook.md"));
/// ```
pub fn is_alone_in(text: &[u8]) -> bool {
    // The line ending that `echo` adds.
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    let text = text.strip_suffix(b"\r").unwrap_or(text);
    if text.len() > MAX_BYTES || text.iter().any(u8::is_ascii_control) {
        return false;
    }
    let Ok(text) = str::from_utf8(text) else {
        return false;
    };
    let has_spaces = text.contains(char::is_whitespace);
    let has_outer_spaces = text.trim().len() < text.len();
    let name = text.rsplit(['/', '\\']).next().unwrap_or(text);
    let Some((stem, extension)) = name.rsplit_once('.') else {
        return false;
    };
    let is_known = EXTENSIONS
        .iter()
        .any(|known| known.eq_ignore_ascii_case(extension));
    is_known
        && !stem.is_empty()
        && !stem.ends_with(char::is_whitespace)
        && !has_outer_spaces
        && (!has_spaces || starts_as_path(text))
}

fn starts_as_path(text: &str) -> bool {
    let is_drive = matches!(
        text.as_bytes(),
        [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic()
    );
    is_drive || STARTS.iter().any(|start| text.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_a_text_file_is_one() {
        for text in [
            "docs/handbook.md",
            "handbook.md",
            "handbook.md\n",
            "handbook.md\r\n",
            "./x.markdown",
            "../x.MD",
            "/tmp/a.txt",
            "~/notes.text",
            "C:\\a.md",
            "C:\\My Documents\\a file.md",
            "d:/a b.md",
            "\\\\server\\share\\a.md",
            "./My Documents/a.md",
            "https://example.com/guide.md",
            "Übersicht.md",
            "docs/*.md",
            "v1.2.md",
        ] {
            assert!(is_alone_in(text.as_bytes()), "{text:?}");
        }
        let longest = format!("{}.md", "a".repeat(252));
        assert!(is_alone_in(longest.as_bytes()));
    }

    #[test]
    fn other_texts_are_not() {
        for text in [
            "",
            "\n",
            ".md",
            "docs/.md",
            "docs/ .md",
            "handbook",
            "handbook.pdf",
            "handbook.md.",
            "handbook.md/",
            "Read docs/handbook.md",
            "Read handbook.md",
            " handbook.md",
            "handbook.md ",
            "handbook.md\n\n",
            "a.md\nb.md",
            "# handbook.md",
            "- handbook.md",
            "[guide](guide.md)",
            "<guide.md>",
            "`guide.md`",
            "a\tb.md",
            "a\0.md",
            "This ends with e.g. a file.md",
        ] {
            assert!(!is_alone_in(text.as_bytes()), "{text:?}");
        }
        assert!(!is_alone_in(b"\xff.md"));
        let too_long = format!("{}.md", "a".repeat(253));
        assert!(!is_alone_in(too_long.as_bytes()));
    }

    #[test]
    fn the_hint_is_ascii_and_quotes_a_key_that_needs_it() {
        for (key, shown) in [
            (&b"doc:a:001"[..], "KEYNS.DROP doc:a:001;"),
            (b"{a b}:doc:a:001", "KEYNS.DROP \"{a b}:doc:a:001\";"),
            (b"\"\xff\n", r#"KEYNS.DROP "\"\xff\n";"#),
        ] {
            let hint = hint(key);
            assert!(hint.is_ascii() && hint.contains(shown), "{hint}");
        }
    }
}
