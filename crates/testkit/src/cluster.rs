//! Nodes of a cluster.

use crate::{Client, Options, Server, wait_until};

impl Server {
    /// A node without slots that knows no other node.
    #[track_caller]
    pub fn node() -> Server {
        Options::node().start()
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

    /// Two nodes that know each other, of which the first one has all slots.
    #[track_caller]
    pub fn pair_of_nodes() -> [(Server, Client); 2] {
        let (first, mut first_client) = Server::cluster();
        let second = Server::node();
        let mut second_client = second.client();
        second_client.call(&["CLUSTER", "MEET", "127.0.0.1", &first.port.to_string()]);
        wait_until("both know each other", || {
            first_client.knows(2) && second_client.knows(2)
        });
        [(first, first_client), (second, second_client)]
    }
}

impl Client {
    /// Whether the node is in a working cluster of this many nodes.
    pub fn knows(&mut self, nodes: usize) -> bool {
        let info = self.run("CLUSTER INFO").text();
        let nodes = format!("cluster_known_nodes:{nodes}\r\n");
        info.contains("cluster_state:ok") && info.contains(&nodes)
    }
}
