//! KEYNS.TREE.

use std::collections::HashMap;

use super::layout::Words;
use crate::core::key_name::relation;
use crate::core::tree::{self, Node};
use crate::core::{Error, Result};
use crate::server::store::{Access, Fields};
use crate::server::{Call, Given, Name};

/// Deeper than any document.
const MAX_DEPTH: usize = 100;

#[derive(Clone, Copy)]
enum Format {
    Nested,
    Text,
    Mermaid,
}

pub fn tree(call: &Call) -> Result<()> {
    let mut args = call.args();
    let key = Name::new(args.required()?);
    let mut max_depth = MAX_DEPTH;
    let mut format = Format::Nested;
    let mut given = Given::default();
    while let Some(word) = args.next() {
        if word.eq_ignore_ascii_case(b"DEPTH") {
            given.once("DEPTH")?;
            max_depth = args.size_of("DEPTH", 0..=MAX_DEPTH)?;
        } else if word.eq_ignore_ascii_case(b"FORMAT") {
            given.once("FORMAT")?;
            format = args.choice_of("FORMAT", "NESTED, TEXT or MERMAID", read_format)?;
        } else {
            return Err(Error::syntax(word));
        }
    }

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

fn read_format(word: &[u8]) -> Option<Format> {
    match word.to_ascii_uppercase().as_slice() {
        b"NESTED" => Some(Format::Nested),
        b"TEXT" => Some(Format::Text),
        b"MERMAID" => Some(Format::Mermaid),
        _ => None,
    }
}

/// An element of the tree.
struct Branch {
    depth: usize,
    key: Name,
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
fn read(call: &Call, key: Name, max_depth: usize) -> Result<Vec<Branch>> {
    let store = call.store();
    store.check_together(&key)?;
    let caller = store.caller();
    let words = Words::new();
    let Some(fields) = store.fields(&key)? else {
        return Ok(Vec::new());
    };
    let label_of_root = label(&fields, &words);
    drop(fields);
    let sequence = Name::new(relation(key.as_bytes(), "sequence", &mut Vec::new()));
    caller.check(&sequence, Access::Read)?;
    let mut branches = Vec::new();
    let mut depths = HashMap::from([(key.as_bytes().to_vec(), 0)]);
    for (name, _) in store.members_in_order(&sequence)? {
        caller.check(&name, Access::Read)?;
        let Some(fields) = store.fields(&name)? else {
            continue;
        };
        let parent = fields.get(&words.parent);
        let above = parent.and_then(|parent| depths.get(parent.as_bytes()).copied());
        let depth = above.unwrap_or(0) + 1;
        depths.insert(name.as_bytes().to_vec(), depth);
        if depth <= max_depth {
            branches.push(Branch {
                depth,
                label: label(&fields, &words),
                key: name,
            });
        }
    }
    let root = Branch {
        depth: 0,
        key,
        label: label_of_root,
    };
    branches.insert(0, root);
    Ok(branches)
}

/// The title of a section or a document, and what a chunk is.
fn label(fields: &Fields, words: &Words) -> Vec<u8> {
    match (fields.get(&words.title), fields.get(&words.block)) {
        (Some(title), _) => title.as_bytes().to_vec(),
        (None, Some(block)) => [b"(", block.as_bytes(), b")"].concat(),
        (None, None) => Vec::new(),
    }
}

/// Replies each node as its key, its label and its children, which follow it.
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
