//! Documents that parsers are known to read more slowly the longer they are.

/// Texts that are repeated as they are.
pub const UNITS: &[&str] = &[
    // Brackets, links and images.
    "[",
    "]",
    "](",
    "[](",
    "![[]()",
    "[a](b",
    "[a](<b",
    "[a](b \"",
    "[a](b 'c [a](b (c ",
    "[a][b]",
    "[![",
    "*[",
    "[a\n",
    "[a](b) ",
    "![a](b) ",
    // Emphasis and code.
    "*a_ ",
    "**a *a ",
    "*",
    "_*",
    "a**b",
    "~~a ~b ",
    "a***b**c*d",
    "`",
    "`a",
    "``a`",
    "` ` `` ",
    "\\",
    "\\`",
    "``` `\n",
    // HTML, autolinks and entities.
    "<",
    "<a ",
    "<a b='",
    "<a b='<a b=\"",
    "<!",
    "<!--",
    "<!--a->",
    "<?",
    "<![CDATA[",
    "<!A ",
    "</",
    "<a:",
    "<a@",
    "<b>*",
    "&",
    "&#",
    "&#0",
    "&amp",
    "&amp;",
    "<div>\n",
    "<div>\n\n",
    "<!--\n",
    "<?\n",
    "<pre>\n",
    "<!-- a --> b\n",
    "<a>\n\n",
    "<a b=c\n",
    "</PRE>",
    // Headings, rules and lines.
    "#\n",
    "# a\n",
    "#",
    "# ",
    "# a # #\n",
    "a\n===\n",
    "a\n---\n",
    "===\n",
    "---\n",
    "- - -\n",
    "***\n",
    "a\n",
    "a\n\n",
    "a\\\n",
    "a  \n",
    "\n",
    " \n",
    "\r",
    "a\r",
    "# a\r",
    "```\r",
    "``` a\r",
    "<div>\r\r",
    "\t",
    "\ta\n",
    " ",
    "\u{c}\n",
    "\0",
    "\u{feff}",
    "\u{1f680} ",
    "a b ",
    // Lists and quotes.
    "- a\n",
    "- a\nb\n",
    "-\n",
    "-\n\n",
    "- a\n\n",
    "- \n  a\n",
    "1. a\n",
    "-\ta\n\tb\n",
    "- a\n  - b\n",
    "- [ ] a\n",
    "> a\n",
    "> a\nb\n",
    ">\n",
    "> \n\n",
    "- > a\nb\n",
    // Definitions.
    "[a]: b\n",
    "[a]: b\n\n",
    "[a]:\n",
    "[a]: b '\n",
    "[a]: b (\n",
    "[a]: b\n'\n",
    "[a]: b\n\"\\\n",
    "[a]: <b\n",
    "[a]: b \"c\n\n",
    "[a]: b\n[a]\n\n",
    // Tables.
    "|",
    "|a",
    "|a|\n",
    "|a|\n|-|\n",
    "|a|\n|-|\n\n",
    "|a|\n|-|\n|b|\n\n",
    "a|b\n-|-\n",
    "|-",
    "|-|\n",
    "|a\n|-|-|\n",
    "a\n|b\n",
    "|a\\\n",
];

/// Texts after which others are repeated.
pub const STARTS: &[(&str, &str)] = &[
    ("---\n", "a\n"),
    ("---\n", "--- x\n"),
    ("+++\n", "a = 1\n"),
    ("```\n", "a\n"),
    ("```\r", "a\r"),
    ("<!--\n", "a\n"),
    ("<div>", "a"),
    ("x <a\n", "b\n"),
    ("x <a b='", "<a b=\"\n"),
    ("<a:", "b"),
    ("[a](", "b"),
    ("[", "a\n"),
    ("[a]: b '", "a\n"),
    ("&", "a"),
    ("# ", "a "),
    ("# ", "# "),
    ("a\n", "|b"),
    ("|a|\n|-|\n", "|b|\n"),
    ("|a|\n|-|\n", "|`a|\n"),
    ("|a|\n|-|\n", "|*a_|\n"),
    ("|a|\n|-|\n|", "\\|"),
    ("|a|\n|-|\n|", "`a\\|`"),
];

/// Texts that have to be split when they are repeated.
pub const LONG: &[&str] = &[
    "a",
    "a b ",
    "Ab cd. ",
    "a.b.",
    "\u{3002}",
    "\u{1f680}",
    "a          ",
    "\u{a0}",
    "a\n",
    "a\r\n",
    "a\n\n",
    "- a\n",
    "- a\n  - b\n",
    "> a b\n",
    "    a\n",
    "[a]: b\n",
    "#### a\n",
    "a\n\n- b\n\n|c|\n|-|\n|d|\n\n",
];

/// A text of at least `len` bytes out of a repeated one.
pub fn fill(unit: &str, len: usize) -> String {
    unit.repeat(len.div_ceil(unit.len()))
}

/// A text of at least `len` bytes, in which each part is longer than the one before.
pub fn growing(len: usize, part: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    for size in 1.. {
        text += &part(size);
        if text.len() >= len {
            break;
        }
    }
    text
}

/// As many containers as a line may be in, opened in one line.
pub fn containers(marker: &str) -> String {
    let each = marker.matches(['>', '-', '.']).count();
    marker.repeat(100 / each)
}

/// As many items as a line may be in, each opened in a line of its own.
pub fn ladder() -> String {
    (0..100)
        .map(|depth| format!("{}- a\n", "  ".repeat(depth)))
        .collect()
}

/// A table of so many columns, without rows.
pub fn header(columns: usize) -> String {
    format!("{}|\n{}|\n", "|a".repeat(columns), "|-".repeat(columns))
}
