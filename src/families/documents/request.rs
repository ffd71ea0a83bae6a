//! The arguments of KEYNS.INGESTMD.

use std::ops::RangeInclusive;

use super::keys;
use super::{MAX_DOCUMENT_BYTES, MAX_ELEMENTS};
use crate::families::naming::check_length;
use crate::families::naming::numbering::{self, NumberOptions};
use crate::families::naming::slug_options;
use crate::server::{Call, Given};
use keyns_core::argument;
use keyns_core::documents::Error;
use keyns_core::documents::Result;
use keyns_core::documents::limits;
use keyns_core::documents::outline::Cut;
use keyns_core::naming::key_name::{Prefix, check_name_len};
use keyns_core::naming::slug::SlugOptions;

/// The bounds of `MAXCHUNK`. A part must have room for a character, and better for a word.
const MAX_CHUNK: RangeInclusive<usize> = 16..=512 << 20;

/// What a call asks for.
pub struct Request<'a> {
    pub prefix: Prefix<'a>,
    pub markdown: &'a [u8],
    pub title: Option<&'a [u8]>,
    pub file: Option<&'a [u8]>,
    pub replace: Option<&'a [u8]>,
    pub with_siblings: bool,
    pub cut: Cut,
    pub slug: SlugOptions,
    pub numbers: NumberOptions,
}

impl<'a> Request<'a> {
    pub fn read(call: &'a Call) -> Result<Request<'a>> {
        let mut args = call.args();
        let prefix = keys::document_prefix(args.required()?)?;
        let markdown = args.required()?;
        let mut request = Request {
            prefix,
            markdown,
            title: None,
            file: None,
            replace: None,
            with_siblings: false,
            cut: Cut {
                max_elements: MAX_ELEMENTS.size(),
                ..Cut::default()
            },
            slug: slug_options::defaults(),
            numbers: NumberOptions::default(),
        };
        let mut given = Given::default();
        while let Some(word) = args.next() {
            if word.eq_ignore_ascii_case(b"TITLE") {
                given.once("TITLE")?;
                request.title = Some(args.value_of("TITLE")?);
            } else if word.eq_ignore_ascii_case(b"FILE") {
                given.once("FILE")?;
                request.file = Some(args.value_of("FILE")?);
            } else if word.eq_ignore_ascii_case(b"REPLACE") {
                given.once("REPLACE")?;
                request.replace = Some(args.value_of("REPLACE")?);
            } else if word.eq_ignore_ascii_case(b"CHUNK") {
                given.once("CHUNK")?;
                request.cut.by_section = args.choice_of("CHUNK", "BLOCK or SECTION", by_section)?;
            } else if word.eq_ignore_ascii_case(b"MAXCHUNK") {
                given.once("MAXCHUNK")?;
                request.cut.max_chunk = Some(args.size_of("MAXCHUNK", MAX_CHUNK)?);
            } else if word.eq_ignore_ascii_case(b"SIBLINGS") {
                given.once("SIBLINGS")?;
                request.with_siblings = true;
            } else if !numbering::read(word, &mut args, &mut given, &mut request.numbers)?
                && !slug_options::read(word, &mut args, &mut given, &mut request.slug)?
            {
                return Err(argument::Error::syntax(word).into());
            }
        }
        request.check()?;
        Ok(request)
    }

    fn check(&self) -> Result<()> {
        let limit = MAX_DOCUMENT_BYTES.size();
        if self.markdown.len() > limit {
            let too_long = argument::Error::TooLong {
                what: "markdown",
                config: "keyns.max-document-bytes",
                limit,
                got: self.markdown.len(),
            };
            return Err(too_long.into());
        }
        limits::check_markup(self.markdown, limit)?;
        check_length("TITLE", self.title.unwrap_or_default())?;
        check_length("FILE", self.file.unwrap_or_default())?;
        if let Some(name) = self.replace {
            check_name_len("REPLACE", name)?;
            if keys::prefix_of(name) != Some(self.prefix) {
                return Err(Error::OtherPrefix { key: name.to_vec() });
            }
        }
        Ok(())
    }
}

fn by_section(word: &[u8]) -> Option<bool> {
    match word.to_ascii_uppercase().as_slice() {
        b"BLOCK" => Some(false),
        b"SECTION" => Some(true),
        _ => None,
    }
}
