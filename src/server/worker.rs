//! A thread for work that would block the server.
//!
//! The standard library leaves a thread-local value in the thread that starts another, which would
//! keep our code in memory even after the module is unloaded. So this is a plain POSIX thread.

use std::ffi::c_void;
use std::{mem, ptr};

use libc::pthread_t;

/// A thread that runs a function once.
pub struct Worker(pthread_t);

impl Worker {
    /// Starts a thread, `None` if the system refuses. `run` must catch its own panics: one that
    /// escapes ends the server.
    pub fn start(run: fn()) -> Option<Worker> {
        let mut thread: pthread_t = 0;
        // SAFETY: `start` gets the function back, and returns nothing.
        let status =
            unsafe { libc::pthread_create(&mut thread, ptr::null(), start, run as *mut c_void) };
        (status == 0).then_some(Worker(thread))
    }

    /// Waits for its last instruction.
    pub fn join(self) {
        // SAFETY: it was started by us, and this is the only one to join it.
        unsafe { libc::pthread_join(self.0, ptr::null_mut()) };
    }
}

extern "C" fn start(run: *mut c_void) -> *mut c_void {
    // SAFETY: this is the function that `Worker::start` handed over.
    let run = unsafe { mem::transmute::<*mut c_void, fn()>(run) };
    run();
    ptr::null_mut()
}
