//! Whether the server can unload the module safely.
//!
//! When a module goes, the server frees its commands without checking who still points to them: a
//! client to the last command it called, a transaction to those it has queued, a user's rules to
//! those they name. It crashes on the first such pointer that it follows, at a later `CLIENT LIST`,
//! `EXEC` or `ACL LIST`, or when that client calls the same command again. So the module refuses to
//! go until none of them is left. It also refuses if it cannot tell: while the link of a replica is
//! down, the server keeps its primary as a client that no list shows, and io-threads look up
//! commands in advance.

use std::ffi::CStr;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use redis_module::raw::{self, RedisModuleCtx};

use super::server_info::{ServerInfo, is_redis_7_0, setting};
use super::store::CallReply;

/// Whether a command is one of ours, in whatever case the server spells it.
fn is_ours(command: &str) -> bool {
    const START: &str = "keyns.";
    let start = command.get(..START.len()).unwrap_or_default();
    start.eq_ignore_ascii_case(START)
}

/// The time of the call that loaded the module, and how many loads had ended by then.
static LOADED_AT: AtomicI64 = AtomicI64::new(0);
static LOADS_BEFORE: AtomicU64 = AtomicU64::new(0);

/// The time of the server's call, which stands still within the call and within a transaction.
/// Redis 7.0 does not reveal it.
fn time_of_call() -> Option<i64> {
    // SAFETY: the server sets it once, while the module is loaded, and it takes no arguments.
    unsafe { raw::RedisModule_CachedMicroseconds.map(|cached| cached()) }
}

/// How many calls to load modules have ended, unless somebody reset the statistics.
///
/// # Safety
/// `ctx` must be a context of the server.
unsafe fn ended_loads(ctx: *mut RedisModuleCtx) -> u64 {
    // SAFETY: the context is the server's, for longer than the info.
    let calls = unsafe { ServerInfo::of(ctx, c"commandstats") };
    let of = |command: &CStr| {
        let stats = calls.field(command)?.to_str().ok()?;
        let count = stats.strip_prefix("calls=")?.split(',').next()?;
        count.parse::<u64>().ok()
    };
    let loads = [c"cmdstat_module|load", c"cmdstat_module|loadex"];
    loads.into_iter().filter_map(of).sum()
}

/// Records that the server is loading the module.
///
/// # Safety
/// `ctx` must be the context the module is loaded with.
pub unsafe fn arrive(ctx: *mut RedisModuleCtx) {
    LOADED_AT.store(time_of_call().unwrap_or(0), Ordering::Relaxed);
    // SAFETY: the context is the server's.
    LOADS_BEFORE.store(unsafe { ended_loads(ctx) }, Ordering::Relaxed);
}

/// Whether somebody asked to unload the module. Otherwise a load has failed, within a call that is
/// still running: the server removes the module, and most servers exit if the module refuses.
///
/// # Safety
/// `ctx` must be a context of the server.
unsafe fn is_asked(ctx: *mut RedisModuleCtx, clients: &[Client]) -> bool {
    match time_of_call() {
        None => clients.iter().any(Client::asks),
        Some(now) if now != LOADED_AT.load(Ordering::Relaxed) => true,
        // A transaction that has loaded the module, if the load has ended.
        // SAFETY: the context is the server's.
        Some(_) => unsafe { ended_loads(ctx) != LOADS_BEFORE.load(Ordering::Relaxed) },
    }
}

/// The reason why the module must stay, if any.
///
/// # Safety
/// `ctx` must be the context of the server's call of `RedisModule_OnUnload`.
pub unsafe fn obstacle(ctx: *mut RedisModuleCtx) -> Option<String> {
    // SAFETY: the context is the server's; `c` takes a C string.
    let lists = unsafe { list(ctx, c"CLIENT").zip(list(ctx, c"ACL")) };
    let Some((clients, users)) = lists else {
        // SAFETY: the context is the server's.
        return unsafe { is_asked(ctx, &[]) }
            .then(|| "the server does not answer CLIENT LIST and ACL LIST".into());
    };
    let clients = clients.text();
    let clients: Vec<Client> = clients.lines().map(Client::read).collect();
    // Nothing can point to a command of a failed load, so these checks are always right.
    let obstacle = caller_in_the_way(&clients).or_else(|| rule_in_the_way(&users.texts()));
    // SAFETY: the context is the server's.
    unsafe {
        if obstacle.is_some() || !is_asked(ctx, &clients) {
            return obstacle;
        }
        queue_in_the_way(&clients)
            .or_else(|| hidden_primary_in_the_way(ctx))
            .or_else(|| threads_in_the_way(ctx))
    }
}

/// What `CLIENT LIST` or `ACL LIST` replies.
///
/// # Safety
/// As for [`obstacle`].
unsafe fn list(ctx: *mut RedisModuleCtx, of: &CStr) -> Option<CallReply> {
    // SAFETY: `c` takes a C string; what is not null is ours to free.
    let reply = unsafe {
        let reply = api!(RedisModule_Call(
            ctx,
            of.as_ptr(),
            c"c".as_ptr(),
            c"LIST".as_ptr()
        ));
        (!reply.is_null()).then(|| CallReply::from_raw(reply))?
    };
    (!reply.is_error()).then_some(reply)
}

