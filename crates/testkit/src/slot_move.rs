//! A slot that moves key by key from one master to another while clients use it.

use crate::{Client, Cluster, Server, Value};

pub struct SlotMove<'c> {
    cluster: &'c Cluster,
    slot: i64,
    from: &'c Server,
    to: &'c Server,
    from_client: Client,
    to_client: Client,
}

impl<'c> SlotMove<'c> {
    /// Tells both masters that the slot of a key begins to move.
    #[track_caller]
    pub fn begin(cluster: &'c Cluster, key: &str, from: usize, to: usize) -> SlotMove<'c> {
        let [from, to] = [from, to].map(|index| &cluster.nodes[index]);
        let (mut from_client, mut to_client) = (from.client(), to.client());
        let slot = from_client.slot_of(key);
        let from_id = from_client.run("CLUSTER MYID").text();
        let to_id = to_client.run("CLUSTER MYID").text();
        set_slot(&mut to_client, slot, &format!("IMPORTING {from_id}"));
        set_slot(&mut from_client, slot, &format!("MIGRATING {to_id}"));
        SlotMove {
            cluster,
            slot,
            from,
            to,
            from_client,
            to_client,
        }
    }

    /// Moves up to this many keys, in the order of the server; returns how many there were.
    #[track_caller]
    pub fn move_some(&mut self, count: usize) -> usize {
        let line = format!("CLUSTER GETKEYSINSLOT {} {count}", self.slot);
        let keys = self.from_client.run(&line);
        let keys: Vec<String> = keys.array().iter().map(Value::text).collect();
        self.move_keys(&keys);
        keys.len()
    }

    /// Moves those of these keys that exist.
    #[track_caller]
    pub fn move_keys<K: AsRef<str>>(&mut self, keys: &[K]) {
        if keys.is_empty() {
            return;
        }
        let port = self.to.port.to_string();
        let mut args = vec!["MIGRATE", "127.0.0.1", &port, "", "0", "5000", "KEYS"];
        args.extend(keys.iter().map(AsRef::as_ref));
        let reply = self.from_client.call(&args);
        // A key may be gone or expired by then.
        assert!(
            ["OK", "NOKEY"].contains(&reply.text().as_str()),
            "{reply:?}"
        );
    }

    /// The reply of the node that receives the slot to a client that was redirected to it.
    #[track_caller]
    pub fn ask<A: AsRef<[u8]>>(&mut self, args: &[A]) -> Value {
        self.to_client.run("ASKING");
        self.to_client.call(args)
    }

    /// The reply of the node that gives the slot away.
    #[track_caller]
    pub fn ask_old<A: AsRef<[u8]>>(&mut self, args: &[A]) -> Value {
        self.from_client.call(args)
    }

    /// Moves the remaining keys, and tells all masters who owns the slot now.
    #[track_caller]
    pub fn finish(mut self) {
        while self.move_some(20) > 0 {}
        let to_id = self.to_client.run("CLUSTER MYID").text();
        let of_new_owner = format!("NODE {to_id}");
        set_slot(&mut self.to_client, self.slot, &of_new_owner);
        set_slot(&mut self.from_client, self.slot, &of_new_owner);
        for other in self.cluster.masters() {
            if other.port != self.from.port && other.port != self.to.port {
                set_slot(&mut other.client(), self.slot, &of_new_owner);
            }
        }
    }
}

#[track_caller]
fn set_slot(client: &mut Client, slot: i64, state: &str) {
    let reply = client.run(&format!("CLUSTER SETSLOT {slot} {state}"));
    assert_eq!(reply.text(), "OK", "SETSLOT {slot} {state}");
}
