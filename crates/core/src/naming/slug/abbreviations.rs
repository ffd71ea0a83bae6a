//! The dictionary of abbreviations.

use std::collections::HashMap;

use serde_json::Value;

use super::{Numbers, SlugOptions, fold, is_slug_byte, words};
use crate::naming::{Error, Result};

const BUILT_IN: [(&str, &str); 2] = [("ROI", "return on investment"), ("VaR", "value at risk")];

/// Longer abbreviations are refused, so that one bit per length finds the words worth a look-up.
pub const MAX_KEY_BYTES: usize = 63;
const MAX_EXPANSION_BYTES: usize = 512;
const MAX_ENTRIES: usize = 10_000;

/// Abbreviations and the words they stand for.
#[derive(Debug, Clone)]
pub struct Abbreviations {
    /// Folded abbreviation to the slug of its long form.
    expansions: HashMap<Box<[u8]>, Box<[u8]>>,
    /// By first byte, a bit for each length there is: most words of a text need no look-up.
    lengths: [u64; 256],
    inner_capitals: bool,
}

impl Default for Abbreviations {
    /// The built-in ones.
    fn default() -> Self {
        let mut dictionary = Abbreviations::none();
        for (key, expansion) in BUILT_IN {
            dictionary.insert(key, expansion);
        }
        dictionary.index();
        dictionary
    }
}

impl Abbreviations {
    /// None at all.
    pub fn none() -> Abbreviations {
        Abbreviations {
            expansions: HashMap::new(),
            lengths: [0; 256],
            inner_capitals: true,
        }
    }

    /// The built-in ones extended by a JSON object, as the config `keyns.abbreviations` has it.
    /// An empty long form removes an abbreviation.
    ///
    /// ```
    /// use keyns_core::naming::slug::Abbreviations;
    /// assert!(Abbreviations::from_json(br#"{"SLA": "service level agreement"}"#).is_ok());
    /// assert!(Abbreviations::from_json(br#"{"sla": "service level agreement"}"#).is_err());
    /// ```
    pub fn from_json(json: &[u8]) -> Result<Abbreviations> {
        let refuse = |reason: String| Err(Error::Abbreviations { reason });
        let entries = match serde_json::from_slice(json) {
            Ok(Value::Object(entries)) => entries,
            Ok(_) => return refuse("must be a JSON object".into()),
            Err(error) => return refuse(format!("must be a JSON object: {error}")),
        };
        if entries.len() > MAX_ENTRIES {
            let got = entries.len();
            return refuse(format!("may have {MAX_ENTRIES} entries at most, got {got}"));
        }
        let mut dictionary = Abbreviations::default();
        for (key, expansion) in &entries {
            let shown = key.escape_default();
            let Value::String(expansion) = expansion else {
                return refuse(format!("entry '{shown}' must be a string"));
            };
            if let Err(reason) = check_key(key) {
                return refuse(format!("entry '{shown}' {reason}"));
            }
            if expansion.len() > MAX_EXPANSION_BYTES {
                return refuse(format!(
                    "entry '{shown}' is longer than {MAX_EXPANSION_BYTES} bytes"
                ));
            }
            if expansion.is_empty() {
                dictionary.expansions.remove(folded(key).as_slice());
            } else if !dictionary.insert(key, expansion) {
                return refuse(format!("entry '{shown}' has no word a slug can have"));
            }
        }
        dictionary.index();
        Ok(dictionary)
    }

    /// The words of an abbreviation, joined by `_`.
    pub fn expand(&self, word: &[u8]) -> Option<&[u8]> {
        let first = *word.first()?;
        let lengths = self.lengths.get(usize::from(first))?;
        if word.len() > MAX_KEY_BYTES || lengths & (1 << word.len()) == 0 {
            return None;
        }
        self.expansions.get(word).map(|expansion| &**expansion)
    }

    /// Whether every abbreviation has a capital right behind a letter or digit, so that a text
    /// without one has no abbreviation in it.
    #[inline]
    pub fn has_inner_capitals(&self) -> bool {
        self.inner_capitals
    }

    fn insert(&mut self, key: &str, expansion: &str) -> bool {
        let options = SlugOptions {
            expand_abbreviations: false,
            numbers: Numbers::None,
            max_len: MAX_EXPANSION_BYTES * 8,
            ..SlugOptions::default()
        };
        let mut slug = Vec::new();
        words::collect(&folded(expansion), &options, self, &mut slug);
        if slug.is_empty() {
            return false;
        }
        self.expansions.insert(folded(key).into(), slug.into());
        true
    }

    fn index(&mut self) {
        self.lengths = [0; 256];
        self.inner_capitals = self.expansions.keys().all(|key| {
            let letters = key.iter().map(|&b| fold::unmarked(b));
            letters
                .clone()
                .zip(letters.skip(1))
                .any(|(a, b)| a.is_ascii_alphanumeric() && b.is_ascii_uppercase())
        });
        for key in self.expansions.keys() {
            let first = key.first().copied().unwrap_or_default();
            if let Some(lengths) = self.lengths.get_mut(usize::from(first)) {
                *lengths |= 1 << key.len();
            }
        }
    }
}

fn folded(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    fold::fold(text.as_bytes(), &mut out);
    out
}

/// An abbreviation must be one whole word of a text, and not a word that a slug can contain: otherwise a
/// slug would not be its own slug.
fn check_key(key: &str) -> std::result::Result<(), &'static str> {
    let key = folded(key);
    let unmarked: Vec<u8> = key.iter().map(|&b| fold::unmarked(b)).collect();
    let starts_and_ends_well = |b: Option<&u8>| b.is_some_and(u8::is_ascii_alphanumeric);
    let point_in_number = |three: &[u8]| matches!(three, [a, b'.' | b',', c] if a.is_ascii_digit() && c.is_ascii_digit());
    if key.len() > MAX_KEY_BYTES {
        Err("is longer than 63 bytes")
    } else if !starts_and_ends_well(unmarked.first()) || !starts_and_ends_well(unmarked.last()) {
        Err("must start and end with a letter or digit")
    } else if key.iter().any(|&b| words::is_separator(b))
        || unmarked.windows(3).any(point_in_number)
    {
        Err("must be one word")
    } else if key.iter().all(|&b| is_slug_byte(b)) {
        Err("must have a character that no slug has, such as a capital letter")
    } else {
        Ok(())
    }
}
