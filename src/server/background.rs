//! Long work off the main thread, while its client waits and all others are served.
//!
//! There is one worker, which starts with the first job and ends after the last. It only computes:
//! what follows from its result is done on the main thread again, as a part of the same call. A
//! client that leaves takes its call along: the result is dropped, and nothing was written.

use std::collections::VecDeque;
use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use libc::pthread_t;
use redis_module::raw::{
    REDISMODULE_OK, RedisModuleBlockedClient, RedisModuleCtx, RedisModuleString,
};

use super::metrics::{Family, Hold};
use super::{Call, Name, caller, guard};
use crate::core::Result;

/// The rest of a call, on the main thread.
pub type Then = Box<dyn FnOnce(&Call) -> Result<()> + Send>;

/// What the worker does with the bytes of the job's input.
pub type Work = Box<dyn FnOnce(&[u8]) -> Then + Send>;

struct Job {
    family: Family,
    /// What the step on the main thread counts as.
    hold: &'static Hold,
    /// When that step began, if it worked.
    began: Option<Instant>,
    client: *mut RedisModuleBlockedClient,
    /// Who called. Meanwhile the client may have become somebody else's.
    user: Option<Name>,
    /// Shared with the server, which counts its users without a lock: only the main thread may let
    /// go of it, so it travels with the job.
    input: Name,
    work: Option<Work>,
    /// `None` until the work is done, and if it panicked.
    then: Option<Then>,
}

// SAFETY: a job is with one thread at a time, and the worker touches nothing of the server's but
// the bytes of the input, which nobody changes, and the functions made for threads.
unsafe impl Send for Job {}

struct Queue {
    jobs: VecDeque<Box<Job>>,
    /// Whether the worker will look for another job.
    is_running: bool,
    /// The last worker, which may have ended.
    worker: Option<pthread_t>,
}

static QUEUE: Mutex<Queue> = Mutex::new(Queue {
    jobs: VecDeque::new(),
    is_running: false,
    worker: None,
});

fn queue() -> MutexGuard<'static, Queue> {
    QUEUE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How many clients wait. No part of the queue, so that a server that crashes can still say it.
static WAITING: AtomicUsize = AtomicUsize::new(0);

/// How many clients wait for the worker.
pub fn waiting() -> usize {
    WAITING.load(Ordering::Relaxed)
}

/// Has the client wait while `work` is done. How long the rest of the call then holds up the main
/// thread is noted in `hold`.
///
/// # Safety
/// `ctx` must be the context of a call that may block its client, and that returns without a reply.
pub unsafe fn start(
    ctx: *mut RedisModuleCtx,
    family: Family,
    hold: &'static Hold,
    input: Name,
    work: Work,
) {
    // SAFETY: the callbacks fit; there is no timeout, and so none for a timeout.
    let (user, client) = unsafe {
        let user = caller::user_name(ctx);
        let client = api!(RedisModule_BlockClient(
            ctx,
            Some(resume),
            None,
            Some(free),
            0
        ));
        api!(RedisModule_SetDisconnectCallback(client, Some(forget_job)));
        (user, client)
    };
    let job = Box::new(Job {
        family,
        hold,
        began: None,
        client,
        user,
        input,
        work: Some(work),
        then: None,
    });
    let mut queue = queue();
    queue.jobs.push_back(job);
    WAITING.fetch_add(1, Ordering::Relaxed);
    if queue.is_running {
        return;
    }
    queue.is_running = true;
    let ended = queue.worker.take();
    queue.worker = spawn();
    let must_run_here = queue.worker.is_none();
    drop(queue);
    join(ended);
    if must_run_here {
        run();
    }
}

/// Starts the worker, `None` if there can be no thread. The standard library's threads leave
/// something with the thread that starts them, which would keep our code in memory for ever.
fn spawn() -> Option<pthread_t> {
    extern "C" fn work(_: *mut c_void) -> *mut c_void {
        run();
        ptr::null_mut()
    }
    let mut thread: pthread_t = 0;
    // SAFETY: `work` takes nothing and answers nothing.
    let status = unsafe { libc::pthread_create(&mut thread, ptr::null(), work, ptr::null_mut()) };
    (status == 0).then_some(thread)
}

/// Waits until the last instruction of a worker that has nothing more to do.
fn join(worker: Option<pthread_t>) {
    if let Some(worker) = worker {
        // SAFETY: it was started by us, and is joined only here, once.
        unsafe { libc::pthread_join(worker, ptr::null_mut()) };
    }
}

/// Does one job after the other.
fn run() {
    loop {
        let mut queue = queue();
        let Some(mut job) = queue.jobs.pop_front() else {
            queue.is_running = false;
            return;
        };
        drop(queue);
        let client = job.client;
        // SAFETY: these are made for threads, and the client is blocked until the last of them. From
        // then on the job is the server's, which hands it to `resume` and `free`.
        unsafe {
            api!(RedisModule_BlockedClientMeasureTimeStart(client));
            job.then = job.work.take().and_then(|work| {
                let input = job.input.as_bytes();
                catch_unwind(AssertUnwindSafe(|| work(input))).ok()
            });
            api!(RedisModule_BlockedClientMeasureTimeEnd(client));
            api!(RedisModule_UnblockClient(client, Box::into_raw(job).cast()));
        }
    }
}

/// Called by the server on the main thread, with the arguments of the call that waited.
unsafe extern "C" fn resume(
    ctx: *mut RedisModuleCtx,
    argv: *mut *mut RedisModuleString,
    argc: c_int,
) -> c_int {
    let now = Instant::now();
    // SAFETY: the data is our job, which `free` is called for afterwards; the rest is the server's.
    unsafe {
        let job = &mut *api!(RedisModule_GetBlockedClientPrivateData(ctx)).cast::<Job>();
        let call = Call::new(ctx, argv, argc);
        let then = job.then.take();
        let user = job.user.as_ref();
        let worked = guard::resume(&call, job.family, then, || {
            caller::check_still_allowed(ctx, user, argv, argc)
        });
        job.began = worked.then_some(now);
    }
    REDISMODULE_OK as c_int
}

/// Called by the server on the main thread when the client of a job has left. What waits in the
/// queue need not be done any more; what is being done ends by itself.
unsafe extern "C" fn forget_job(_ctx: *mut RedisModuleCtx, client: *mut RedisModuleBlockedClient) {
    guard::callback("the leaving of a client", (), || {
        let mut queue = queue();
        let place = queue.jobs.iter().position(|job| job.client == client);
        let job = place.and_then(|place| queue.jobs.remove(place));
        drop(queue);
        if let Some(job) = job {
            // SAFETY: the client is ours to unblock, once, which the worker no longer will.
            unsafe { api!(RedisModule_UnblockClient(client, Box::into_raw(job).cast())) };
        }
    });
}

/// Called by the server on the main thread, at last, whether the client is still there or not. In
/// between it has handed the effects to replicas and the AOF.
unsafe extern "C" fn free(_ctx: *mut RedisModuleCtx, job: *mut c_void) {
    // SAFETY: it is our job, and nobody has it any more.
    let job = unsafe { Box::from_raw(job.cast::<Job>()) };
    guard::callback("the end of a job", (), || {
        let (hold, began) = (job.hold, job.began);
        drop(job);
        if let Some(began) = began {
            hold.record(began);
        }
    });
    WAITING.fetch_sub(1, Ordering::Relaxed);
}

/// Waits until the worker's last instruction, so that its code may go away. The server unloads no
/// module that a client waits for, so there is no job left.
pub fn forget() {
    let worker = queue().worker.take();
    join(worker);
    queue().jobs = VecDeque::new();
}
