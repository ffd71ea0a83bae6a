//! Documents: each is there as a whole or not at all, and there is nothing else.

use std::collections::{BTreeMap, HashSet};
use std::io::Result;

use keyns_testkit::{Client, Content, Document, Keyspace, Random, assert_same, without_counters};

use super::sender::{Fate, Sender};
use super::worker::Worker;

const PREFIX: &str = "library:doc";
const SCOPE: &str = "library:";
/// How many one worker has at most.
const MOST: usize = 5;

/// The documents of one worker, with their Markdown.
pub struct Documents {
    of: u64,
    known: BTreeMap<String, String>,
    lost: Option<Lost>,
    texts: u64,
    /// Names that were given to new ones since the last look.
    new: Vec<String>,
    pub created: u64,
    pub replaced: u64,
    pub dropped: u64,
}

/// A call without an answer.
enum Lost {
    Create { text: String },
    Replace { name: String, text: String },
    Drop { name: String },
}

impl Documents {
    pub fn new(of: u64) -> Documents {
        Documents {
            of,
            known: BTreeMap::new(),
            lost: None,
            texts: 0,
            new: Vec::new(),
            created: 0,
            replaced: 0,
            dropped: 0,
        }
    }

    pub fn act(&mut self, sender: &mut Sender) -> Result<()> {
        let names: Vec<String> = self.known.keys().cloned().collect();
        if names.len() < 2 || names.len() < MOST && sender.random.once_in(3) {
            return self.create(sender);
        }
        let name = sender.random.pick(&names).clone();
        match names.len() == MOST || sender.random.once_in(4) {
            true => self.drop(sender, name),
            false => self.replace(sender, name),
        }
    }

    fn create(&mut self, sender: &mut Sender) -> Result<()> {
        let text = self.write(&mut sender.random);
        self.lost = Some(Lost::Create { text: text.clone() });
        let reply = sender.call(&["KEYNS.INGESTMD", PREFIX, &text])?;
        self.lost = None;
        let name = reply.fields()["doc"].text();
        self.new.push(name.clone());
        self.known.insert(name, text);
        self.created += 1;
        Ok(())
    }

    fn replace(&mut self, sender: &mut Sender, name: String) -> Result<()> {
        let text = match sender.random.once_in(3) {
            true => self.write(&mut sender.random),
            // Most of it stays.
            false => format!("{}More of it, {}.\n\n", self.known[&name], self.texts),
        };
        self.lost = Some(Lost::Replace {
            name: name.clone(),
            text: text.clone(),
        });
        sender.call(&["KEYNS.INGESTMD", PREFIX, &text, "REPLACE", &name])?;
        self.lost = None;
        self.known.insert(name, text);
        self.replaced += 1;
        Ok(())
    }

    fn drop(&mut self, sender: &mut Sender, name: String) -> Result<()> {
        self.lost = Some(Lost::Drop { name: name.clone() });
        let keys = sender.call(&["KEYNS.DROP", &name])?.integer();
        assert!(keys > 0, "{name} was gone");
        self.lost = None;
        self.known.remove(&name);
        self.dropped += 1;
        Ok(())
    }

    /// A text that no other one is, some of them long enough for the background.
    fn write(&mut self, random: &mut Random) -> String {
        self.texts += 1;
        let title = format!("Notes {} of {}", self.texts, self.of);
        let author = random.pick(&["Ada", "Bob", "Carl"]);
        let tag = random.pick(&["moss", "birds"]);
        let mut text = format!("---\ntitle: {title}\nauthor: {author}\ntags: {tag}, all\n---\n");
        let blocks = match random.below(20) {
            0 => 150,
            1..=4 => 30,
            _ => random.between(1, 8),
        };
        for block in 0..blocks {
            text.push_str(&match random.below(6) {
                0 => format!("# Chapter {block}\n\n"),
                1 => format!("## Part {}\n\n", random.below(3)),
                2 => "### Details\n\n- one\n- two\n\n".to_owned(),
                3 => format!("> Said {block} times.\n\n"),
                _ => format!("A few words, and {} more of them.\n\n", random.below(1000)),
            });
        }
        text
    }

    pub fn forget_what_was_lost(&mut self) {
        self.lost = None;
    }

    /// Takes a look at what became of the call that was not answered.
    fn settle(&mut self, found: &BTreeMap<String, String>, fate: Fate) {
        match self.lost.take() {
            None => {}
            Some(Lost::Create { text }) => {
                let new = found.iter().find(|(_, exported)| **exported == text);
                assert_fits(fate, new.is_some(), new.is_none(), &text);
                self.known.extend(new.map(|(name, _)| (name.clone(), text)));
            }
            Some(Lost::Replace { name, text }) => {
                let (is_new, is_old) = (found[&name] == text, found[&name] == self.known[&name]);
                assert_fits(fate, is_new, is_old, &name);
                self.known.insert(name.clone(), found[&name].clone());
            }
            Some(Lost::Drop { name }) => {
                let is_there = found.contains_key(&name);
                assert_fits(fate, !is_there, is_there, &name);
                if !is_there {
                    self.known.remove(&name);
                }
            }
        }
    }
}

#[track_caller]
fn assert_fits(fate: Fate, is_done: bool, is_undone: bool, what: &str) {
    let fits = match fate {
        Fate::Done => is_done,
        Fate::Undone => is_undone,
        Fate::Open => is_done || is_undone,
    };
    assert!(fits, "{fate:?}, done {is_done}, undone {is_undone}: {what}");
}

/// All documents of all lives.
#[derive(Default)]
pub struct Library {
    names: HashSet<String>,
}

impl Library {
    pub fn check(&mut self, workers: &mut [Worker], keys: &Keyspace, client: &mut Client) {
        let names = match keys.get("library:level:doc:chunks") {
            Some(Content::Set(names)) => names.clone(),
            _ => Default::default(),
        };
        let mut library = keys.clone();
        library.retain(|key, _| key.starts_with(SCOPE));
        check_counters(&library);

        // Every key is one of a document, and every document has all of its keys.
        let library = without_counters(library);
        assert_same(&library, &Document::keys_of_all(&names, &library));

        let mut found = BTreeMap::new();
        for name in names {
            let text = client.call(&["KEYNS.EXPORTMD", &name]).text();
            found.insert(name, text);
        }
        let mut known = BTreeMap::new();
        for worker in workers {
            let fate = worker.sender.fate(keys);
            worker.documents.settle(&found, fate);
            for name in worker.documents.new.drain(..) {
                assert!(self.names.insert(name.clone()), "{name} came twice");
            }
            known.append(&mut worker.documents.known.clone());
        }
        // Byte for byte.
        assert_eq!(found, known);
    }
}

/// No element has a number that its counter has not reached.
fn check_counters(library: &Keyspace) {
    for (key, content) in library {
        let Content::Hash(_) = content else { continue };
        let mut parts = key.rsplitn(3, ':');
        let (Some(number), Some(_), Some(prefix)) = (parts.next(), parts.next(), parts.next())
        else {
            continue;
        };
        let number: u64 = number.parse().expect("a number");
        let counter = match &library[&format!("{prefix}:_seq")] {
            Content::Text(counter) => counter.parse().expect("a count"),
            other => panic!("{prefix}: {other:?}"),
        };
        assert!(number <= counter, "{key}, with the counter at {counter}");
    }
}
