//! Spells integers as lower-case ASCII words, for slugs.
//!
//! The wording is that of ICU's `%spellout-numbering` rules, written in ASCII (`fuenf`, `dreissig`)
//! with `_` for every space and hyphen. ICU falls back to digits from 10^18 on; here the same
//! pattern continues for one more scale word, so every `u64` has words.

use crate::argument::Keyword;

/// The languages numbers can be spelled in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Lang {
    /// German, on the long scale (`milliarde` is 10^9).
    #[default]
    De,
    /// American English, on the short scale (`billion` is 10^9) and without "and".
    En,
}

impl Lang {
    /// The word by which callers name it.
    pub const fn name(self) -> &'static str {
        match self {
            Lang::De => "de",
            Lang::En => "en",
        }
    }
}

impl Keyword for Lang {
    const WORDS: &'static [(&'static str, Lang)] =
        &[(Lang::De.name(), Lang::De), (Lang::En.name(), Lang::En)];
}

/// Appends the words of `number`, joined by `_`, to `out`.
///
/// Every `u64` is supported; from 10^18 on the scale words are `trillion` (German) and
/// `quintillion` (English), where ICU itself would print digits.
///
/// ```
/// use keyns_core::naming::number_words::{Lang, spell};
///
/// let mut key = b"page:".to_vec();
/// spell(21_000_001, Lang::De, &mut key);
/// assert_eq!(key, b"page:einundzwanzig_millionen_eins");
///
/// let mut key = Vec::new();
/// spell(2024, Lang::En, &mut key);
/// assert_eq!(key, b"two_thousand_twenty_four");
/// ```
pub fn spell(number: u64, lang: Lang, out: &mut Vec<u8>) {
    let mut phrase = Phrase::new(out);
    match lang {
        Lang::De => german(number, &mut phrase),
        Lang::En => english(number, &mut phrase),
    }
}

/// Appends one word per ASCII digit of `digits`, joined by `_`, to `out`; other bytes are skipped.
///
/// Unlike [`spell`] this keeps leading zeros and has no upper limit.
///
/// ```
/// use keyns_core::naming::number_words::{Lang, spell_digits};
///
/// let mut key = Vec::new();
/// spell_digits(b"007", Lang::De, &mut key);
/// assert_eq!(key, b"null_null_sieben");
/// ```
pub fn spell_digits(digits: &[u8], lang: Lang, out: &mut Vec<u8>) {
    let mut phrase = Phrase::new(out);
    for digit in digits.iter().filter(|byte| byte.is_ascii_digit()) {
        let value = u64::from(digit - b'0');
        phrase.word(match (lang, value) {
            // The table holds the combining form "ein".
            (Lang::De, 1) => "eins",
            (Lang::De, _) => entry(&GERMAN_SMALL, value),
            (Lang::En, _) => entry(&ENGLISH_SMALL, value),
        });
    }
}

/// The words being appended; what `out` held before `start` is the caller's and gets no separator.
struct Phrase<'a> {
    out: &'a mut Vec<u8>,
    start: usize,
}

impl<'a> Phrase<'a> {
    fn new(out: &'a mut Vec<u8>) -> Self {
        let start = out.len();
        Phrase { out, start }
    }

    fn separate(&mut self) {
        if self.out.len() > self.start {
            self.out.push(b'_');
        }
    }

