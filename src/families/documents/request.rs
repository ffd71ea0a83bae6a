//! The arguments of KEYNS.INGESTMD.

use std::ops::RangeInclusive;

use super::keys;
use super::{MAX_DOCUMENT_BYTES, MAX_ELEMENTS};
use crate::choice;
use crate::families::naming::check_length;
use crate::families::naming::numbering::NumberOptions;
use crate::families::naming::slug_options;
use crate::server::{self, Call, Opt, Options};
use keyns_core::argument::{self, Keyword};
use keyns_core::documents::Error;
use keyns_core::documents::Result;
use keyns_core::documents::file_name;
use keyns_core::documents::limits;
use keyns_core::documents::outline::Cut;
use keyns_core::naming::key_name::{Prefix, check_name_len};
use keyns_core::naming::slug::SlugOptions;

/// The bounds of `MAXCHUNK`. A part must have room for at least a character, preferably a word.
const MAX_CHUNK: RangeInclusive<usize> = 16..=512 << 20;

/// The arguments of a call.
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

/// What one chunk holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chunk {
    Block,
    Section,
}

impl Keyword for Chunk {
    const WORDS: &'static [(&'static str, Chunk)] =
        &[("BLOCK", Chunk::Block), ("SECTION", Chunk::Section)];
}

/// The options that only this command has.
impl<'a> Options<'a> for Request<'a> {
    const OPTIONS: &'a [Opt<'a, Request<'a>>] = &[
        Opt::text("TITLE", |request, title| request.title = Some(title)),
        Opt::text("FILE", |request, file| request.file = Some(file)),
        Opt::text("REPLACE", |request: &mut Self, key| {
            request.replace = Some(key)
        })
        .named("dockey"),
        choice!("CHUNK", Chunk, |request, chunk| {
            request.cut.by_section = chunk == Chunk::Section;
        }),
        Opt::size("MAXCHUNK", MAX_CHUNK, |request, bytes| {
            request.cut.max_chunk = Some(bytes);
        }),
        Opt::flag("SIBLINGS", |request| request.with_siblings = true),
    ];
}

impl<'a> Request<'a> {
    pub fn read(call: &'a Call) -> server::Result<Request<'a>> {
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
        args.each_option(|word| {
            Ok(word.is_for(&mut request)?
                || word.is_for(&mut request.slug)?
                || word.is_for(&mut request.numbers)?)
        })?;
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
            if file_name::is_alone_in(self.markdown) {
                return Err(Error::ReplacedByFileName { key: name.to_vec() });
            }
        }
        Ok(())
    }
}
