//! What is done with the document that the demand is about, for counting instructions.

use keyns_testkit::Client;

use super::demanded_document;
use super::writes::Writes;
use crate::families::counting::Cases;
use crate::measure::instructions::{AT_ONCE, COMMANDS, Counted, Work};

pub fn counted(_: &mut Client) -> Cases {
    let markdown = demanded_document();
    let mut counted = Cases::default();
    let pipeline = Writes::of_ingest(&markdown).of_a_client_as_words();
    counted.add(Pipeline(pipeline));
    for (call, start, times) in CALLS {
        counted.add(Call {
            call,
            start,
            times,
            markdown: markdown.clone(),
            document: String::new(),
            chapter: String::new(),
        });
    }
    counted
}

/// The same writes, by a client that has them ready.
struct Pipeline(Vec<Vec<Vec<u8>>>);

impl Counted for Pipeline {
    fn case(&self) -> String {
        "the same writes as a pipeline".into()
    }

    fn load(&mut self, client: &mut Client) -> Work {
        client.run("FLUSHALL SYNC");
        Work {
            at_once: AT_ONCE,
            ..Work::whole(self.0.clone())
        }
    }
}

/// What each load starts from.
#[derive(Clone, Copy, PartialEq)]
enum Start {
    Nothing,
    /// The document, which loads leave as it is.
    Document,
    /// The document, which is new for every load.
    NewDocument,
}

/// What is called, and how often: `DOC` stands for the document, `MD` for its Markdown, and `CHAPTER`
/// for the first chapter.
const CALLS: [(&str, Start, usize); 7] = [
    ("KEYNS.INGESTMD doc MD", Start::Nothing, 1),
    ("KEYNS.INGESTMD doc MD REPLACE DOC", Start::Document, 1),
    ("KEYNS.TREE DOC", Start::Document, 1),
    ("KEYNS.NAV CHAPTER NEXT", Start::Document, COMMANDS),
    ("KEYNS.NAV CHAPTER CHILDREN", Start::Document, COMMANDS),
    ("KEYNS.EXPORTMD DOC", Start::Document, 1),
    ("KEYNS.DROP DOC", Start::NewDocument, 1),
];

struct Call {
    call: &'static str,
    start: Start,
    times: usize,
    markdown: String,
    /// The names of the document and of its first chapter.
    document: String,
    chapter: String,
}

impl Call {
    fn ingest(&mut self, client: &mut Client) {
        client.run("FLUSHALL SYNC");
        let reply = client.call(&["KEYNS.INGESTMD", "doc", &self.markdown]);
        self.document = reply.fields()["doc"].text();
        let children = client.call(&["KEYNS.NAV", &self.document, "CHILDREN"]);
        self.chapter = children.array()[0].text();
    }
}

impl Counted for Call {
    fn case(&self) -> String {
        let words = self.call.split(' ');
        let words = words.filter(|word| !["doc", "MD", "DOC", "CHAPTER"].contains(word));
        let words: Vec<&str> = words.collect();
        let state = if words.contains(&"REPLACE") {
            ", unchanged"
        } else {
            ""
        };
        format!("{}{state}", words.join(" "))
    }

    fn prepare(&mut self, client: &mut Client) {
        self.ingest(client);
    }

    fn load(&mut self, client: &mut Client) -> Work {
        match self.start {
            Start::Nothing => drop(client.run("FLUSHALL SYNC")),
            Start::Document => (),
            Start::NewDocument => self.ingest(client),
        }
        let words = self.call.split(' ').map(|word| match word {
            "DOC" => self.document.clone(),
            "MD" => self.markdown.clone(),
            "CHAPTER" => self.chapter.clone(),
            word => word.to_owned(),
        });
        Work::of(vec![words.collect(); self.times])
    }
}
