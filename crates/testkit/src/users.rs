//! Users with rules of their own.

use crate::{Client, Server};

impl Server {
    /// A client of a user who may do what these rules say and nothing else.
    #[track_caller]
    pub fn login(&self, rules: &str) -> Client {
        let mut admin = self.client();
        let reply = admin.run(&format!("ACL SETUSER tester reset on nopass {rules}"));
        assert_eq!(reply.text(), "OK");
        let mut client = self.client();
        assert_eq!(client.run("AUTH tester secret").text(), "OK");
        client
    }
}
