//! KEYNS.SLUG.

use keyns_core::naming::slug::SlugOptions;

use super::{ABBREVIATIONS, FAMILY, check_length, slug_options, with_scratch};
use crate::command;
use crate::server::spec::{Argument, Command, List, Spec};
use crate::server::{Call, Result};

pub static SLUG: &Command = command!(
    Spec {
        name: c"KEYNS.SLUG",
        family: &FAMILY,
        summary: c"Turns a text into a slug, the readable part of a key.",
        complexity: c"O(N) with N being the length of the text",
        since: c"0.1.0",
        flags: c"readonly fast",
        acl_categories: c"read fast keyns",
        arity: -2,
        keys: None,
        arguments: &[
            List::Of(&[Argument::text("text")]),
            List::options::<SlugOptions>()
        ],
        reply: "bulk string: the slug; nil if the text has none",
    },
    slug
);

fn slug(call: &Call) -> Result<()> {
    let mut args = call.args();
    let text = args.required()?;
    let mut options = slug_options::defaults();
    args.each_option(|word| word.is_for(&mut options))?;
    check_length("text", text)?;
    with_scratch(|scratch| {
        let slug = scratch.maker.slug(text, &options, &ABBREVIATIONS.get());
        call.reply().bulk_or_null(slug);
    });
    Ok(())
}
