//! A slug of any bytes with any options has the form of one, and is its own slug.
#![no_main]

use arbitrary::Arbitrary;
use keyns_core::naming::number_words::Lang;
use keyns_core::naming::slug::{
    Abbreviations, MAX_MAX_LEN, MAX_WORDS, MIN_MAX_LEN, MIN_WORDS, Numbers, Shorten, SlugMaker,
    SlugOptions, is_slug,
};
use libfuzzer_sys::fuzz_target;
use unicode_normalization::UnicodeNormalization;

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    flags: [bool; 5],
    choices: [u8; 2],
    words: u8,
    max_len: u16,
    text: &'a [u8],
}

impl Input<'_> {
    fn options(&self) -> SlugOptions {
        let [
            content,
            keep_stop_words,
            symbols,
            expand_abbreviations,
            english,
        ] = self.flags;
        let [numbers, shorten] = self.choices;
        SlugOptions {
            content,
            words: (usize::from(self.words) % MAX_WORDS).max(MIN_WORDS),
            keep_stop_words,
            lang: if english { Lang::En } else { Lang::De },
            numbers: [Numbers::Leading, Numbers::All, Numbers::None][usize::from(numbers % 3)],
            symbols,
            expand_abbreviations,
            max_len: MIN_MAX_LEN + usize::from(self.max_len) % (MAX_MAX_LEN - MIN_MAX_LEN + 1),
            shorten: [Shorten::Cut, Shorten::Word, Shorten::Vowels][usize::from(shorten % 3)],
        }
    }
}

fn slug(text: &[u8], options: &SlugOptions) -> Option<Vec<u8>> {
    let mut maker = SlugMaker::default();
    let slug = maker.slug(text, options, &Abbreviations::default());
    slug.map(<[u8]>::to_vec)
}

fuzz_target!(|input: Input| {
    let options = input.options();
    let made = slug(input.text, &options);
    if let Some(made) = &made {
        assert!(is_slug(made) && made.len() <= options.max_len);
        assert!(!made.ends_with(b"_") && !made.windows(2).any(|pair| pair == b"__"));
        assert_eq!(slug(made, &options).as_ref(), Some(made));
    }
    if let Ok(text) = std::str::from_utf8(input.text) {
        let composed: String = text.nfc().collect();
        let decomposed: String = text.nfd().collect();
        assert_eq!(
            slug(composed.as_bytes(), &options),
            slug(decomposed.as_bytes(), &options)
        );
    }
    let mut maker = SlugMaker::default();
    let name = maker.stand_in(
        input.text,
        "20261116_053000",
        options.max_len,
        options.shorten,
    );
    assert!(is_slug(name) && name.len() <= options.max_len);
});
