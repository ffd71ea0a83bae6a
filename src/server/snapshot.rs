//! A value that readers see as of one moment, while others may replace it.
//!
//! A reader gets a share of the value, and holds no lock: the server may call back in the meantime,
//! and the callback may replace the value. It takes no memory before the first value, and none after
//! [`forget`](Snapshot::forget): nobody could free what a module leaves behind.

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

pub struct Snapshot<T>(RwLock<Option<Arc<T>>>);

impl<T> Snapshot<T> {
    pub const fn empty() -> Snapshot<T> {
        Snapshot(RwLock::new(None))
    }

    /// The current value, `None` if there is none.
    pub fn get(&self) -> Option<Arc<T>> {
        self.read().clone()
    }

    /// The same, but `None` while somebody is replacing it: a crash report must not wait.
    pub fn try_get(&self) -> Option<Arc<T>> {
        self.0.try_read().ok()?.clone()
    }

    pub fn set(&self, value: T) {
        *self.write() = Some(Arc::new(value));
    }

    pub fn forget(&self) {
        *self.write() = None;
    }

    /// Changes the value in place, or a copy of it if somebody still reads it. `change` must not
    /// call the server.
    pub fn change<R>(&self, change: impl FnOnce(&mut T) -> R) -> R
    where
        T: Clone + Default,
    {
        change(Arc::make_mut(self.write().get_or_insert_default()))
    }

    // Neither guard leaves this file.

    fn read(&self) -> RwLockReadGuard<'_, Option<Arc<T>>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Option<Arc<T>>> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_keeps_what_it_has_read() {
        let names = Snapshot::<Vec<&str>>::empty();
        assert_eq!(names.get(), None);
        names.set(vec!["ada"]);
        let before = names.get().unwrap();
        names.change(|names| names.push("bob"));
        assert_eq!(*before, ["ada"]);
        assert_eq!(*names.get().unwrap(), ["ada", "bob"]);
        names.forget();
        assert_eq!(names.get(), None);
    }

    #[test]
    fn what_nobody_reads_is_changed_where_it_is() {
        let names = Snapshot::<Vec<u8>>::empty();
        names.set(Vec::with_capacity(64));
        let place = names.get().unwrap().as_ptr();
        names.change(|names| names.push(7));
        assert_eq!(names.get().unwrap().as_ptr(), place);
    }
}
