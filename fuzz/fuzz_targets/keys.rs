//! Names of keys are taken apart into what they were made of, and wrong ones get right suggestions.
#![no_main]

use arbitrary::Arbitrary;
use keyns_core::naming::check;
use keyns_core::naming::key_name::{
    KeyName, MAX_WIDTH, MIN_WIDTH, Prefix, hash_tag, segment_count,
};
use keyns_core::naming::kinds::Kinds;
use keyns_core::naming::number_words::Lang;
use keyns_core::naming::slug::is_slug;
use keyns_core::text::decimal::{self, MAX_DIGITS};
use keyns_core::text::glob::Glob;
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    number: u64,
    width: u8,
    english: bool,
    any_kind: bool,
    slug: &'a [u8],
    key: &'a [u8],
}

fuzz_target!(|input: Input| {
    let width = MIN_WIDTH + usize::from(input.width) % MAX_WIDTH;
    match Prefix::parse(input.key) {
        Ok(prefix) if is_slug(input.slug) => {
            is_taken_apart(prefix, input.slug, input.number, width)
        }
        Ok(_) => {}
        Err(error) => assert!(error.to_string().is_ascii()),
    }
    let kinds = match input.any_kind {
        true => Kinds::parse(b"").expect("any kind"),
        false => Kinds::default(),
    };
    let lang = if input.english { Lang::En } else { Lang::De };
    assert!(segment_count(input.key) >= 1);
    if check::problems(input.key, &kinds).is_empty() {
        let _ = check::warnings(input.key).iter().count();
    } else if let Some(better) = check::suggest(input.key, &kinds, lang) {
        assert!(check::problems(&better, &kinds).is_empty());
        assert_ne!(better, input.key);
    }
    finds_itself(input.key);
    Glob::new(input.slug).matches(input.key);
    reads_back(input.number.cast_signed());
    if let Some(number) = decimal::parse(input.key) {
        assert_eq!(number.to_string().as_bytes(), input.key);
    }
});

fn is_taken_apart(prefix: Prefix, slug: &[u8], number: u64, width: usize) {
    let mut key = Vec::new();
    let name = prefix.name(slug, number, width, &mut key);
    assert_eq!(hash_tag(name), hash_tag(prefix.as_bytes()));
    let parts = KeyName::parse(name).expect("a name that was made is one");
    assert_eq!((parts.scope, parts.kind), (prefix.scope(), prefix.kind()));
    assert_eq!((parts.slug, parts.relation), (slug, None));
    assert!(parts.number.len() >= width);
    let text = std::str::from_utf8(parts.number).expect("digits");
    assert_eq!(text.parse(), Ok(number));
}

/// A text with what is special in a glob escaped is found by that glob.
fn finds_itself(text: &[u8]) {
    let escaped: Vec<u8> = text.iter().flat_map(|&byte| [b'\\', byte]).collect();
    assert!(Glob::new(&escaped).matches(text));
    assert!(Glob::new(b"*").matches(text));
}

fn reads_back(number: i64) {
    let mut digits = [0; MAX_DIGITS];
    let text = decimal::format_signed(number, &mut digits);
    assert_eq!(decimal::parse(text), Some(number));
}
