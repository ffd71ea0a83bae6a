//! An example key of a pattern.

use super::{Pattern, Placeholder};
use crate::namespaces::Building;
use crate::namespaces::value_type::ValueType;
use crate::naming::slug::{Abbreviations, SlugMaker, SlugOptions};

impl Pattern {
    /// A key of this pattern, with the optional part. `None` if the samples do not fit between the
    /// literals, as in `<a>m<b>p<c>l<d>e`, or no sample of a regex is easy to find.
    ///
    /// ```
    /// use keyns_core::namespaces::Pattern;
    ///
    /// let pattern = Pattern::parse(b"user:<id:int>[:<attribute>]").unwrap();
    /// assert_eq!(pattern.example().as_deref(), Some("user:42:attribute"));
    /// ```
    pub fn example(&self) -> Option<String> {
        let named: Option<Vec<_>> = self.placeholders.iter().map(sample).collect();
        // Short ones, in case a sample contains the text behind it.
        let short = || self.placeholders.iter().map(short_sample).collect();
        let rows = std::iter::once(named).chain(std::iter::once_with(short));
        rows.flatten().find_map(|values| {
            let mut key = Vec::new();
            let mut building = Building {
                slugs: &mut SlugMaker::new(),
                slug_options: &SlugOptions::default(),
                abbreviations: &Abbreviations::none(),
                max_value_bytes: usize::MAX,
                max_key_bytes: usize::MAX,
            };
            self.build(&values, &mut building, &mut key).ok()?;
            String::from_utf8(key).ok()
        })
    }
}

/// `None` if no text is found that a regex matches.
fn sample(placeholder: &Placeholder) -> Option<&str> {
    Some(match &placeholder.kind {
        ValueType::Date => "2024:05:17",
        ValueType::Uuid => "123e4567-e89b-42d3-a456-426614174000",
        ValueType::Hash => "any text",
        ValueType::Int => "42",
        ValueType::Number => "1",
        ValueType::Hex => "5f3a9c",
        ValueType::Slug => "risk_management",
        ValueType::Path => "home/news",
        ValueType::Text => &placeholder.name,
        ValueType::Rest => "a:b",
        ValueType::Regex(regex) | ValueType::RestRegex(regex) => {
            let mut likely = [&*placeholder.name, "42", "5f3a9c"].into_iter();
            let fitting = likely.find(|text| regex.fits(text.as_bytes()));
            return fitting.or_else(|| regex.sample());
        }
    })
}

fn short_sample(placeholder: &Placeholder) -> Option<&str> {
    match &placeholder.kind {
        ValueType::Int => Some("7"),
        ValueType::Hex => Some("0"),
        ValueType::Slug => Some("xy"),
        ValueType::Path | ValueType::Text => Some("x"),
        ValueType::Regex(regex) | ValueType::RestRegex(regex) => regex.sample(),
        _ => sample(placeholder),
    }
}
