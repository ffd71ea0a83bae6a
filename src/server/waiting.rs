//! Long work off the main thread, while its client waits and the server serves all others.
//!
//! One worker starts with the first job and ends after the last. It only computes: the main thread
//! does the rest, as a part of the same call. If a client disconnects, its result is dropped and
//! nothing is written.
//!
//! The server resumes all unblocked clients in one go, and serves nobody in between. So we unblock
//! one at a time, and the next one after other clients have had their share.

use std::collections::VecDeque;
use std::ffi::{c_int, c_longlong, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use redis_module::raw::{
    REDISMODULE_OK, RedisModuleBlockedClient, RedisModuleCtx, RedisModuleString,
};

use super::counters::Hold;
use super::worker::Worker;
use super::{Call, Family, Result, ServerString, caller, entry};

/// The rest of a call, on the main thread.
pub type Then = Box<dyn FnOnce(&Call) -> Result<()> + Send>;

/// The worker's computation on the bytes of the job's input.
pub type Work = Box<dyn FnOnce(&[u8]) -> Then + Send>;

struct Job {
    family: &'static Family,
    /// Records the time of the step on the main thread.
    hold: &'static Hold,
    /// When that step began, if it succeeded.
    began: Option<Instant>,
    client: *mut RedisModuleBlockedClient,
    /// Who called. The client may log in as somebody else while it waits.
    user: Option<ServerString>,
    /// Shared with the server, which counts references without a lock: only the main thread may
    /// release it, so it travels with the job.
    input: ServerString,
    work: Option<Work>,
    /// `None` until the work is done, and if it panicked.
    then: Option<Then>,
    /// Whether the next job waits for this one to end.
    holds_turn: bool,
}

// SAFETY: one thread at a time has a job, and the worker uses nothing of the server but the bytes of
// the input, which nobody changes, and the thread-safe functions.
unsafe impl Send for Job {}

struct Queue {
    jobs: VecDeque<Box<Job>>,
    /// Finished jobs that wait for their turn.
    done: VecDeque<Box<Job>>,
    /// Whether a job has its turn.
    is_taken: bool,
    /// Whether the worker will look for another job.
    is_running: bool,
    /// The last worker, which may have ended.
    worker: Option<Worker>,
}

static QUEUE: Mutex<Queue> = Mutex::new(Queue {
    jobs: VecDeque::new(),
    done: VecDeque::new(),
    is_taken: false,
    is_running: false,
    worker: None,
});

fn queue() -> MutexGuard<'static, Queue> {
    QUEUE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How many clients wait. Not a part of the queue, so that a crash report can read it.
static WAITING: AtomicUsize = AtomicUsize::new(0);

/// How many clients wait for the worker.
pub fn waiting() -> usize {
    WAITING.load(Ordering::Relaxed)
}

/// Blocks the client while the worker does `work`. `hold` records how long the rest of the call then
/// occupies the main thread.
///
/// # Safety
/// `ctx` must be the context of a call that may block its client, and that returns without a reply.
pub unsafe fn start(
    ctx: *mut RedisModuleCtx,
    family: &'static Family,
    hold: &'static Hold,
    input: ServerString,
    work: Work,
) {
    // SAFETY: the callbacks have the right types; without a timeout, no callback for it is needed.
    let (user, client) = unsafe {
        let user = caller::user_name(ctx);
        let client = api!(RedisModule_BlockClient(
            ctx,
            Some(go_on),
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
        holds_turn: false,
    });
    queue().jobs.push_back(job);
    WAITING.fetch_add(1, Ordering::Relaxed);
    start_worker();
}

/// Makes sure that a worker runs if there is something to do.
fn start_worker() {
    let mut queue = queue();
    if queue.is_running || queue.jobs.is_empty() {
        return;
    }
    queue.is_running = true;
    let ended = queue.worker.take();
    queue.worker = Worker::start(run);
    let must_run_here = queue.worker.is_none();
    drop(queue);
    if let Some(ended) = ended {
        ended.join();
    }
    if must_run_here {
        run();
    }
}

/// How many finished jobs may wait for their turn. The result of a text takes many times its memory.
const MOST_DONE: usize = 2;

/// Does one job after the other, until none is left or too many finished ones wait for their turn.
fn run() {
    loop {
        let mut queue = queue();
        let is_crowded = queue.done.len() >= MOST_DONE;
        let next = (!is_crowded).then(|| queue.jobs.pop_front()).flatten();
        let Some(mut job) = next else {
            queue.is_running = false;
            return;
        };
        drop(queue);
        let client = job.client;
        // SAFETY: these functions are thread-safe, and the client is blocked.
        unsafe {
            api!(RedisModule_BlockedClientMeasureTimeStart(client));
            job.then = job.work.take().and_then(|work| {
                let input = job.input.as_bytes();
                catch_unwind(AssertUnwindSafe(|| work(input))).ok()
            });
            api!(RedisModule_BlockedClientMeasureTimeEnd(client));
        }
        take_turn(job);
    }
}

/// Other clients get a sixteenth of the time that a job blocked them, to receive their replies and
/// send their next requests, but at most this many milliseconds.
const OTHERS_SHARE: c_longlong = 16;
const LONGEST_SHARE: c_longlong = 100;

/// Returns a finished job to the server, now or when it is its turn.
fn take_turn(job: Box<Job>) {
    let mut queue = queue();
    if queue.is_taken {
        queue.done.push_back(job);
        return;
    }
    queue.is_taken = true;
    drop(queue);
    hand_over(job, true);
}

/// Unblocks a job's client.
fn hand_over(mut job: Box<Job>, holds_turn: bool) {
    job.holds_turn = holds_turn;
    let client = job.client;
    // SAFETY: the function is thread-safe, and the client is blocked until now. From here on the
    // server owns the job, and passes it to `go_on` and `free`.
    unsafe { api!(RedisModule_UnblockClient(client, Box::into_raw(job).cast())) };
}

/// Gives the next job its turn after other clients have had their share of the time.
///
/// # Safety
/// `ctx` must be a context of the server.
unsafe fn end_turn(ctx: *mut RedisModuleCtx, began: Option<Instant>) {
    // The count includes the job that ends. An unnecessary timer would keep the module loaded.
    if waiting() == 1 {
        queue().is_taken = false;
        return;
    }
    let held = began.map_or(0, |began| began.elapsed().as_millis() as c_longlong);
    let share = (held / OTHERS_SHARE).clamp(1, LONGEST_SHARE);
    // SAFETY: the context is the server's, which keeps the module loaded until the timer has fired.
    unsafe {
        api!(RedisModule_CreateTimer(
            ctx,
            share,
            Some(next_turn),
            ptr::null_mut()
        ));
    }
}

/// The server calls this when it has served others after a job.
unsafe extern "C" fn next_turn(_ctx: *mut RedisModuleCtx, _data: *mut c_void) {
    entry::callback("a timer", (), || {
        let mut queue = queue();
        let next = queue.done.pop_front();
        queue.is_taken = next.is_some();
        drop(queue);
        if let Some(job) = next {
            hand_over(job, true);
        }
        start_worker();
    });
}

/// The server calls this on the main thread, with the arguments of the call that waited.
unsafe extern "C" fn go_on(
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
        let worked = entry::run_rest(&call, job.family, then, || {
            caller::check_still_allowed(ctx, user, argv, argc)
        });
        job.began = worked.then_some(now);
    }
    REDISMODULE_OK as c_int
}

/// The server calls this on the main thread when the client of a job has disconnected. It removes a
/// waiting job from its queue; a running job ends by itself.
unsafe extern "C" fn forget_job(_ctx: *mut RedisModuleCtx, client: *mut RedisModuleBlockedClient) {
    entry::callback("the leaving of a client", (), || {
        let mut queue = queue();
        let Queue { jobs, done, .. } = &mut *queue;
        let job = [jobs, done].into_iter().find_map(|jobs| {
            let place = jobs.iter().position(|job| job.client == client)?;
            jobs.remove(place)
        });
        drop(queue);
        if let Some(job) = job {
            hand_over(job, false);
        }
    });
}

/// The server calls this on the main thread at the end, whether the client is still connected or
/// not. By then it has replicated the effects.
unsafe extern "C" fn free(ctx: *mut RedisModuleCtx, job: *mut c_void) {
    // SAFETY: it is our job, and nobody has it any more.
    let job = unsafe { Box::from_raw(job.cast::<Job>()) };
    if job.holds_turn {
        // SAFETY: the context is the server's.
        unsafe { end_turn(ctx, job.began) };
    }
    entry::callback("the end of a job", (), || {
        let (hold, began) = (job.hold, job.began);
        drop(job);
        if let Some(began) = began {
            hold.record(began);
        }
    });
    WAITING.fetch_sub(1, Ordering::Relaxed);
}

/// Waits for the worker's last instruction, so that its code can be unloaded. The server does not
/// unload a module that a client waits for, so no job is left.
pub fn forget() {
    let worker = queue().worker.take();
    if let Some(worker) = worker {
        worker.join();
    }
    let mut queue = queue();
    queue.jobs = VecDeque::new();
    queue.done = VecDeque::new();
    queue.is_taken = false;
}
