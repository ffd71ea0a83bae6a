//! Every command, by the rows of all sweeps, works on the node of its hash tag as it does on a single
//! server, and on no other node.

use keyns::FAMILIES;
use keyns::server::spec::Spec;
use keyns_testkit::{
    Client, Cluster, ClusterClient, Outcome, ROWS, Row, Server, Value, assert_same_reply,
    key_place, keyspace, wait_until,
};

#[test]
fn every_command_works_on_the_node_of_its_tag_and_is_sent_there_from_all_others() {
    let cluster = Cluster::start();
    let mut client = cluster.client();
    let mut is_played = vec![false; ROWS.len()];
    for master in 0..cluster.masters().len() {
        let alone = Server::start();
        let mut alone = alone.client();
        let mut on_master = cluster.masters()[master].client();
        let mut tags = cluster.tags_on(master);
        for (row, is_played) in ROWS.iter().zip(&mut is_played) {
            let tag = tags.next().expect("a tag for each row");
            let scope = format!("{{{tag}}}");
            let key = row.first_key_in(&scope);
            // Only one of the masters has a key without a tag.
            if key.is_some_and(|key| !on_master.owns(&key)) {
                continue;
            }
            *is_played = true;
            alone.prepare(row, &scope);
            let expected = alone.call(&row.call_in(&scope));
            assert!(!expected.is_error(), "{}: {expected:?}", row.line);
            let mut tenant = Tenant {
                cluster: &cluster,
                master,
                scope,
                on_master: &mut on_master,
                client: &mut client,
            };
            tenant.assert_works(row, &expected);
            tenant.assert_replica_reads(row, &expected);
            tenant.assert_sent_here(row);
        }
        let [keys, expected] =
            [&mut on_master, &mut alone].map(|client| keyspace(client).into_keys());
        assert!(keys.eq(expected), "other keys on master {master}");
    }
    for (row, is_played) in ROWS.iter().zip(is_played) {
        assert!(is_played, "no master has the keys of {}", row.line);
    }
    let moved = client.told.moved;
    assert!(moved > 0, "the client has not been sent anywhere");
    for master in 0..cluster.masters().len() {
        wait_until("a replica has what its master has", || {
            cluster.replica_of(master).digest() == cluster.masters()[master].digest()
        });
    }
}

/// A scope whose hash tag belongs to one of the masters.
struct Tenant<'a> {
    cluster: &'a Cluster,
    master: usize,
    scope: String,
    on_master: &'a mut Client,
    client: &'a mut ClusterClient,
}

impl Tenant<'_> {
    fn assert_works(&mut self, row: &Row, expected: &Value) {
        self.on_master.apply_settings(row);
        for line in row.before.iter().filter(|line| row.has_key(line)) {
            let reply = self.make(row, line);
            assert!(!reply.is_error(), "{line}: {reply:?}");
        }
        let reply = self.make(row, row.line);
        assert_same_reply(row, "in a cluster", &reply, expected);
    }

    /// A call with a key finds its node. Each node has its own namespaces and settings.
    fn make(&mut self, row: &Row, line: &str) -> Value {
        let words = Row::words_in(line, &self.scope);
        match row.has_key(line) {
            true => self.client.call(&words),
            false => self.on_master.call(&words),
        }
    }

    /// The master's replica has all writes, and answers calls that only read.
    fn assert_replica_reads(&mut self, row: &Row, expected: &Value) {
        if row.outcome != Outcome::Reads {
            return;
        }
        // WAIT covers the writes of its own connection only.
        assert_eq!(self.on_master.run("WAIT 1 60000").integer(), 1);
        assert_eq!(self.client.wait_for_replica(), 1);
        let mut replica = self.cluster.replica_of(self.master).client();
        assert_eq!(replica.run("READONLY").text(), "OK");
        let reply = replica.call(&row.call_in(&self.scope));
        assert_same_reply(row, "on a replica", &reply, expected);
    }

    /// All other nodes redirect to the master. So does its replica, unless the client has sent READONLY
    /// and the call only reads.
    fn assert_sent_here(&mut self, row: &Row) {
        let line = row.line;
        assert_eq!(spec_of(row).keys.is_some(), row.has_key(line), "{line}");
        if !row.has_key(line) {
            return;
        }
        let master = &self.cluster.masters()[self.master];
        let words = row.call_in(&self.scope);
        let slot = self.on_master.slot_of(&words[key_place(&words)]);
        let moved = format!("MOVED {slot} 127.0.0.1:{}", master.port);
        for node in &self.cluster.nodes {
            if node.port == master.port {
                continue;
            }
            let mut client = node.client();
            assert_eq!(client.call(&words).text(), moved, "{line}");
            let is_replica = node.port == self.cluster.replica_of(self.master).port;
            client.run("READONLY");
            if !(is_replica && row.outcome == Outcome::Reads) {
                assert_eq!(client.call(&words).text(), moved, "{line}");
            }
        }
    }
}

fn spec_of(row: &Row) -> &'static Spec {
    let mut specs = FAMILIES
        .iter()
        .flat_map(|family| family.commands)
        .map(|command| &command.spec);
    let found = specs.find(|spec| spec.name.to_str() == Ok(row.command()));
    found.unwrap_or_else(|| panic!("{} is no command", row.command()))
}
