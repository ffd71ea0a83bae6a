//! What a server tells its replicas, as far as its length shows.

use std::io::Result;

use keyns_testkit::Client;

#[derive(Debug, PartialEq)]
pub struct Stream {
    offset: String,
    /// How many keys have expired, and on newer servers fields: that is told to replicas, whatever
    /// is called.
    expired: Vec<String>,
}

impl Stream {
    pub fn of(client: &mut Client) -> Result<Stream> {
        Stream::ask(client)?;
        Stream::hear(client)
    }

    pub fn ask(client: &mut Client) -> Result<()> {
        client.send(&["INFO", "replication", "stats"])
    }

    /// Takes the answer.
    pub fn hear(client: &mut Client) -> Result<Stream> {
        let info = client.receive()?.text();
        let field = |start: &str| {
            let lines = info.lines().filter(|line| line.starts_with(start));
            lines.map(str::to_owned).collect::<Vec<_>>()
        };
        Ok(Stream {
            offset: field("master_repl_offset:").concat(),
            // Fields are subkeys in Redis and fields in Valkey 9.
            expired: ["expired_keys:", "expired_subkeys:", "expired_fields:"]
                .map(field)
                .concat(),
        })
    }

    /// Whether calls that tell nothing can have been all that was between these two.
    pub fn allows(&self, later: &Stream) -> bool {
        self.offset == later.offset || !self.same_expired(later)
    }

    pub fn same_expired(&self, later: &Stream) -> bool {
        self.expired == later.expired
    }

    /// Whether no field of a hash has expired between these two.
    pub fn same_expired_fields(&self, later: &Stream) -> bool {
        let fields = |stream: &'_ Stream| {
            let lines = stream.expired.iter();
            let lines = lines.filter(|line| !line.starts_with("expired_keys:"));
            lines.cloned().collect::<Vec<_>>()
        };
        fields(self) == fields(later)
    }
}
