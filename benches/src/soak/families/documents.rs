//! Documents that come, change and go. Each client has a scope of its own.

use std::time::Duration;

use keyns_testkit::{Value, texts};

use super::{Families, Worker};
use crate::families::documents::markdown::handbook;
use crate::soak::invariants::Invariant;

/// Documents hold up everybody, so they come with pauses.
const REST: Duration = Duration::from_millis(50);

/// How many documents a client has at most.
const SHELF: usize = 6;

/// Chapters of a document that is read in the background, and how rare one is.
const LONG: usize = 12;
const LONG_ONES: u64 = 12;

struct Library<'a> {
    worker: Worker<'a>,
    scope: String,
    /// What documents are made of.
    bodies: [String; 4],
    /// The names and sources of those that are there.
    shelf: Vec<(String, String)>,
    /// Whether it is known what is there.
    is_sure: bool,
}

pub fn work(_: &Families, worker: Worker) {
    let stage = worker.link.stage;
    let mut library = Library {
        scope: format!("library{}", worker.number),
        worker,
        bodies: [handbook(1), handbook(2), handbook(3), handbook(LONG)],
        shelf: Vec::new(),
        is_sure: true,
    };
    stage.repeat(REST, || library.step());
    library.clear();
}

impl Library<'_> {
    fn step(&mut self) {
        if !self.is_sure {
            self.clear();
            return;
        }
        let is_full = self.shelf.len() == SHELF;
        let done = match self.worker.random.below(10) {
            0..=2 if !is_full => self.ingest(),
            3 | 4 if !self.shelf.is_empty() => self.replace(),
            5 | 6 if !self.shelf.is_empty() => self.export(),
            7 | 8 if !self.shelf.is_empty() => self.look(),
            _ if is_full => self.drop_one(),
            _ => self.ingest(),
        };
        self.is_sure = done.is_some();
    }

    /// A text that was not there before.
    fn text(&mut self) -> String {
        let random = &mut self.worker.random;
        let long = random.once_in(LONG_ONES);
        let body = match long {
            true => &self.bodies[3],
            false => random.pick(&self.bodies[..3]),
        };
        let edition = random.below(1_000_000);
        format!("{body}\n# Edition {edition}\n\nPrinted {edition} times.\n\n- as it is\n")
    }

    fn prefix(&self) -> String {
        format!("{}:doc", self.scope)
    }

    fn ingest(&mut self) -> Option<()> {
        let (prefix, text) = (self.prefix(), self.text());
        let link = &mut self.worker.link;
        let reply = link.call(&["KEYNS.INGESTMD", &prefix, &text])?.fields();
        self.shelf.push((reply["doc"].text(), text));
        Some(())
    }

    fn replace(&mut self) -> Option<()> {
        let (prefix, text) = (self.prefix(), self.text());
        let at = self.pick();
        let (name, source) = &mut self.shelf[at];
        let link = &mut self.worker.link;
        link.call(&["KEYNS.INGESTMD", &prefix, &text, "REPLACE", name])?;
        *source = text;
        Some(())
    }

    fn export(&mut self) -> Option<()> {
        let at = self.pick();
        let (name, source) = &self.shelf[at];
        let link = &mut self.worker.link;
        let export = link.call(&["KEYNS.EXPORTMD", name])?;
        let is_source = export == Value::bulk(source);
        let invariants = &link.stage.invariants;
        invariants.check(Invariant::ExportIsSource, is_source, || name.clone());
        Some(())
    }

    fn look(&mut self) -> Option<()> {
        let at = self.pick();
        let (name, _) = &self.shelf[at];
        let link = &mut self.worker.link;
        if self.worker.random.once_in(2) {
            link.call(&["KEYNS.TREE", name, "FORMAT", "TEXT"])?;
            return Some(());
        }
        let children = texts(&link.call(&["KEYNS.NAV", name, "CHILDREN"])?);
        let child = self.worker.random.pick(&children);
        let parent = link.call(&["KEYNS.NAV", child, "PARENT"])?;
        link.call(&["KEYNS.NAV", child, "NEXT"])?;
        let invariants = &link.stage.invariants;
        invariants.check(
            Invariant::ExportIsSource,
            parent == Value::bulk(name),
            || format!("{child} is below {parent:?} and not {name}"),
        );
        Some(())
    }

    fn drop_one(&mut self) -> Option<()> {
        let at = self.pick();
        let (name, _) = self.shelf.swap_remove(at);
        self.worker.link.call(&["KEYNS.DROP", &name])?;
        Some(())
    }

    fn pick(&mut self) -> usize {
        self.worker.random.below(self.shelf.len() as u64) as usize
    }

    /// Drops all documents, also those that nobody knows of because the server went away before it
    /// could say their names. Each must be whole.
    fn clear(&mut self) {
        self.is_sure = self.try_to_clear().is_some();
    }

    fn try_to_clear(&mut self) -> Option<()> {
        let link = &mut self.worker.link;
        let invariants = &link.stage.invariants;
        let all = format!("{}:level:doc:chunks", self.scope);
        for name in texts(&link.call(&["SMEMBERS", &all])?) {
            let export = link.call(&["KEYNS.EXPORTMD", &name])?;
            let known = self.shelf.iter().find(|(known, _)| *known == name);
            // A replacement may have come to its end or not.
            let is_whole = matches!(&export, Value::Bulk(text) if text.ends_with(b"- as it is\n"));
            invariants.check(Invariant::ExportIsSource, is_whole, || {
                format!("{name}, known: {}", known.is_some())
            });
            link.call(&["KEYNS.DROP", &name])?;
        }
        self.shelf.clear();
        let left = link.call(&["KEYS", &format!("{}:*", self.scope)])?;
        let left: Vec<String> = texts(&left)
            .into_iter()
            .filter(|key| !key.ends_with(":_seq") && !key.ends_with(":_slugs"))
            .collect();
        invariants.check(Invariant::DropLeavesNothing, left.is_empty(), || {
            format!("{left:?}")
        });
        Some(())
    }
}
