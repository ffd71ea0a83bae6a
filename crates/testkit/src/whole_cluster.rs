//! A whole cluster on this machine: three masters, each with a replica.

use crate::{Client, ClusterClient, Options, Server, read_in_background, wait_until};

pub const MASTERS: usize = 3;

/// Nodes that know each other: first those that start as masters, then their replicas in the same
/// order.
pub struct Cluster {
    pub nodes: Vec<Server>,
}

impl Cluster {
    /// A cluster that takes no node for dead, however busy the machine is.
    #[track_caller]
    pub fn start() -> Cluster {
        Cluster::with_node_timeout("120000")
    }

    /// A cluster that gives up a dead master after a few seconds.
    #[track_caller]
    pub fn start_with_failover() -> Cluster {
        Cluster::with_node_timeout("3000")
    }

    #[track_caller]
    fn with_node_timeout(millis: &str) -> Cluster {
        let options = Options::node()
            .set("--cluster-node-timeout", &[millis])
            .set("--repl-diskless-sync-delay", &["0"]);
        let nodes = (0..2 * MASTERS).map(|_| options.clone().start()).collect();
        let cluster = Cluster { nodes };
        cluster.spread_slots();
        cluster.introduce();
        cluster.attach_replicas();
        cluster
    }

    /// Two masters without replicas, of which the first one has all slots.
    #[track_caller]
    pub fn of_two() -> Cluster {
        let nodes = Server::pair_of_nodes().map(|(server, _)| server);
        Cluster {
            nodes: nodes.into(),
        }
    }

    fn spread_slots(&self) {
        const SLOTS: usize = 16_384;
        for (index, node) in self.masters().iter().enumerate() {
            let (first, end) = (SLOTS * index / MASTERS, SLOTS * (index + 1) / MASTERS);
            let mut client = node.client();
            let reply = client.run(&format!("CLUSTER ADDSLOTSRANGE {first} {}", end - 1));
            assert_eq!(reply.text(), "OK");
            // Masters with the same epoch would first have to settle which one is the greater.
            let reply = client.run(&format!("CLUSTER SET-CONFIG-EPOCH {}", index + 1));
            assert_eq!(reply.text(), "OK");
        }
    }

    /// Introduces every node to every other, which is faster than gossip.
    fn introduce(&self) {
        for (index, node) in self.nodes.iter().enumerate() {
            for other in &self.nodes[index + 1..] {
                let port = other.port.to_string();
                let reply = node.client().call(&["CLUSTER", "MEET", "127.0.0.1", &port]);
                assert_eq!(reply.text(), "OK");
            }
        }
        self.wait_until_all_know_all();
    }

    fn attach_replicas(&self) {
        let (masters, replicas) = self.nodes.split_at(MASTERS);
        for (master, replica) in masters.iter().zip(replicas) {
            let id = master.client().run("CLUSTER MYID").text();
            let reply = replica.client().call(&["CLUSTER", "REPLICATE", &id]);
            assert_eq!(reply.text(), "OK");
        }
        for (master, replica) in masters.iter().zip(replicas) {
            let mut client = replica.client();
            wait_until("the replica has what its master has", || {
                client.info("replication", "role") == "slave"
                    && client.info("replication", "master_link_status") == "up"
            });
            let mut client = master.client();
            wait_until("the master waits for its replica", || {
                client.run("WAIT 1 100").integer() == 1
            });
        }
        self.wait_until_all_know_all();
        // Only then can all masters vote for every replica.
        for node in &self.nodes {
            let mut client = node.client();
            wait_until("all nodes know who is a replica", || {
                let nodes = client.run("CLUSTER NODES").text();
                nodes.matches("slave").count() == MASTERS
            });
        }
    }

    #[track_caller]
    pub fn wait_until_all_know_all(&self) {
        for node in &self.nodes {
            let mut client = node.client();
            wait_until("all nodes know each other", || {
                client.knows(self.nodes.len())
            });
        }
    }

    /// The nodes that started as masters.
    pub fn masters(&self) -> &[Server] {
        &self.nodes[..MASTERS.min(self.nodes.len())]
    }

    /// The node that started as the replica of a master.
    pub fn replica_of(&self, master: usize) -> &Server {
        &self.nodes[MASTERS + master]
    }

    /// A client that finds the node of every key.
    pub fn client(&self) -> ClusterClient {
        ClusterClient::new(self.ports())
    }

    pub fn ports(&self) -> Vec<u16> {
        self.nodes.iter().map(|node| node.port).collect()
    }

    /// Makes every second node read all documents in the background.
    #[track_caller]
    pub fn read_in_background_on_every_second_node(&self) {
        for node in self.nodes.iter().skip(1).step_by(2) {
            read_in_background(&mut node.client(), true);
        }
    }

    /// A hash tag whose keys are on this master.
    #[track_caller]
    pub fn tag_on(&self, master: usize) -> String {
        let mut tags = self.tags_on(master);
        tags.next().expect("a tag in a third of all slots")
    }

    /// Some hundred hash tags whose keys are on this master.
    pub fn tags_on(&self, master: usize) -> impl Iterator<Item = String> {
        let mut client = self.masters()[master].client();
        let tags = (0..1000).map(|number| format!("t{number}"));
        tags.filter(move |tag| client.owns(&format!("{{{tag}}}")))
    }
}

impl Client {
    /// Whether this node has the slot of a key.
    #[track_caller]
    pub fn owns(&mut self, key: &str) -> bool {
        !self.call(&["EXISTS", key]).is_error()
    }

    #[track_caller]
    pub fn slot_of(&mut self, key: &str) -> i64 {
        self.call(&["CLUSTER", "KEYSLOT", key]).integer()
    }
}
