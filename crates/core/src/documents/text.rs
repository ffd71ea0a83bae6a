//! The representation of names and values.

/// A string in the form that its writer needs. A server has its own strings: the module creates one for
/// each name, and passes it to every command that uses the name. Tests and programs use bytes.
pub trait Text {
    fn of(bytes: &[u8]) -> Self;

    fn bytes(&self) -> &[u8];
}

impl Text for Vec<u8> {
    fn of(bytes: &[u8]) -> Vec<u8> {
        bytes.to_vec()
    }

    fn bytes(&self) -> &[u8] {
        self
    }
}
