//! The entry guard: whatever goes wrong in a command or a callback, the server lives.

use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::atomic::{AtomicUsize, Ordering};

use redis_module::raw::{REDISMODULE_OK, RedisModuleCtx, RedisModuleString};

use super::counters::Counter;
use super::spec::Command;
use super::waiting::Then;
use super::{Call, Family, Result, log};

/// Panics that the guard caught.
pub static PANICS: Counter = Counter::new();

/// Runs a command inside the guard: its error becomes an error reply, and so does a panic.
///
/// # Safety
/// The pointers must be those the server called the command with.
pub unsafe fn enter(
    ctx: *mut RedisModuleCtx,
    argv: *mut *mut RedisModuleString,
    argc: c_int,
    command: &Command,
) -> c_int {
    command.spec.family.usage.calls.increment();
    // SAFETY: the server keeps `argc` arguments alive while the command runs.
    let call = unsafe { Call::new(ctx, argv, argc) };
    run(&call, command.spec.family, || (command.run)(&call));
    REDISMODULE_OK as c_int
}

/// Runs the rest of a call that waited inside the guard, if it is still allowed, and answers whether
/// that worked; without a rest, what came before panicked.
pub fn run_rest(
    call: &Call,
    family: &Family,
    then: Option<Then>,
    is_allowed: impl FnOnce() -> Result<()>,
) -> bool {
    match then {
        Some(then) => run(call, family, || {
            is_allowed()?;
            then(call)
        }),
        None => {
            fail(call, family);
            false
        }
    }
}

/// Answers whether it worked.
fn run(call: &Call, family: &Family, run: impl FnOnce() -> Result<()>) -> bool {
    let _running = Running::start();
    // A command replies as the last thing it does, so one that failed has not replied yet.
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(())) => return true,
        Ok(Err(error)) => {
            family.usage.errors.increment();
            call.reply().error(&error);
        }
        Err(_) => fail(call, family),
    }
    false
}

/// The reply to a call that panicked.
fn fail(call: &Call, family: &Family) {
    family.usage.errors.increment();
    PANICS.increment();
    call.reply().internal_error();
}

/// How many of our calls are running, one inside the other.
static DEPTH: AtomicUsize = AtomicUsize::new(0);

/// A call that is running.
struct Running;

impl Running {
    fn start() -> Running {
        DEPTH.store(DEPTH.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        Running
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        DEPTH.store(DEPTH.load(Ordering::Relaxed) - 1, Ordering::Relaxed);
    }
}

/// Whether one of our commands is running, and so our code must not go away.
pub fn is_running() -> bool {
    DEPTH.load(Ordering::Relaxed) > 0
}

/// Runs a callback in which families work inside the guard. The module stays until it is done.
pub fn work<T>(name: &str, otherwise: T, run: impl FnOnce() -> T) -> T {
    let _running = Running::start();
    callback(name, otherwise, run)
}

/// Runs a callback inside the guard, which answers `otherwise` if it panics.
pub fn callback<T>(name: &str, otherwise: T, run: impl FnOnce() -> T) -> T {
    let run = || {
        #[cfg(feature = "panic-command")]
        panic_if_told(name);
        run()
    };
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
        PANICS.increment();
        log::warning_anywhere(&format!("keyns: internal error in {name}"));
        otherwise
    })
}

/// Sends the place and the message of every panic to the server's log.
pub fn log_panics() {
    set_hook(Box::new(|panic| {
        log::warning_anywhere(&format!("keyns: internal error, please report it: {panic}"));
    }));
}

/// Gives panics back to their default, which does not point into this module.
pub fn forget_panics() {
    drop(take_hook());
}

/// The callback that is to panic next.
#[cfg(feature = "panic-command")]
static TOLD: std::sync::Mutex<Vec<u8>> = std::sync::Mutex::new(Vec::new());

/// Has the next callback of this name panic, to see that the server lives.
#[cfg(feature = "panic-command")]
pub fn panic_in(callback: &[u8]) {
    if let Ok(mut told) = TOLD.lock() {
        *told = callback.to_vec();
    }
}

#[cfg(feature = "panic-command")]
fn panic_if_told(name: &str) {
    let is_told = TOLD.lock().is_ok_and(|mut told| {
        let is_told = *told == name.as_bytes();
        if is_told {
            told.clear();
        }
        is_told
    });
    assert!(!is_told, "KEYNS.PANIC was called for {name}");
}
