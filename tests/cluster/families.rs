//! Every command, by the command table: it works on the node of its hash tag and on no other.

use keyns::server::spec::Spec;

use crate::rows::{Row, all, assert_replied, words};
use crate::support::{Client, Cluster, ClusterClient, wait_until};

#[test]
fn every_command_works_on_the_node_of_its_tag_and_is_sent_there_from_all_others() {
    let cluster = Cluster::start();
    let mut client = cluster.client();
    for master in 0..cluster.masters().len() {
        let mut tenant = Tenant {
            cluster: &cluster,
            master,
            tag: cluster.tag_on(master),
            on_master: cluster.masters()[master].client(),
            client: &mut client,
        };
        for (spec, row) in all() {
            tenant.assert_works(spec, row);
            tenant.assert_replica_reads(spec, row);
            if spec.keys.is_some() {
                tenant.assert_sent_here(spec, row);
            }
        }
    }
    let moved = client.told.moved;
    assert!(moved > 0, "the client has not been sent anywhere");
    for master in 0..cluster.masters().len() {
        wait_until("a replica has what its master has", || {
            cluster.replica_of(master).digest() == cluster.masters()[master].digest()
        });
    }
}

/// Whose keys have a tag that is on one of the masters.
struct Tenant<'a> {
    cluster: &'a Cluster,
    master: usize,
    tag: String,
    on_master: Client,
    client: &'a mut ClusterClient,
}

impl Tenant<'_> {
    fn assert_works(&mut self, spec: &Spec, row: &Row) {
        for (line, expected) in row.calls {
            let words = words(line, &self.tag);
            let reply = match spec.keys {
                Some(_) => self.client.call(&words),
                None => self.on_master.call(&words),
            };
            assert_replied(line, &self.tag, &reply, expected);
        }
    }

    /// The master's replica has all that was written, and answers what only reads.
    fn assert_replica_reads(&mut self, spec: &Spec, row: &Row) {
        if !reads_only(spec) {
            return;
        }
        // Each connection waits for what it has written itself.
        assert_eq!(self.on_master.run("WAIT 1 60000").integer(), 1);
        assert_eq!(self.client.wait_for_replica(), 1);
        let mut replica = self.cluster.replica_of(self.master).client();
        assert_eq!(replica.run("READONLY").text(), "OK");
        for (line, expected) in row.calls {
            let reply = replica.call(&words(line, &self.tag));
            assert_replied(line, &self.tag, &reply, expected);
        }
    }

    /// All other nodes name the master, and so does its replica to whom did not say that it only
    /// reads, or wants to write.
    fn assert_sent_here(&mut self, spec: &Spec, row: &Row) {
        let master = &self.cluster.masters()[self.master];
        let (line, _) = row.calls[0];
        let words = words(line, &self.tag);
        let slot = self.on_master.slot_of(&words[1]);
        let moved = format!("MOVED {slot} 127.0.0.1:{}", master.port);
        for node in &self.cluster.nodes {
            if node.port == master.port {
                continue;
            }
            let mut client = node.client();
            assert_eq!(client.call(&words).text(), moved, "{line}");
            let is_replica = node.port == self.cluster.replica_of(self.master).port;
            client.run("READONLY");
            if !(is_replica && reads_only(spec)) {
                assert_eq!(client.call(&words).text(), moved, "{line}");
            }
        }
    }
}

fn reads_only(spec: &Spec) -> bool {
    let flags = spec.flags.to_str().expect("flags");
    flags.split(' ').any(|flag| flag == "readonly")
}
