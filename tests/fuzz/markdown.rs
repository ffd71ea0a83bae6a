//! Markdown as people write it, and as they do not.

use keyns_testkit::Random;

const PIECES: [&str; 24] = [
    "# Chapter\n\n",
    "# 5 Strategien\n",
    "## Part\n\n",
    "### Detail\n",
    "#### Deep\n\n",
    "# \n",
    "Title\n=====\n\n",
    "Some text.\nMore of it.\n\n",
    "A sentence. Another one! A third? Yes.\n\n",
    "- one\n- two\n  - three\n\n",
    "1. a\n2. b\n\n",
    "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\n",
    "```rust\nfn main() {}\n```\n\n",
    "```\nnever closed\n",
    "> quoted\n> # not a heading\n\n",
    "<div>\nhtml\n</div>\n\n",
    "[link]: http://localhost/ \"t\"\n\n",
    "See [link] and *this* `code`.\n\n",
    "---\n\n",
    "* [x] done\n\n",
    "\u{e4}\u{f6}\u{fc} \u{1f600}\n\n",
    "a\0b\n\n",
    "tab\tand\r\nreturn\rhere\n\n",
    "# Chapter *with* [link](x)\n",
];

const FRONT_MATTER: [&str; 14] = [
    "---\ntitle: Guide\nauthor: Ada\ntags: [a, b]\ncategory: Finance\n---\n",
    "---\nTags:\n  - x\n  - y y\nauthors: [Ada, Bob]\nversion: 2\n...\n",
    "+++\ntitle = \"Toml\"\n+++\n",
    "---\n---\n",
    "---\ntitle: [a, [b, [c, [d]]]]\n---\n",
    "---\ntitle: &a x\nother: *a\n---\n",
    "---\ntitle: \"never closed\n---\n",
    "---\nnever closed\n",
    "---\n? complex\n: value\n---\n",
    "---\ntags: {a: 1}\ntags: b\n---\n",
    "---\ntitle: |\n  many\n  lines\n---\n",
    "---\n!!binary title: aGk=\n---\n",
    "---\ntitle: \0\n---\n",
    "---\r\ntitle: windows\r\ntag: \u{fc}ber\r\n---\r\n",
];

pub fn document(random: &mut Random) -> Vec<u8> {
    let mut text = String::new();
    if random.once_in(30) {
        text.push('\u{feff}');
    }
    if random.once_in(4) {
        text += *random.pick(&FRONT_MATTER);
    }
    // A long one now and then.
    let pieces = if random.once_in(100) { 400 } else { 14 };
    for _ in 0..random.below(pieces) {
        text += *random.pick(&PIECES);
    }
    text.into_bytes()
}

/// Nested, unclosed and repeated until a parser gives up or gets slow.
pub fn hostile(random: &mut Random) -> Vec<u8> {
    let depth = *random.pick(&[3_usize, 99, 101, 1000, 20_000]);
    let text = match random.below(14) {
        0 => format!("{} deep\n", ">".repeat(depth)),
        1 => format!("{}deep\n", "- ".repeat(depth)),
        2 => "[".repeat(depth),
        3 => format!("{}a{}", "*_".repeat(depth), "_*".repeat(depth)),
        4 => "# same\n".repeat(depth.min(100)),
        5 => format!("{}\n{}\n", "|a".repeat(depth), "|-".repeat(depth)),
        6 => format!("---\na: {}\n---\n", "[".repeat(depth)),
        7 => format!("---\n{}\n---\n", "a: &a [*a,*a]\n".repeat(depth.min(5000))),
        8 => format!("---\ntags: [{}]\n---\nx\n", "t,".repeat(depth.min(5000))),
        9 => "`".repeat(depth),
        10 => "<!--".repeat(depth),
        11 => "&amp;\\*".repeat(depth),
        12 => format!("# {}\n\ntext\n", "long ".repeat(depth)),
        _ => "a\n\n".repeat(depth.min(200)),
    };
    text.into_bytes()
}
