//! KEYNS.TREE.

use std::collections::HashMap;

use super::keys;
use super::layout::Words;
use super::within::{Within, longest};
use crate::choice;
use crate::server::Result;
use crate::server::store::{Access, Fields};
use crate::server::{Call, Opt, Options, ServerString};
use keyns_core::argument::Keyword;
use keyns_core::documents::tree::{self, Node};
use keyns_core::naming::key_name::relation;

/// Deeper than any document.
const MAX_DEPTH: usize = 100;

#[derive(Clone, Copy)]
enum Format {
    Nested,
    Text,
    Mermaid,
}

impl Keyword for Format {
    const WORDS: &'static [(&'static str, Format)] = &[
        ("NESTED", Format::Nested),
        ("TEXT", Format::Text),
        ("MERMAID", Format::Mermaid),
    ];
}

/// Depth and format of the reply.
pub struct View {
    max_depth: usize,
    format: Format,
}

impl Default for View {
    fn default() -> View {
        View {
            max_depth: MAX_DEPTH,
            format: Format::Nested,
        }
    }
}

impl<'a> Options<'a> for View {
    const OPTIONS: &'a [Opt<'a, View>] = &[
        Opt::size("DEPTH", 0..=MAX_DEPTH, |view, depth| view.max_depth = depth),
        choice!("FORMAT", Format, |view, format| view.format = format),
    ];
}

pub fn tree(call: &Call) -> Result<()> {
    let mut args = call.args();
    let key = ServerString::new(args.required()?);
    let View { max_depth, format } = args.options()?;
    let branches = read(call, key, max_depth)?;
    if branches.is_empty() {
        call.reply().null();
        return Ok(());
    }
    let nodes: Vec<Node> = branches.iter().map(Branch::node).collect();
    match format {
        Format::Nested => nested(call, &nodes),
        Format::Text => call.reply().bulk(tree::text(&nodes).as_bytes()),
        Format::Mermaid => call.reply().bulk(tree::mermaid(&nodes).as_bytes()),
    }
    Ok(())
}

/// An element of the tree.
struct Branch {
    depth: usize,
    key: ServerString,
    label: Vec<u8>,
}

impl Branch {
    fn node(&self) -> Node<'_> {
        Node {
            depth: self.depth,
            key: self.key.as_bytes(),
            label: &self.label,
        }
    }
}

/// The element and everything below it in reading order, none if there is no such key.
fn read(call: &Call, key: ServerString, max_depth: usize) -> Result<Vec<Branch>> {
    let store = call.store();
    keys::check_place(&store, "key", &key)?;
    let caller = store.caller();
    let within = Within::current();
    let mut labels = Labels {
        words: Words::new(),
        room: within.titles,
    };
    let Some(fields) = store.fields(&key)? else {
        return Ok(Vec::new());
    };
    let label_of_root = labels.of(&fields)?;
    drop(fields);
    let sequence = ServerString::new(relation(key.as_bytes(), "sequence", &mut Vec::new()));
    caller.check(&sequence, Access::Read)?;
    let reads = store.reads();
    reads.add(&sequence);
    let members = store.members_in_order(&sequence, &within.members())?;
    let mut depths = HashMap::from([(key.as_bytes(), 0)]);
    let mut shown: Vec<Option<(usize, Vec<u8>)>> = Vec::with_capacity(members.len());
    for (name, _) in &members {
        caller.check(name, Access::Read)?;
        reads.add(name);
        let Some(fields) = store.fields(name)? else {
            shown.push(None);
            continue;
        };
        let parent = fields.get(&labels.words.parent);
        let above = parent.and_then(|parent| depths.get(parent.as_bytes()).copied());
        let depth = above.unwrap_or(0) + 1;
        depths.insert(name.as_bytes(), depth);
        shown.push(match depth <= max_depth {
            true => Some((depth, labels.of(&fields)?)),
            false => None,
        });
    }
    drop(depths);
    let root = Branch {
        depth: 0,
        key,
        label: label_of_root,
    };
    let below = members.into_iter().zip(shown);
    let below = below
        .filter_map(|((key, _), shown)| shown.map(|(depth, label)| Branch { depth, key, label }));
    Ok(std::iter::once(root).chain(below).collect())
}

/// More than the longest name of a block.
const MAX_BLOCK_BYTES: usize = 64;

/// Reads the label of each element; an error if they are longer than any document's.
struct Labels {
    words: Words,
    room: usize,
}

impl Labels {
    /// The title of a section or a document, or the block of a chunk in parentheses.
    fn of(&mut self, fields: &Fields) -> Result<Vec<u8>> {
        if let Some(title) = fields.get_within(&self.words.title, longest("a title", self.room))? {
            let title = title.as_bytes().to_vec();
            self.room = self.room.saturating_sub(title.len());
            return Ok(title);
        }
        let block =
            fields.get_within(&self.words.block, longest("a field block", MAX_BLOCK_BYTES))?;
        Ok(block.map_or_else(Vec::new, |block| [b"(", block.as_bytes(), b")"].concat()))
    }
}

/// Replies each node as its key, its label and its children.
fn nested(call: &Call, nodes: &[Node]) {
    let reply = call.reply();
    let children = tree::children(nodes);
    for (node, children) in nodes.iter().zip(children) {
        reply.array(3);
        reply.bulk(node.key);
        reply.bulk(node.label);
        reply.array(children);
    }
}
