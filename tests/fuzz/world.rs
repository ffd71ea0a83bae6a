//! A primary with the module, its replica, and the connections to them.

use std::collections::HashMap;
use std::io;

use keyns_testkit::{Client, Options, Server, Value, rewrite_aof, wait_until};

use crate::call::Call;
use crate::plain;
use crate::step::Sender;

/// Which build of the module is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Build {
    /// The one that ships.
    Shipped,
    /// The one for tests, in which overflows and broken assertions panic.
    Checked,
}

pub struct World {
    pub primary: Server,
    pub replica: Server,
    /// Connections of the default user, for looking.
    pub admin: Client,
    pub replica_admin: Client,
    senders: HashMap<Sender, Client>,
    /// The settings as they were at the start.
    settings: Vec<Call>,
    /// How much of the logs was looked at.
    pub logs_read: [usize; 2],
}

impl World {
    pub fn start(build: Build) -> World {
        let options = || match build {
            Build::Shipped => Options::new(),
            Build::Checked => Options::with_panic_command(),
        };
        let primary = options()
            .set("--appendonly", &["yes"])
            .set("--appendfsync", &["no"])
            .set("--auto-aof-rewrite-percentage", &["0"])
            // What is in the replication stream is there because of a call.
            .set("--repl-ping-replica-period", &["100000"])
            .set("--repl-timeout", &["100000"])
            // Large enough that the replica never starts over.
            .set("--repl-backlog-size", &["64mb"])
            .set("--client-output-buffer-limit", &["replica", "0", "0", "0"])
            .start();
        let replica = options().start();
        replica.follow(&primary);
        let mut admin = primary.client();
        // When it is, a server that has no namespaces in its RDB sends all of them again, by itself.
        wait_until("the replica is online", || {
            admin.info("replication", "slave0").contains("state=online")
        });
        for call in plain::ease() {
            assert_eq!(admin.call(&call.words).text(), "OK", "{call}");
        }
        let settings = [
            "keyns.*",
            "notify-keyspace-events",
            "*-max-listpack-*",
            "set-max-intset-entries",
        ];
        let settings = settings.iter().flat_map(|name| {
            let pairs = admin.call(&["CONFIG", "GET", name]).fields();
            let calls = pairs.into_iter().map(|(name, value)| {
                Call::new(&["CONFIG", "SET", name.as_str(), value.text().as_str()])
            });
            calls.collect::<Vec<_>>()
        });
        World {
            settings: settings.collect(),
            admin,
            replica_admin: replica.client(),
            senders: HashMap::new(),
            logs_read: [0; 2],
            primary,
            replica,
        }
    }

    /// Makes it as good as new.
    pub fn reset(&mut self) {
        self.ease();
        for call in &self.settings {
            // Two of them cannot be set while the server runs.
            self.admin.call(&call.words);
        }
        self.admin.run("FLUSHALL");
        self.admin.forget_namespaces();
        self.shorten_aof();
    }

    /// Leaves the batches before out of the AOF, so that reading it stays quick.
    fn shorten_aof(&mut self) {
        const LONG: u64 = 8 << 20;
        let size = self.admin.info("persistence", "aof_current_size");
        if size.parse::<u64>().expect("a size") > LONG {
            rewrite_aof(&mut self.admin);
        }
    }

    /// Ends what keeps calls from being accepted.
    pub fn ease(&mut self) {
        for call in plain::ease() {
            self.admin.call(&call.words);
        }
    }

    /// A connection that is kept for this sender.
    pub fn sender(&mut self, sender: Sender) -> io::Result<&mut Client> {
        if !self.senders.contains_key(&sender) {
            let client = self.connect(sender)?;
            self.senders.insert(sender, client);
        }
        Ok(self.senders.get_mut(&sender).expect("it is there"))
    }

    /// A connection of its own.
    pub fn connect(&self, sender: Sender) -> io::Result<Client> {
        let mut client = Client::connect(self.primary.port)?;
        if let Some(user) = sender.user {
            client.try_call(&["AUTH", &format!("user{user}"), "-"])?;
        }
        if sender.resp3 {
            client.try_call(&["HELLO", "3"])?;
        }
        client.try_call(&["SELECT", &sender.database.to_string()])?;
        Ok(client)
    }

    /// Waits until a client is gone, and with it what it had under way.
    pub fn wait_until_gone(&mut self, id: &Value) -> io::Result<()> {
        let id = id.integer().to_string();
        let mut patience = 60_000;
        loop {
            let clients = self.admin.try_call(&["CLIENT", "LIST", "ID", &id])?.text();
            if clients.is_empty() && self.admin.info("keyns", "keyns_documents_parsing") == "0" {
                return Ok(());
            }
            patience -= 1;
            if patience == 0 {
                return Err(io::Error::other("a client that left is still there"));
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }
}
