//! Slots that go to another master as a whole, by `CLUSTER MIGRATESLOTS`: the server copies their keys
//! in the background, pauses writes for a moment and hands the slots over. Valkey has it from 9.0 on.

use crate::{Client, Cluster, Server, Value, wait_until};

pub struct SlotMigration {
    source: Client,
    target: Client,
    slots: String,
}

impl SlotMigration {
    /// Asks the master `from` to give slots to the master `to`.
    #[track_caller]
    pub fn begin(from: &Server, to: &Server, first: i64, last: i64) -> SlotMigration {
        let (mut source, mut target) = (from.client(), to.client());
        let to_id = target.run("CLUSTER MYID").text();
        let line = format!("CLUSTER MIGRATESLOTS SLOTSRANGE {first} {last} NODE {to_id}");
        assert_eq!(source.run(&line).text(), "OK", "{line}");
        SlotMigration {
            source,
            target,
            slots: format!("{first}-{last}"),
        }
    }

    /// The state of the last migration of these slots, and the message that explains it.
    #[track_caller]
    fn state(&mut self) -> (String, String) {
        let jobs = self.source.run("CLUSTER GETSLOTMIGRATIONS");
        let mut jobs = jobs.array().iter().map(Value::fields);
        let job = jobs.find(|job| job["slot_ranges"].text() == self.slots);
        let job = job.expect("the migration");
        (job["state"].text(), job["message"].text())
    }

    /// Waits until the source has sent all keys and only passes on what is written to them.
    #[track_caller]
    pub fn wait_until_copied(&mut self) {
        wait_until("all keys are copied", || {
            let (state, message) = self.state();
            assert!(!is_over(&state), "{state}: {message}");
            ["replicating", "waiting-to-pause"].contains(&state.as_str())
        });
    }

    /// Waits until both masters agree that the slots have changed hands.
    #[track_caller]
    pub fn finish(mut self) {
        wait_until("the slots are handed over", || {
            let (state, message) = self.state();
            assert!(state == "success" || !is_over(&state), "{state}: {message}");
            state == "success"
        });
        let first: i64 = self
            .slots
            .split('-')
            .next()
            .unwrap_or_default()
            .parse()
            .unwrap();
        wait_until("the target serves them", || {
            let id = self.target.run("CLUSTER MYID").text();
            self.source.owner_of(first) == id && self.target.owner_of(first) == id
        });
    }
}

fn is_over(state: &str) -> bool {
    ["success", "failed", "cancelled"].contains(&state)
}

impl Server {
    /// Whether the server knows `CLUSTER MIGRATESLOTS`, as Valkey does from 9.0 on and no other.
    #[track_caller]
    pub fn has_slot_migration(&self) -> bool {
        let mut client = self.client();
        let info = client.run("INFO server").text();
        let version = info
            .lines()
            .find_map(|line| line.strip_prefix("valkey_version:"));
        let major = version.and_then(|version| version.split('.').next());
        let is_valkey_9 = major.is_some_and(|major| major.parse::<u32>().unwrap() >= 9);
        let known = client.run("COMMAND INFO CLUSTER|MIGRATESLOTS");
        let is_known = known.array()[0] != Value::Null;
        assert_eq!(is_known, is_valkey_9, "{version:?}: {known:?}");
        is_known
    }

    /// Keeps the server from handing slots over, or lets it do so again.
    #[track_caller]
    pub fn hold_migrations(&self, are_held: bool) {
        let line = format!("DEBUG SLOTMIGRATION PREVENT-PAUSE {}", u8::from(are_held));
        assert_eq!(self.client().run(&line).text(), "OK");
    }
}

impl Client {
    /// The id of the node that has a slot, by what this one knows.
    #[track_caller]
    fn owner_of(&mut self, slot: i64) -> String {
        let ranges = self.run("CLUSTER SLOTS");
        let mut ranges = ranges.array().iter().map(Value::array);
        let range = ranges.find(|range| (range[0].integer()..=range[1].integer()).contains(&slot));
        range.map_or_else(String::new, |range| range[2].array()[2].text())
    }
}

impl Cluster {
    /// A range of slots around that of a key, all on its master as long as none has moved.
    #[track_caller]
    pub fn slots_around(&self, key: &str, master: usize) -> (i64, i64) {
        let mut client = self.masters()[master].client();
        let slot = client.slot_of(key);
        let id = client.run("CLUSTER MYID").text();
        let ranges = client.run("CLUSTER SLOTS");
        let mut ranges = ranges.array().iter().map(Value::array);
        let own = ranges.find(|range| range[2].array()[2].text() == id);
        let own = own.expect("slots of the master");
        let first = own[0].integer().max(slot - 100);
        (first, own[1].integer().min(slot + 100))
    }
}