    /// Continues the current word.
    fn glue(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    /// Starts a new word.
    fn word(&mut self, text: &str) {
        self.separate();
        self.glue(text);
    }
}

/// The table's word at `index`, which every caller keeps in range.
fn entry(table: &[&'static str], index: u64) -> &'static str {
    debug_assert!(index < table.len() as u64);
    table.get(index as usize).copied().unwrap_or_default()
}

const GERMAN_SMALL: [&str; 20] = [
    "null",
    "ein",
    "zwei",
    "drei",
    "vier",
    "fuenf",
    "sechs",
    "sieben",
    "acht",
    "neun",
    "zehn",
    "elf",
    "zwoelf",
    "dreizehn",
    "vierzehn",
    "fuenfzehn",
    "sechzehn",
    "siebzehn",
    "achtzehn",
    "neunzehn",
];

const GERMAN_TENS: [&str; 10] = [
    "", "", "zwanzig", "dreissig", "vierzig", "fuenfzig", "sechzig", "siebzig", "achtzig",
    "neunzig",
];

/// The nouns among the German scale words, which stand apart and have a plural.
const GERMAN_NOUNS: [(u64, &str, &str); 5] = [
    (1_000_000_000_000_000_000, "trillion", "trillionen"),
    (1_000_000_000_000_000, "billiarde", "billiarden"),
    (1_000_000_000_000, "billion", "billionen"),
    (1_000_000_000, "milliarde", "milliarden"),
    (1_000_000, "million", "millionen"),
];

fn german(number: u64, phrase: &mut Phrase) {
    if number == 0 {
        phrase.word("null");
    }
    let mut rest = number;
    for (scale, singular, plural) in GERMAN_NOUNS {
        let count = rest / scale;
        rest %= scale;
        if count > 0 {
            phrase.separate();
            german_below_thousand(count, "eine", phrase);
            phrase.word(if count == 1 { singular } else { plural });
        }
    }
    // Everything below a million is one word.
    if rest > 0 {
        phrase.separate();
    }
    if rest >= 1000 {
        german_below_thousand(rest / 1000, "ein", phrase);
        phrase.glue("tausend");
    }
    german_below_thousand(rest % 1000, "eins", phrase);
}

/// Glues on `number` < 1000, nothing for 0; `one` is how a final 1 is inflected for what follows.
fn german_below_thousand(number: u64, one: &str, phrase: &mut Phrase) {
    if number >= 100 {
        phrase.glue(entry(&GERMAN_SMALL, number / 100));
        phrase.glue("hundert");
    }
    match number % 100 {
        0 => {}
        1 => phrase.glue(one),
        small @ 2..20 => phrase.glue(entry(&GERMAN_SMALL, small)),
        large => {
            if large % 10 > 0 {
                phrase.glue(entry(&GERMAN_SMALL, large % 10));
                phrase.glue("und");
            }
            phrase.glue(entry(&GERMAN_TENS, large / 10));
        }
    }
}

const ENGLISH_SMALL: [&str; 20] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];

const ENGLISH_TENS: [&str; 10] = [
    "", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
];

const ENGLISH_SCALES: [(u64, &str); 6] = [
    (1_000_000_000_000_000_000, "quintillion"),
    (1_000_000_000_000_000, "quadrillion"),
    (1_000_000_000_000, "trillion"),
    (1_000_000_000, "billion"),
    (1_000_000, "million"),
    (1000, "thousand"),
];

fn english(number: u64, phrase: &mut Phrase) {
    if number == 0 {
        phrase.word("zero");
    }
    let mut rest = number;
    for (scale, name) in ENGLISH_SCALES {
        let count = rest / scale;
        rest %= scale;
        if count > 0 {
            english_below_thousand(count, phrase);
            phrase.word(name);
        }
    }
    english_below_thousand(rest, phrase);
}

/// Adds the words of `number` < 1000, none for 0.
fn english_below_thousand(number: u64, phrase: &mut Phrase) {
    if number >= 100 {
        phrase.word(entry(&ENGLISH_SMALL, number / 100));
        phrase.word("hundred");
    }
    match number % 100 {
        0 => {}
        small @ 1..20 => phrase.word(entry(&ENGLISH_SMALL, small)),
        large => {
            phrase.word(entry(&ENGLISH_TENS, large / 10));
            if large % 10 > 0 {
                phrase.word(entry(&ENGLISH_SMALL, large % 10));
            }
        }
    }
}