/// A client, from a line of `CLIENT LIST`.
#[derive(Default)]
struct Client<'a> {
    id: &'a str,
    last_command: &'a str,
    has_queued: bool,
}

impl<'a> Client<'a> {
    fn read(line: &'a str) -> Client<'a> {
        let mut client = Client::default();
        // No value contains a space.
        for (field, value) in line.split(' ').filter_map(|field| field.split_once('=')) {
            match field {
                "id" => client.id = value,
                "cmd" => client.last_command = value,
                // -1 outside a transaction.
                "multi" => client.has_queued = !matches!(value, "-1" | "0"),
                _ => {}
            }
        }
        client
    }

    /// Whether this client asked to unload the module.
    fn asks(&self) -> bool {
        self.last_command == "module|unload" || self.last_command == "exec" && self.has_queued
    }
}

fn caller_in_the_way(clients: &[Client]) -> Option<String> {
    let Client {
        id, last_command, ..
    } = clients.iter().find(|client| is_ours(client.last_command))?;
    Some(format!(
        "client {id} called {last_command} last: have it call something else, or kill it"
    ))
}

fn queue_in_the_way(clients: &[Client]) -> Option<String> {
    let Client { id, .. } = clients.iter().find(|client| client.has_queued)?;
    Some(format!(
        "client {id} has commands queued in MULTI: retry when it is done, or kill it"
    ))
}

/// While the link is down, the server keeps the client of its primary, with the last command that
/// it sent.
///
/// # Safety
/// As for [`obstacle`].
unsafe fn hidden_primary_in_the_way(ctx: *mut RedisModuleCtx) -> Option<String> {
    // SAFETY: the context is the server's, for longer than the info.
    let replication = unsafe { ServerInfo::of(ctx, c"replication") };
    let is_replica = replication.field(c"role") == Some(c"slave");
    let is_linked = replication.field(c"master_link_status") == Some(c"up");
    (is_replica && !is_linked)
        .then(|| "the link to the primary is down: retry when it is up".into())
}

/// # Safety
/// As for [`obstacle`].
unsafe fn threads_in_the_way(ctx: *mut RedisModuleCtx) -> Option<String> {
    // The threads of Redis 7.0 only read and write.
    if is_redis_7_0() {
        return None;
    }
    // SAFETY: the context is the server's.
    match unsafe { setting(ctx, c"io-threads") }.as_deref() {
        Some("1") => None,
        _ => Some("io-threads look up commands in advance: restart the server instead".into()),
    }
}

fn rule_in_the_way(list: &[String]) -> Option<String> {
    list.iter().find_map(|user| {
        // Selectors stand in parentheses.
        let mut words = user.split([' ', '(', ')']);
        let rule = words.find(|word| word.strip_prefix(['+', '-']).is_some_and(is_ours))?;
        let name = user.split(' ').nth(1).unwrap_or_default();
        Some(format!(
            "the rules of user {name} contain {rule}: remove it with ACL SETUSER or ACL DELUSER"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDLE: &str = "id=3 addr=127.0.0.1:1 name=cmd=keyns.x multi=-1 cmd=get user=default";
    const ASKING: &str = "id=4 addr=127.0.0.1:2 name= multi=-1 cmd=module|unload user=default";

    #[test]
    fn a_client_that_called_us_last_is_in_the_way() {
        let others = [IDLE, ASKING].map(Client::read);
        assert_eq!(caller_in_the_way(&others), None);
        let caller = "id=9 name= multi=-1 cmd=KEYNS.RATE.PEEK user=default";
        let obstacle = caller_in_the_way(&[IDLE, ASKING, caller].map(Client::read)).unwrap();
        assert!(obstacle.starts_with("client 9 called KEYNS.RATE.PEEK last: "));
    }

    #[test]
    fn a_client_with_a_queue_is_in_the_way() {
        let others = [IDLE, "id=9 multi=0 cmd=multi"].map(Client::read);
        assert_eq!(queue_in_the_way(&others), None);
        let obstacle = queue_in_the_way(&[IDLE, "id=9 multi=2 cmd=get"].map(Client::read));
        assert!(
            obstacle
                .unwrap()
                .starts_with("client 9 has commands queued")
        );
    }

    #[test]
    fn a_client_asks_by_itself_or_in_a_transaction() {
        for (line, asks) in [
            (ASKING, true),
            ("id=9 multi=2 cmd=exec", true),
            ("id=9 multi=-1 cmd=exec", false),
            ("id=9 multi=-1 cmd=module|loadex", false),
            (IDLE, false),
        ] {
            assert_eq!(Client::read(line).asks(), asks, "{line}");
        }
    }

    #[test]
    fn a_rule_that_names_us_is_in_the_way() {
        let with = |rules: &str| rule_in_the_way(&[format!("user ada on nopass {rules}")]);
        for rules in ["~* +@all", "~+keyns.make +@keyns", "~* +get -set", "+keyns"] {
            assert_eq!(with(rules), None, "{rules}");
        }
        for rule in ["+keyns.make", "-keyns.make", "+KEYNS.make|doc"] {
            for rules in [
                rule.into(),
                format!("~* (~a {rule})"),
                format!("({rule} ~a)"),
            ] {
                let obstacle = with(&rules).unwrap();
                assert!(obstacle.starts_with(&format!("the rules of user ada contain {rule}: ")));
            }
        }
    }
}
