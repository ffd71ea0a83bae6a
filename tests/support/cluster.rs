//! Nodes of a cluster.

use super::{Client, Options, Server, wait_until};

impl Server {
    /// A node without slots that knows no other.
    #[track_caller]
    pub fn node() -> Server {
        Options::new().set("--cluster-enabled", &["yes"]).start()
    }

    /// A node with all slots.
    #[track_caller]
    pub fn cluster() -> (Server, Client) {
        let server = Server::node();
        let mut client = server.client();
        client.run("CLUSTER ADDSLOTSRANGE 0 16383");
        wait_until("the cluster is up", || client.knows(1));
        (server, client)
    }
}

impl Client {
    /// Whether the node is in a cluster of so many that works.
    pub fn knows(&mut self, nodes: usize) -> bool {
        let info = self.run("CLUSTER INFO").text();
        let nodes = format!("cluster_known_nodes:{nodes}\r\n");
        info.contains("cluster_state:ok") && info.contains(&nodes)
    }
}
