//! A document after parsing, before it has names.

use super::request::Request;
use super::{MAX_DOCUMENT_BYTES, MAX_ELEMENTS, MAX_SIBLINGS};
use crate::families::naming::ABBREVIATIONS;
use crate::server::{Result, UnixTime};
use keyns_core::documents::about::{About, Said};
use keyns_core::documents::limits::{self, Limits};
use keyns_core::documents::outline::Outline;
use keyns_core::documents::slugs::Slugs;

/// A document without names.
pub struct Draft<'a> {
    pub outline: &'a Outline,
    pub about: About<'a>,
    pub slugs: Slugs,
}

impl<'a> Draft<'a> {
    /// An error if the document would take far more memory than its text suggests.
    pub fn of(request: &Request<'a>, outline: &'a Outline) -> Result<Draft<'a>> {
        let said = Said {
            title: request.title,
            file: request.file,
            with_siblings: request.with_siblings,
        };
        let abbreviations = ABBREVIATIONS.get();
        let about = About::of(said, outline, &request.slug, &abbreviations);
        let now = UnixTime::of_machine().seconds();
        let slugs = Slugs::of(outline, about.title, &request.slug, &abbreviations, now);
        let limits = Limits {
            document_bytes: MAX_DOCUMENT_BYTES.size(),
            elements: MAX_ELEMENTS.size(),
            siblings: MAX_SIBLINGS.size(),
        };
        let tags = about.chunk_sets.len();
        limits::check_weight(outline, tags, about.with_siblings, limits)?;
        Ok(Draft {
            outline,
            about,
            slugs,
        })
    }
}
