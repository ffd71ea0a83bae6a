//! Works around the places where the parser deviates from CommonMark.

use std::borrow::Cow;

use memchr::{memchr_iter, memmem};

/// The ends of HTML blocks that may contain blank lines. The parser knows them in lower case only, and
/// would otherwise treat the rest of the document as HTML.
const ENDS_OF_HTML: [&[u8]; 4] = [b"</pre>", b"</script>", b"</style>", b"</textarea>"];

/// The text in a form that the parser reads correctly, with all byte positions unchanged.
///
/// Lines that end in a carriage return end in a line feed: the parser does not see the former in
/// code and HTML, and looks for the end of a fence's line far behind it, again and again.
pub fn mend(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut mended = Cow::Borrowed(bytes);
    let is_alone = |&at: &usize| bytes.get(at + 1) != Some(&b'\n');
    for at in memchr_iter(b'\r', bytes).filter(is_alone) {
        if let Some(byte) = mended.to_mut().get_mut(at) {
            *byte = b'\n';
        }
    }
    for at in memmem::find_iter(bytes, "</") {
        let rest = bytes.get(at..).unwrap_or_default();
        for end in ENDS_OF_HTML {
            let found = rest.get(..end.len()).unwrap_or_default();
            if found != end
                && found.eq_ignore_ascii_case(end)
                && let Some(found) = mended.to_mut().get_mut(at..at + end.len())
            {
                found.copy_from_slice(end);
            }
        }
    }
    match mended {
        Cow::Borrowed(_) => Cow::Borrowed(text),
        // Only ASCII replaced ASCII.
        Cow::Owned(bytes) => String::from_utf8(bytes).map_or(Cow::Borrowed(text), Cow::Owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_texts_are_left_as_they_are() {
        for text in [
            "",
            "one\ntwo\r\n",
            "</pre></b></PREFIX></",
            "\u{e4}\r\n\r\n",
        ] {
            assert!(matches!(mend(text), Cow::Borrowed(same) if same == text));
        }
    }

    #[test]
    fn only_a_return_that_is_alone_is_a_line_feed() {
        assert_eq!(mend("a\rb\r\nc\r\r\nd\n\r"), "a\nb\r\nc\n\r\nd\n\n");
    }

    #[test]
    fn the_ends_of_html_are_in_lower_case() {
        let text = "</PRE></Script>\u{e4}</sTYLE></TEXTAREA></DIV></PRE";
        let mended = "</pre></script>\u{e4}</style></textarea></DIV></PRE";
        assert_eq!(mend(text), mended);
    }
}
