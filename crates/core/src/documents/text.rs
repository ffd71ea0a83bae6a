//! The form in which names and values are held.

/// A string in the form that its writer needs. A server has strings of its own: the module makes one of
/// each name, and passes it to every command that the name occurs in. Tests and programs use bytes.
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
