//! The entry guard: whatever goes wrong in a command or a callback, the server keeps running.

use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::atomic::{AtomicUsize, Ordering};

use redis_module::raw::{REDISMODULE_OK, RedisModuleCtx, RedisModuleString};

use super::counters::Counter;
use super::spec::{Command, Keys, Which};
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
    // SAFETY: the server keeps `argc` arguments alive while the command runs.
    let call = unsafe { Call::new(ctx, argv, argc) };
    if let Some(
        keys @ Keys {
            which: Which::Counted,
            ..
        },
    ) = &command.spec.keys
        && call.is_about_keys()
    {
        call.name_counted_keys(keys);
        return REDISMODULE_OK as c_int;
    }
    command.spec.family.usage.calls.increment();
    run(&call, command.spec.family, || (command.run)(&call));
    REDISMODULE_OK as c_int
}

/// Runs the rest of a call that waited inside the guard, if it is still allowed, and returns whether
/// it succeeded. Without a rest, the work before it panicked.
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

/// Returns whether it succeeded.
fn run(call: &Call, family: &Family, run: impl FnOnce() -> Result<()>) -> bool {
    let _running = Running::start();
    // A command replies last, so one that failed has not replied yet.
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

/// How many of our calls are running, nested in each other.
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

/// Whether one of our commands is running, so that our code must stay loaded.
pub fn is_running() -> bool {
    DEPTH.load(Ordering::Relaxed) > 0
}

/// Runs a callback of a family inside the guard. The module stays loaded until it returns.
pub fn work<T>(name: &str, otherwise: T, run: impl FnOnce() -> T) -> T {
    let _running = Running::start();
    callback(name, otherwise, run)
}

/// Runs a callback inside the guard, which returns `otherwise` if it panics.
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

/// Writes the place and the message of every panic to the server's log.
pub fn log_panics() {
    set_hook(Box::new(|panic| {
        log::warning_anywhere(&format!("keyns: internal error, please report it: {panic}"));
    }));
}

/// Restores the default panic hook, which does not point into this module.
pub fn forget_panics() {
    drop(take_hook());
}

/// The callback that should panic next.
#[cfg(feature = "panic-command")]
static TOLD: std::sync::Mutex<Vec<u8>> = std::sync::Mutex::new(Vec::new());

/// Makes the next callback of this name panic, to test that the server survives.
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
