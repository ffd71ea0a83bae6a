//! A server that stands still.

use crate::{Server, signal};

/// Its process does nothing until this ends.
pub struct Frozen(String);

impl Server {
    #[track_caller]
    pub fn freeze(&self) -> Frozen {
        let id = self.client().info("server", "process_id");
        signal(&id, "STOP");
        Frozen(id)
    }
}

impl Drop for Frozen {
    fn drop(&mut self) {
        signal(&self.0, "CONT");
    }
}
