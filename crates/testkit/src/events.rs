//! What others hear of a change.

use crate::{Client, Server};

impl Server {
    /// The keyspace events that calls send, up to the mark that follows them.
    #[track_caller]
    pub fn events(&self, lines: &[&str]) -> Vec<String> {
        let mut client = self.client();
        client.run("DEL mark");
        client.run("CONFIG SET notify-keyspace-events KEAn");
        let mut listener = self.client();
        listener.run("PSUBSCRIBE __keyevent@0__:*");
        for line in lines {
            assert!(!client.run(line).is_error(), "{line}");
        }
        client.run("LPUSH mark x");
        let mut events = Vec::new();
        loop {
            let message = listener.receive().unwrap();
            let event = message.array()[2].text().replace("__keyevent@0__:", "");
            let key = message.array()[3].text();
            if key == "mark" {
                return events;
            }
            events.push(format!("{event} {key}"));
        }
    }
}

impl Client {
    /// Has the module `meddler` answer every change of the keys it watches with a command.
    #[track_caller]
    pub fn meddle(&mut self, answer: &[&str]) {
        let words = [&["MEDDLER.ANSWER"], answer].concat();
        assert_eq!(self.call(&words).integer(), 1);
    }

    /// How much the server has sent to its replicas.
    pub fn offset(&mut self) -> String {
        self.info("replication", "master_repl_offset")
    }
}
