//! The servers, and all that happens to them.

use std::thread::{self, sleep};
use std::time::Duration;

use keyns_testkit::{Client, Options, Server, wait_until};

use super::families::Families;
use super::invariants::Invariant;
use super::memory::{SECONDS_THAT_SAY_SOMETHING, Sample, Trend};
use super::plot::Mark;
use super::report;
use super::stage::Stage;

/// What happens in turn, again and again.
const EVENTS: [Event; 6] = [
    Event::Save,
    Event::Quiet,
    Event::BreakLink,
    Event::Rewrite,
    Event::Quiet,
    Event::LeaveAndFollow,
];

#[derive(Clone, Copy)]
enum Event {
    /// BGSAVE.
    Save,
    /// BGREWRITEAOF.
    Rewrite,
    /// Everybody stops for a moment, in which all servers must have the same data.
    Quiet,
    /// A replica loses its connection, and goes on where it was.
    BreakLink,
    /// A replica leaves, and later takes all data anew.
    LeaveAndFollow,
}

/// How often something happens in a soak, and how often its numbers are printed.
const HAPPENINGS: u32 = 24;
const RANGES: u32 = 10;

pub struct Conductor {
    primary: Server,
    replicas: [Server; 2],
    pub version: String,
    pub samples: Vec<Sample>,
    pub marks: Vec<Mark>,
    pub away: Option<f64>,
}

impl Conductor {
    pub fn start() -> Conductor {
        let primary = Options::new()
            .set("--appendonly", &["yes"])
            .set("--appendfsync", &["everysec"])
            .set("--repl-diskless-sync-delay", &["0"])
            .start();
        let replicas = [primary.replica(), primary.replica()];
        let mut client = primary.client();
        let info = client.run("INFO server").text();
        let field = |name: &str| {
            let mut fields = info.lines().filter_map(|line| line.split_once(':'));
            fields.find(|(field, _)| *field == name)
        };
        let version = match (field("valkey_version"), field("redis_version")) {
            (Some((_, version)), _) => format!("Valkey {version}"),
            (None, Some((_, version))) => format!("Redis {version}"),
            (None, None) => "a server without a version".into(),
        };
        Conductor {
            primary,
            replicas,
            version,
            samples: Vec::new(),
            marks: Vec::new(),
            away: None,
        }
    }

    pub fn port(&self) -> u16 {
        self.primary.port
    }

    /// Goes through the whole time, second by second.
    pub fn conduct(&mut self, stage: &Stage, families: &Families) {
        let length = stage.length.as_secs_f64();
        let [happening, range] = [HAPPENINGS, RANGES].map(|parts| length / f64::from(parts));
        let mut events = EVENTS.iter().cycle();
        let mut next_event = happening;
        let mut next_range = range;
        let mut has_restarted = false;
        report::print_head(stage, &self.version);
        while stage.seconds() < length {
            self.samples
                .extend(Sample::take(stage.seconds(), self.port()));
            if !has_restarted && stage.seconds() >= length / 2.0 {
                has_restarted = true;
                self.restart(stage);
            } else if stage.seconds() >= next_event {
                next_event += happening;
                let event = events.next().expect("they come again and again");
                self.happen(*event, stage, families);
            }
            if stage.seconds() >= next_range {
                report::print_range(families, next_range - range, next_range, &self.samples);
                next_range += range;
            }
            sleep(Duration::from_millis(1000));
        }
        report::print_range(families, next_range - range, length, &self.samples);
    }

    fn mark(&mut self, stage: &Stage, kind: &'static str) {
        let second = stage.seconds();
        self.marks.push(Mark { second, kind });
    }

    fn happen(&mut self, event: Event, stage: &Stage, families: &Families) {
        match event {
            Event::Save => {
                self.mark(stage, "BGSAVE");
                self.primary.client().run("BGSAVE");
            }
            Event::Rewrite => {
                self.mark(stage, "BGREWRITEAOF");
                self.primary.client().run("BGREWRITEAOF");
            }
            Event::Quiet => {
                self.mark(stage, "quiet point");
                let quiet = stage
                    .quiet
                    .write()
                    .unwrap_or_else(|broken| broken.into_inner());
                self.check_all(stage, families);
                drop(quiet);
            }
            Event::BreakLink => {
                self.mark(stage, "replica away");
                self.replicas[0].client().run("CLIENT KILL TYPE master");
            }
            Event::LeaveAndFollow => {
                self.mark(stage, "replica away");
                self.replicas[1].client().run("REPLICAOF NO ONE");
                sleep(Duration::from_millis(500));
                self.replicas[1].follow(&self.primary);
            }
        }
    }

