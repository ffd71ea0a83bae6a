//! KEYNS.NAV.

use std::collections::HashSet;

use super::keys;
use super::layout::Words;
use super::within::{Within, longest};
use crate::server::Result;
use crate::server::store::{Access, Caller, Reads, Store};
use crate::server::{Call, ServerString};
use keyns_core::argument::Keyword;
use keyns_core::naming::key_name::{MAX_NAME_BYTES, relation};

/// Which relation of an element to follow.
#[derive(Clone, Copy)]
pub enum Direction {
    Parent,
    Children,
    Sequence,
    Next,
    Previous,
    Siblings,
}

impl Keyword for Direction {
    const WORDS: &'static [(&'static str, Direction)] = &[
        ("PARENT", Direction::Parent),
        ("CHILDREN", Direction::Children),
        ("DESCENDANTS", Direction::Sequence),
        ("SEQUENCE", Direction::Sequence),
        ("NEXT", Direction::Next),
        ("PREVIOUS", Direction::Previous),
        ("SIBLINGS", Direction::Siblings),
    ];
}

pub fn nav(call: &Call) -> Result<()> {
    let mut args = call.args();
    let key = ServerString::new(args.required()?);
    let direction = args.required()?;
    let store = call.store();
    keys::check_place(&store, "key", &key)?;
    let caller = store.caller();
    let from = Place {
        store: &store,
        caller: &caller,
        reads: &store.reads(),
        key,
        within: Within::current(),
    };
    match Direction::expect(direction)? {
        Direction::Parent => one(call, from.parent()?),
        Direction::Next => one(call, from.neighbour("next")?),
        Direction::Previous => one(call, from.neighbour("previous")?),
        Direction::Children => many(call, &from.children()?),
        Direction::Sequence => many(call, &from.sequence()?),
        Direction::Siblings => many(call, &from.siblings()?),
    }
    Ok(())
}

fn one(call: &Call, name: Option<ServerString>) {
    call.reply()
        .bulk_or_null(name.as_ref().map(ServerString::as_bytes));
}

fn many(call: &Call, names: &[ServerString]) {
    let reply = call.reply();
    reply.array(names.len());
    for name in names {
        reply.string(name);
    }
}

/// The element that the call starts from.
struct Place<'a> {
    store: &'a Store<'a>,
    caller: &'a Caller<'a>,
    reads: &'a Reads<'a>,
    key: ServerString,
    within: Within,
}

impl Place<'_> {
    /// The key of a relation; an error unless the caller may read it.
    fn relation(&self, what: &str) -> Result<ServerString> {
        let key = ServerString::new(relation(self.key.as_bytes(), what, &mut Vec::new()));
        self.caller.check(&key, Access::Read)?;
        self.reads.add(&key);
        Ok(key)
    }

    fn parent(&self) -> Result<Option<ServerString>> {
        match self.store.fields(&self.key)? {
            Some(fields) => {
                let longest = longest("a field parent", MAX_NAME_BYTES);
                fields.get_within(&Words::new().parent, longest)
            }
            None => Ok(None),
        }
    }

    fn neighbour(&self, which: &str) -> Result<Option<ServerString>> {
        let key = self.relation(which)?;
        let longest = longest("a value", MAX_NAME_BYTES);
        self.store.string_within(&key, longest)
    }

    fn sequence(&self) -> Result<Vec<ServerString>> {
        let key = self.relation("sequence")?;
        let members = self.store.members_in_order(&key, &self.within.members())?;
        Ok(members.into_iter().map(|(name, _)| name).collect())
    }

    fn children(&self) -> Result<Vec<ServerString>> {
        let key = self.relation("children")?;
        let children = self.store.members(&key, &self.within.members())?;
        let children: HashSet<&[u8]> = children.iter().map(ServerString::as_bytes).collect();
        let mut sequence = self.sequence()?;
        sequence.retain(|name| children.contains(name.as_bytes()));
        Ok(sequence)
    }

    fn siblings(&self) -> Result<Vec<ServerString>> {
        let Some(parent) = self.parent()? else {
            return Ok(Vec::new());
        };
        let parent = Place {
            store: self.store,
            caller: self.caller,
            reads: self.reads,
            key: parent,
            within: self.within,
        };
        let mut children = parent.children()?;
        children.retain(|name| name.as_bytes() != self.key.as_bytes());
        Ok(children)
    }
}
