//! What holds for the slug of any text with any options.

use proptest::prelude::*;
use unicode_normalization::UnicodeNormalization;

use super::*;

fn any_options() -> impl Strategy<Value = SlugOptions> {
    let lang = prop_oneof![Just(Lang::De), Just(Lang::En)];
    let numbers = prop_oneof![
        Just(Numbers::Leading),
        Just(Numbers::All),
        Just(Numbers::None)
    ];
    let shorten = prop_oneof![
        Just(Shorten::Cut),
        Just(Shorten::Word),
        Just(Shorten::Vowels)
    ];
    let flags = any::<(bool, bool, bool, bool)>();
    let lengths = (
        MIN_WORDS..=MAX_WORDS,
        prop_oneof![MIN_MAX_LEN..=40, MIN_MAX_LEN..=MAX_MAX_LEN],
    );
    (lang, numbers, shorten, flags, lengths).prop_map(
        |(
            lang,
            numbers,
            shorten,
            (content, keep_stop_words, symbols, expand),
            (words, max_len),
        )| {
            SlugOptions {
                content,
                words,
                keep_stop_words,
                lang,
                numbers,
                symbols,
                expand_abbreviations: expand,
                max_len,
                shorten,
            }
        },
    )
}

/// Text made of the pieces that the rules speak of, next to any characters at all.
fn any_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[a-zA-Z]{1,12}",
        2 => "[0-9]{1,18}",
        1 => "[0-9]{1,4}([.,][0-9]{1,4}){1,3}",
        2 => prop::sample::select(vec![
            "VaR", "ROI", "Value at Risk", "der", "in", "eine", "the", "buy", "n_", "n_12", "a", "e",
            "&", "%", "€", "<", "–", "(", ".", "'", "_", "__", "ä", "a\u{308}", "É", "北京", "½", "²",
            "🚀", "\u{0}", "\u{301}", "ﬁ", "İ",
        ]).prop_map(str::to_owned),
        1 => "\\PC{0,4}",
    ];
    let gap = prop::sample::select(vec!["", " ", "_", "-", "  ", "/"]);
    prop::collection::vec((piece, gap), 0..8).prop_map(|pairs| {
        pairs
            .iter()
            .flat_map(|(piece, gap)| [piece.as_str(), gap])
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_slug_is_valid_and_no_longer_than_allowed(text in any_text(), options in any_options()) {
        if let Some(slug) = make(text.as_bytes(), &options) {
            prop_assert!(is_slug(slug.as_bytes()), "{slug:?}");
            prop_assert!(slug.len() <= options.max_len);
            prop_assert!(!slug.ends_with('_') && !slug.contains("__"), "{slug:?}");
        }
    }

    #[test]
    fn a_slug_is_its_own_slug(text in any_text(), options in any_options()) {
        if let Some(slug) = make(text.as_bytes(), &options) {
            prop_assert_eq!(make(slug.as_bytes(), &options), Some(slug));
        }
    }

    #[test]
    fn composed_and_decomposed_text_have_one_slug(text in any_text(), options in any_options()) {
        let composed: String = text.nfc().collect();
        let decomposed: String = text.nfd().collect();
        prop_assert_eq!(make(composed.as_bytes(), &options), make(decomposed.as_bytes(), &options));
    }

    #[test]
    fn any_bytes_are_harmless(bytes in prop::collection::vec(any::<u8>(), 0..200), options in any_options()) {
        let mut maker = SlugMaker::default();
        let first = maker.slug(&bytes, &options, &Abbreviations::default()).map(<[u8]>::to_vec);
        let again = maker.slug(&bytes, &options, &Abbreviations::default()).map(<[u8]>::to_vec);
        prop_assert_eq!(first, again);
        let name = maker.stand_in(&bytes, "20261116_053000", options.max_len, options.shorten);
        prop_assert!(is_slug(name) && name.len() <= options.max_len);
    }

    #[test]
    fn bytes_outside_utf8_do_not_count(text in any_text(), options in any_options(), at in any::<prop::sample::Index>()) {
        let mut bytes = text.clone().into_bytes();
        let boundaries: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        bytes.insert(boundaries[at.index(boundaries.len())], 0xFF);
        // A text with an invalid byte is never a slug already, so its words are always read again.
        if !is_own_slug(text.as_bytes(), &options) {
            prop_assert_eq!(make(&bytes, &options), make(text.as_bytes(), &options));
        }
    }

    #[test]
    fn the_short_way_answers_what_the_long_way_does(text in any_text(), options in any_options()) {
        let dictionary = Abbreviations::default();
        let mut folded = Vec::new();
        fold::fold(text.as_bytes(), &mut folded);
        let (mut short, mut long) = (Vec::new(), Vec::new());
        if plain::collect(&folded, &options, &dictionary, &mut short) {
            // The long way stops reading where a slug is long enough.
            let options = SlugOptions { max_len: usize::MAX, ..options };
            words::collect(&folded, &options, &dictionary, &mut long);
            prop_assert_eq!(short, long);
        } else {
            prop_assert!(short.is_empty());
        }
    }
}