    /// Clients are in the middle of things, and have to find the server again.
    fn restart(&mut self, stage: &Stage) {
        self.mark(stage, "restart");
        let before = stage.seconds();
        self.check_panics(stage);
        // The reply is that the connection ends.
        let mut client = self.primary.client();
        let shutdown = client.try_call(&["SHUTDOWN", "SAVE"]);
        assert!(shutdown.is_err(), "it does not shut down: {shutdown:?}");
        self.primary.wait();
        self.primary.start_again();
        self.away = Some(stage.seconds() - before);
    }

    /// What must hold whenever nobody does anything.
    pub fn check_all(&mut self, stage: &Stage, families: &Families) {
        families
            .counted
            .check(&stage.invariants, &mut self.primary.client());
        self.check_panics(stage);
        self.check_replicas(stage);
        if stage.is_over() {
            self.check_memory(stage);
        }
    }

    fn check_panics(&self, stage: &Stage) {
        for server in self.replicas.iter().chain([&self.primary]) {
            let panics = server.client().info("keyns", "keyns_panics");
            stage
                .invariants
                .check(Invariant::NoPanics, panics == "0", || {
                    format!("{panics} on port {}:\n{}", server.port, server.log())
                });
        }
    }

    fn check_replicas(&self, stage: &Stage) {
        let mut primary = self.primary.client();
        // What expires in between would be gone on one and not yet on the other.
        primary.run("DEBUG SET-ACTIVE-EXPIRE 0");
        let offset = primary.info("replication", "master_repl_offset");
        let namespaces = primary.run("KEYNS.NS.DUMP");
        let has_namespaces = self.replicas.each_ref().map(|replica| {
            let mut client = replica.client();
            wait_until("the replica has all that was sent", || {
                let at = client.info("replication", "slave_repl_offset");
                is_at_least(&at, &offset)
                    && client.info("replication", "master_link_status") == "up"
            });
            // They come after the data, with the next thing that the server does.
            wait_for(|| client.run("KEYNS.NS.DUMP") == namespaces)
        });
        let (digest, digests) = thread::scope(|scope| {
            let replicas = self.replicas.each_ref();
            let digests = replicas.map(|replica| scope.spawn(|| replica.digest()));
            let digest = self.primary.digest();
            (
                digest,
                digests.map(|thread| thread.join().expect("it ends")),
            )
        });
        for (at, replica) in self.replicas.iter().enumerate() {
            let holds = digests[at] == digest && has_namespaces[at];
            stage.invariants.check(Invariant::ReplicasAgree, holds, || {
                let difference = difference(&mut primary, &mut replica.client());
                format!("namespaces: {}, {difference}", has_namespaces[at])
            });
        }
        primary.run("DEBUG SET-ACTIVE-EXPIRE 1");
    }

    fn check_memory(&self, stage: &Stage) {
        let length = stage.length.as_secs_f64();
        let invariants = &stage.invariants;
        if length < SECONDS_THAT_SAY_SOMETHING {
            invariants.excuse(Invariant::MemoryIsLevel, "too short to judge");
        } else if let Some(trend) = Trend::of(&self.samples, length) {
            invariants.check(Invariant::MemoryIsLevel, trend.is_level(), || {
                format!("it rises by {:.0}%", trend.rise() * 100.0)
            });
        }
    }
}

fn is_at_least(offset: &str, other: &str) -> bool {
    let [offset, other] = [offset, other].map(|text| text.parse::<u64>().expect("an offset"));
    offset >= other
}

/// Whether something becomes true within some seconds.
fn wait_for(mut condition: impl FnMut() -> bool) -> bool {
    (0..100).any(|_| {
        let is_true = condition();
        if !is_true {
            sleep(Duration::from_millis(100));
        }
        is_true
    })
}

/// Keys that one server has and another has not, or otherwise.
fn difference(one: &mut Client, other: &mut Client) -> String {
    let [ones, others] = [one, other].map(Client::snapshot);
    let only = |these: &[(String, String, i64)], those: &[(String, String, i64)]| {
        let only = these.iter().filter(|entry| !those.contains(entry)).take(5);
        format!("{:?}", only.collect::<Vec<_>>())
    };
    format!(
        "only here: {}, only there: {}",
        only(&ones, &others),
        only(&others, &ones)
    )
}
