//! KEYNS.RATE.ALL: one request that counts on several keys.

use std::mem;

use smallvec::SmallVec;

use super::request::{Asked, LIMITS, Shape, some};
use super::{count, now, reply, start};
use crate::server::spec::Argument;
use crate::server::store::Started;
use crate::server::{Args, Call, KeyArgument, Opt, Options, Result};
use keyns_core::argument;
use keyns_core::rate::{self, Error, Limits, MAX_KEYS};

pub fn rate_all(call: &Call) -> Result<()> {
    let (keys, args) = keys(call)?;
    let request = Request::read(&keys, args)?;
    let store = call.store();
    let strings = store.strings_to_change(&keys)?;
    let stored = strings.iter().map(|string| string.bytes());
    let judged = stored.zip(request.lists.iter().cycle());
    let joint = rate::take_all(judged, request.cost, now()?);
    let joint = joint.map_err(|index| super::not_ours(keys.get(index)))?;
    // Whoever hears of a change may change any key, so none may be open when the first is finished.
    let mut started: SmallVec<[Started; 2]> = SmallVec::new();
    for (string, change) in strings.into_iter().zip(&joint.changes) {
        started.push(start(string, change)?);
    }
    for change in started {
        change.finish()?;
    }
    count(&joint.outcome);
    reply(call, Some(joint.key), &joint.outcome, request.shape);
    Ok(())
}

/// The index of the first key, counted from the command's name.
pub const FIRST_KEY: usize = 2;

/// Reads the keys, which must differ, and returns the arguments after them.
fn keys<'a>(call: &'a Call) -> Result<(SmallVec<[KeyArgument<'a>; 2]>, Args<'a>)> {
    let mut args = call.args();
    let numkeys = args.amount("numkeys", 1..=MAX_KEYS as i64)? as usize;
    let follow = args.len();
    if numkeys > follow {
        return Err(Error::TooFewKeys { numkeys, follow }.into());
    }
    let mut keys: SmallVec<[KeyArgument; 2]> = SmallVec::new();
    for index in 0..numkeys {
        let key = call.state_key(FIRST_KEY + index)?;
        if keys.iter().any(|other| other.as_bytes() == key.as_bytes()) {
            let key = key.as_bytes().to_vec();
            return Err(Error::KeyTwice { key }.into());
        }
        keys.push(key);
    }
    Ok((keys, args.without(numkeys)))
}

/// The limits that a request has to pass on its keys, and its cost.
struct Request {
    /// One list for each key, or one for all.
    lists: SmallVec<[Limits; 2]>,
    cost: u64,
    shape: Shape,
}

impl Request {
    fn read(keys: &[KeyArgument], args: Args) -> Result<Request> {
        let mut lists = Lists::new(keys.len());
        let mut asked = Asked::<1>::default();
        let mut is_first = true;
        args.each_option(|word| {
            let is_known = word.is_for(&mut lists.last)?
                || word.is_for(&mut lists)?
                || word.is_for(&mut asked)?;
            if is_first && !is_known {
                return Err(no_limit(word.text(), keys).into());
            }
            is_first = false;
            Ok(is_known)
        })?;
        let lists = lists.all()?;
        let cost = asked.cost();
        for limits in &lists {
            limits.check_cost(cost)?;
        }
        Ok(Request {
            lists,
            cost,
            shape: asked.shape,
        })
    }
}

#[cold]
fn no_limit(word: &[u8], keys: &[KeyArgument]) -> Error {
    let last = keys.last().map(|key| key.as_bytes());
    Error::NoLimitAfterKeys {
        near: word.to_vec(),
        numkeys: keys.len(),
        last: last.unwrap_or_default().to_vec(),
    }
}

/// The lists of limits of a call, which AND separates.
pub struct Lists {
    numkeys: usize,
    done: SmallVec<[Limits; 2]>,
    /// The one that is being read.
    last: Limits,
}

impl Lists {
    fn new(numkeys: usize) -> Lists {
        Lists {
            numkeys,
            done: SmallVec::new(),
            last: Limits::default(),
        }
    }

    fn next(&mut self, args: &mut Args) -> Result<()> {
        if args.len() == 0 {
            return Err(argument::Error::no_value("AND").into());
        }
        self.check_some("before")?;
        self.end_list()?;
        match self.done.len() < self.numkeys {
            true => Ok(()),
            false => Err(self.wrong_number()),
        }
    }

    fn all(mut self) -> Result<SmallVec<[Limits; 2]>> {
        if !self.done.is_empty() {
            self.check_some("after")?;
        }
        self.end_list()?;
        match self.done.len() {
            1 => Ok(self.done),
            len if len == self.numkeys => Ok(self.done),
            _ => Err(self.wrong_number()),
        }
    }

    fn end_list(&mut self) -> Result<()> {
        self.done.push(some(mem::take(&mut self.last))?);
        Ok(())
    }

    /// An error if the list that is being read is empty.
    fn check_some(&self, place: &'static str) -> Result<()> {
        match self.last.is_empty() {
            true => Err(Error::EmptyList { place }.into()),
            false => Ok(()),
        }
    }

    fn wrong_number(&self) -> crate::server::Error {
        let numkeys = self.numkeys;
        Error::ListsForKeys { numkeys }.into()
    }
}

impl<'a> Options<'a> for Lists {
    const OPTIONS: &'a [Opt<'a, Lists>] = &[Opt::other(
        Argument::block("AND", &[LIMITS]).optional().repeated(),
        Lists::next,
    )];
}
