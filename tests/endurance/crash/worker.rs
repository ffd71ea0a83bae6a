//! A client that uses everything, and remembers what it was told.

use std::io::Result;

use keyns_testkit::{Client, Random};

use super::cells::Cells;
use super::documents::Documents;
use super::limits::Limits;
use super::names::Names;
use super::sender::Sender;

pub struct Worker {
    pub sender: Sender,
    pub names: Names,
    pub cells: Cells,
    pub limits: Limits,
    pub documents: Documents,
    pub commons: Commons,
}

impl Worker {
    pub fn new(number: u64, seed: u64) -> Worker {
        let seed = seed.wrapping_mul(31).wrapping_add(number).max(1);
        Worker {
            sender: Sender::new(number, Random::seeded(seed)),
            names: Names::default(),
            cells: Cells::new(number),
            limits: Limits::default(),
            documents: Documents::new(number),
            commons: Commons::default(),
        }
    }

    /// Goes on until the server is gone.
    pub fn work(&mut self, client: Client, round: u64) {
        self.sender.connect(client);
        while self.act(round).is_ok() {}
    }

    fn act(&mut self, round: u64) -> Result<()> {
        let sender = &mut self.sender;
        match sender.random.below(12) {
            0 | 1 => self.names.act(sender),
            2..=5 => self.cells.act(sender),
            6 | 7 => self.limits.act(sender, round),
            8 | 9 => self.documents.act(sender),
            _ => self.commons.act(sender),
        }
    }

    pub fn forget_what_was_lost(&mut self) {
        self.sender.forget_what_was_lost();
        self.cells.forget_what_was_lost();
        self.documents.forget_what_was_lost();
    }
}

/// What all workers count and see together.
#[derive(Default)]
pub struct Commons {
    /// What was counted, by the answers.
    pub counted: i64,
    /// What may have been counted besides.
    pub lost_count: i64,
    /// Events that were new by the answer.
    pub first_seen: Vec<String>,
}

impl Commons {
    fn act(&mut self, sender: &mut Sender) -> Result<()> {
        if sender.random.once_in(2) {
            let event = format!("event:{}", sender.random.below(2000));
            if sender.run(&format!("KEYNS.SEEN {event}"))?.integer() == 1 {
                self.first_seen.push(event);
            }
            return Ok(());
        }
        let by = sender.random.between(1, 9);
        self.lost_count += by;
        // A day in 2024, whose year is kept for ever.
        sender.run(&format!(
            "KEYNS.COUNT hits:all BY {by} GRAIN YEAR AT 1709251199"
        ))?;
        self.lost_count -= by;
        self.counted += by;
        Ok(())
    }
}
