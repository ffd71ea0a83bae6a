//! How long a document is. Beside it: the writes of its ingest as plain commands, in one MULTI.
//!
//! Markdown above `keyns.parse-thread-bytes` is read by a thread, so what counts is the CPU time of
//! the whole server. Of it that of the main thread, during which others wait, is given too.

use keyns_testkit::{Client, Options, Server, wait_until};

use super::axis::{Axis, Effort, Growth, Unit};
use super::curve::Line;
use crate::families::documents::markdown;
use crate::families::documents::writes::Writes;
use crate::measure::{Connection, Cpu, Request, setting};

const KB: usize = 1 << 10;
const MB: usize = 1 << 20;
const SIZES: [usize; 8] = [KB, 4 * KB, 16 * KB, 64 * KB, 256 * KB, MB, 4 * MB, 8 * MB];
/// Short documents are measured several at a time, up to so many bytes and so many documents.
const BYTES: usize = 512 * KB;
const DOCUMENTS: usize = 64;

const LINES: [Line; 12] = [
    Line::own("KEYNS.INGESTMD").beside("the same writes as plain commands"),
    Line::own("INGESTMD REPLACE, unchanged"),
    Line::own("INGESTMD REPLACE, a block in front"),
    Line::own("KEYNS.TREE"),
    Line::own("KEYNS.EXPORTMD"),
    Line::own("KEYNS.DROP"),
    Line::control("the same writes as plain commands"),
    Line::own("INGESTMD, main thread")
        .aside()
        .beside("plain commands, main thread"),
    Line::own("REPLACE, unchanged, main thread").aside(),
    Line::own("REPLACE, a block in front, main thread").aside(),
    Line::own("DROP, main thread").aside(),
    Line::control("plain commands, main thread").aside(),
];

pub fn run(effort: &Effort) -> Growth {
    let axis = Axis {
        what: "document",
        one: ("MB", MB as f64),
        size: |bytes| match bytes {
            MB.. => format!("{} MB", bytes / MB),
            _ => format!("{} KB", bytes / KB),
        },
        unit: Unit::Milliseconds,
        full_rounds: 11,
        how: "handbooks as above, cut to size",
    };
    let sizes = effort.sizes(&SIZES);
    let server = Options::new().start();
    let mut bench = Bench::new(&server);
    let name = setting(&mut bench.control);
    let subjects: Vec<_> = sizes.iter().map(|&bytes| Subject::new(bytes)).collect();
    Growth::measure(axis, effort, sizes, LINES, |at| bench.costs(&subjects[at])).on(name)
}

/// A document, and what it is made into.
struct Subject {
    text: String,
    /// The same with one block more, which moves all others.
    longer: String,
    documents: usize,
    plain: Request,
}

impl Subject {
    fn new(bytes: usize) -> Subject {
        let mut text = markdown::handbook(bytes / (25 * KB) + 1);
        // Room for a block, and no block is cut: there are no blank lines inside one.
        let ends = text.match_indices("\n\n").map(|(at, _)| at + 2);
        let end = ends.take_while(|end| end + 16 <= bytes).last();
        text.truncate(end.expect("a blank line"));
        // Behind the front matter, whose first line is "---", too.
        let body = text[4..].find("---\n\n").expect("front matter") + 9;
        let longer = format!("{}Vorab.\n\n{}", &text[..body], &text[body..]);
        Subject {
            documents: (BYTES / bytes).clamp(1, DOCUMENTS),
            plain: Writes::of_ingest(&text).of_a_client(),
            text,
            longer,
        }
    }
}

struct Bench {
    control: Client,
    sender: Client,
    connection: Connection,
}

impl Bench {
    fn new(server: &Server) -> Bench {
        Bench {
            control: server.client(),
            sender: server.client(),
            connection: Connection::tcp(server),
        }
    }

    fn costs(&mut self, subject: &Subject) -> [f64; LINES.len()] {
        let ingest = self.cost(subject, |_| vec!["KEYNS.INGESTMD", "doc", &subject.text]);
        let names = self.documents();
        assert_eq!(names.len(), subject.documents);
        let exported = self.control.call(&["KEYNS.EXPORTMD", &names[0]]).text();
        assert!(exported == subject.text, "an export is its source");
        let on = |command, at: usize| vec![command, names[at].as_str()];
        let replace = |text, at: usize| vec!["KEYNS.INGESTMD", "doc", text, "REPLACE", &names[at]];
        let unchanged = self.cost(subject, |at| replace(&subject.text, at));
        let tree = self.cost(subject, |at| on("KEYNS.TREE", at));
        let export = self.cost(subject, |at| on("KEYNS.EXPORTMD", at));
        let in_front = self.cost(subject, |at| replace(&subject.longer, at));
        let drop = self.cost(subject, |at| on("KEYNS.DROP", at));
        assert_eq!(self.documents().len(), 0);
        self.flush();
        let before = Cpu::of(&mut self.control);
        self.connection.exchange(&subject.plain);
        let plain = before.per_command(&mut self.control, 1);
        self.flush();
        [
            ingest.all,
            unchanged.all,
            in_front.all,
            tree.all,
            export.all,
            drop.all,
            plain.all,
            ingest.main,
            unchanged.main,
            in_front.main,
            drop.main,
            plain.main,
        ]
    }

    /// Of one of as many commands as there are documents.
    fn cost<'a>(&mut self, subject: &Subject, command: impl Fn(usize) -> Vec<&'a str>) -> Cpu {
        let commands = (0..subject.documents).map(|at| Client::request(&command(at)));
        let request = commands.collect::<Vec<_>>().concat();
        let before = Cpu::of(&mut self.control);
        self.sender.send_raw(&request).expect("the server listens");
        for _ in 0..subject.documents {
            let reply = self.sender.receive().expect("the server answers");
            assert!(!reply.is_error(), "{reply:?}");
        }
        before.per_command(&mut self.control, subject.documents)
    }

    fn documents(&mut self) -> Vec<String> {
        let names = self.control.run("SMEMBERS level:doc:chunks");
        names.array().iter().map(|name| name.text()).collect()
    }

    /// Removes all keys. FLUSHALL SYNC would also hand free memory back to the system, which then has
    /// to be fetched again.
    fn flush(&mut self) {
        self.control.run("FLUSHALL ASYNC");
        wait_until("all keys are freed", || {
            self.control.info("memory", "lazyfree_pending_objects") == "0"
        });
    }
}
