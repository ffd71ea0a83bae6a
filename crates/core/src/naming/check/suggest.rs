//! Suggests the valid key that an invalid one probably means.

use super::{Segments, Shape, cleaned, problems};
use crate::naming::key_name::{DEFAULT_WIDTH, hash_tag};
use crate::naming::kinds::Kinds;
use crate::naming::number_words::Lang;
use crate::naming::slug::{Abbreviations, SlugMaker, SlugOptions};

/// The valid key that the invalid `key` probably means.
pub fn suggest(key: &[u8], kinds: &Kinds, lang: Lang) -> Option<Vec<u8>> {
    let key = with_colons(key, b":/|");
    let shape = Shape::of(&key);
    let behind_kind = key.get(shape.scope_len..)?;
    let (mut scope, mut kind) = (key.get(..shape.scope_len)?, cleaned(shape.kind?));
    let mut slug = shape.slug.map(<[u8]>::to_vec);
    if !kinds.knows(&kind) {
        if let Some(nearest) = kinds.nearest(&kind) {
            kind = nearest.to_vec();
        } else {
            // A slug that was written with colons: the kind is further in front.
            let at = known_segment(scope, kinds)?;
            let words = key.get(at.end..key.len() - behind_kind.len())?;
            let mut joined = [words, b" ", shape.kind?, b" ", &slug?].concat();
            for byte in &mut joined {
                if *byte == b':' {
                    *byte = b' ';
                }
            }
            slug = Some(joined);
            kind = cleaned(scope.get(at.clone())?);
            scope = scope.get(..at.start.saturating_sub(1))?;
        }
    }
    let mut suggestion = cleaned_scope(scope);
    suggestion.extend_from_slice(&kind);
    if shape.book_keeping {
        let name = behind_kind.rsplit(|&b| b == b':').next()?;
        suggestion.push(b':');
        suggestion.extend_from_slice(&name.to_ascii_lowercase());
    } else {
        let options = SlugOptions {
            lang,
            expand_abbreviations: false,
            ..SlugOptions::default()
        };
        let mut maker = SlugMaker::default();
        suggestion.push(b':');
        suggestion.extend_from_slice(maker.slug(&slug?, &options, &Abbreviations::none())?);
        suggestion.push(b':');
        let number = shape.number.unwrap_or(b"1");
        suggestion.resize(
            suggestion.len() + DEFAULT_WIDTH.saturating_sub(number.len()),
            b'0',
        );
        suggestion.extend_from_slice(number);
    }
    if let Some(relation) = shape.relation {
        suggestion.push(b':');
        suggestion.extend_from_slice(&relation.to_ascii_lowercase());
    }
    problems(&suggestion, kinds)
        .is_empty()
        .then_some(suggestion)
}

/// `key` with `:` for these separators, and without empty segments.
pub fn with_colons(key: &[u8], separators: &[u8]) -> Vec<u8> {
    let tag = hash_tag(key);
    let mut out = Vec::with_capacity(key.len());
    for (at, &byte) in key.iter().enumerate() {
        let in_tag = tag.as_ref().is_some_and(|tag| tag.contains(&at));
        let separates = !in_tag && separators.contains(&byte);
        if !separates {
            out.push(byte);
        } else if !matches!(out.last(), None | Some(b':')) {
            out.push(b':');
        }
    }
    if out.last() == Some(&b':') {
        out.pop();
    }
    out
}

/// The position in `scope` of its last segment that is a known kind.
fn known_segment(scope: &[u8], kinds: &Kinds) -> Option<std::ops::Range<usize>> {
    let mut segments = Segments::of(scope);
    loop {
        let segment = segments.next_back()?;
        let start = segments.rest.map_or(0, |rest| rest.len() + 1);
        if kinds.knows(&cleaned(segment)) {
            return Some(start..start + segment.len());
        }
    }
}

/// A scope with `:` behind it, tidied up outside its hash tag; nothing for an empty one.
fn cleaned_scope(scope: &[u8]) -> Vec<u8> {
    let mut out = match hash_tag(scope) {
        Some(tag) => {
            let braces = tag.start - 1..tag.end + 1;
            let part = |range| scope.get(range).unwrap_or_default();
            [
                cleaned(part(0..braces.start)),
                part(braces.clone()).to_vec(),
                cleaned(part(braces.end..scope.len())),
            ]
            .concat()
        }
        None => cleaned(scope),
    };
    if !out.is_empty() {
        out.push(b':');
    }
    out
}
