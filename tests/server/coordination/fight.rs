//! Many clients at one lock, some of which pause and some of which know nothing of the module:
//! never two holders, in the order of things that the AOF tells, and tokens that only rise.

use std::collections::{HashMap, VecDeque};
use std::io::Result;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use keyns_testkit::{Client, Options, Random, Server, Value, aof_commands, wait_until};

const CLIENTS: u64 = 16;

/// The key that all of them want.
const LOCK: &str = "lock";

/// How a client gives back what it took with SET.
const RELEASE: &str = "if redis.call('GET', KEYS[1]) == ARGV[1] then \
                       return redis.call('DEL', KEYS[1]) end return 0";

/// And how it keeps it.
const KEEP: &str = "if redis.call('GET', KEYS[1]) == ARGV[1] then \
                    return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0";

#[test]
fn sixteen_clients_never_hold_one_lock_at_the_same_time() {
    let server = options().start();
    let arena = Arena::new(&server);
    let record = arena.run(|| thread::sleep(Duration::from_secs(10)));
    let verdict = judge(&aof_commands(&server), record.deeds);
    let tally = record.tally;
    assert_eq!(tally.losses, 0);
    let what = format!("{verdict:?} {tally:?}");
    assert!(verdict.grants > 300 && verdict.expiries > 50, "{what}");
    assert!(tally.refusals > 300 && tally.releases > 100, "{what}");
    assert!(tally.extensions > 50 && tally.strangers > 300, "{what}");
    assert!(tally.late_writes > 20, "{what}");
    let info = server.client().run("INFO keyns").text();
    assert!(info.contains("keyns_panics:0\r\n"), "{info}");
}

#[test]
fn a_crash_gives_nobody_the_lock_of_another() {
    let mut server = options().durable().start();
    let arena = Arena::new(&server);
    let record = arena.run(|| {
        for millis in [700, 400, 900] {
            thread::sleep(Duration::from_millis(millis));
            server.start_again();
            arena.go_on(&server);
        }
        thread::sleep(Duration::from_millis(500));
    });
    let verdict = judge(&aof_commands(&server), record.deeds);
    let what = format!("{verdict:?} {:?}", record.tally);
    assert!(record.tally.losses >= CLIENTS, "{what}");
    assert!(verdict.grants > 50 && verdict.expiries > 5, "{what}");
}

/// All effects in one AOF, from the first to the last.
fn options() -> Options {
    Options::new()
        .set("--appendonly", &["yes"])
        .set("--auto-aof-rewrite-percentage", &["0"])
}

/// What the clients share.
struct Arena {
    port: AtomicU16,
    /// How often the server was started.
    lives: AtomicU64,
    is_over: AtomicBool,
    fence: Mutex<Fence>,
}

impl Arena {
    fn new(server: &Server) -> Arena {
        Arena {
            port: AtomicU16::new(server.port),
            lives: AtomicU64::new(1),
            is_over: AtomicBool::new(false),
            fence: Mutex::default(),
        }
    }

    /// Lets all clients fight while something else goes on.
    fn run(&self, meanwhile: impl FnOnce()) -> Record {
        thread::scope(|scope| {
            let fighters: Vec<_> = (1..=CLIENTS)
                .map(|number| scope.spawn(move || self.fight(number)))
                .collect();
            // However it goes.
            let end = End(&self.is_over);
            meanwhile();
            drop(end);
            Record::of_all(fighters.into_iter().map(|f| f.join().unwrap()))
        })
    }

    /// Lets the clients in again.
    fn go_on(&self, server: &Server) {
        self.port.store(server.port, Ordering::SeqCst);
        self.lives.fetch_add(1, Ordering::SeqCst);
    }

    /// A client of a later life than this one, and its life.
    fn connect(&self, mut life: u64) -> (Client, u64) {
        loop {
            wait_until("the server is back", || {
                self.lives.load(Ordering::SeqCst) > life
            });
            life = self.lives.load(Ordering::SeqCst);
            if let Ok(client) = Client::connect(self.port.load(Ordering::SeqCst)) {
                return (client, life);
            }
        }
    }

    fn fight(&self, number: u64) -> Record {
        let (client, mut life) = self.connect(0);
        let mut fighter = Fighter {
            arena: self,
            client,
            random: Random::seeded(number),
            names: Vec::new(),
            record: Record::default(),
        };
        let mut turn = 0;
        while !self.is_over.load(Ordering::Relaxed) {
            turn += 1;
            // Whole with its last sign, so that what intruders make of it is nobody's.
            let owners = ["a", "b"].map(|which| format!("client-{number}:{turn}{which};"));
            fighter.names = owners.to_vec();
            if fighter.take_turn(&owners).is_err() {
                for name in &fighter.names {
                    fighter.record.note(name, Deed::Unknown);
                }
                fighter.record.tally.losses += 1;
                (fighter.client, life) = self.connect(life);
            }
        }
        fighter.record
    }

    /// A write under the lock, to something that refuses older tokens than it has seen. Answers
    /// whether it was accepted, and who had written before.
    fn write(&self, owner: &str, token: i64) -> (bool, String) {
        let mut fence = self.fence.lock().unwrap();
        let writer = fence.writer.clone();
        let is_accepted = token >= fence.greatest;
        if is_accepted {
            *fence = Fence {
                greatest: token,
                writer: owner.into(),
            };
        }
        (is_accepted, writer)
    }
}

struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[derive(Default)]
struct Fence {
    greatest: i64,
    writer: String,
}

/// Something that a client did to the lock, by the reply that it got.
#[derive(Clone, Copy, Debug)]
enum Deed {
    Took {
        token: Option<i64>,
        millis: i64,
    },
    Extended,
    Released,
    /// The server went away: it may have done anything of this, or nothing.
    Unknown,
}

#[derive(Default)]
struct Record {
    /// The deeds of every owner, in their order.
    deeds: HashMap<String, VecDeque<Deed>>,
    tally: Tally,
}

#[derive(Debug, Default)]
struct Tally {
    refusals: u64,
    extensions: u64,
    releases: u64,
    /// Attempts to extend or release the lock of another.
    strangers: u64,
    /// Writes of those who had paused for too long, which were refused.
    late_writes: u64,
    /// Replies that never came.
    losses: u64,
}

impl Record {
    fn note(&mut self, owner: &str, deed: Deed) {
        self.deeds.entry(owner.into()).or_default().push_back(deed);
    }

    fn of_all(records: impl Iterator<Item = Record>) -> Record {
        let mut all = Record::default();
        for Record { deeds, tally } in records {
            all.deeds.extend(deeds);
            all.tally.refusals += tally.refusals;
            all.tally.extensions += tally.extensions;
            all.tally.releases += tally.releases;
            all.tally.strangers += tally.strangers;
            all.tally.late_writes += tally.late_writes;
            all.tally.losses += tally.losses;
        }
        all
    }
}

struct Fighter<'a> {
    arena: &'a Arena,
    client: Client,
    random: Random,
    /// Those it may have used in this turn.
    names: Vec<String>,
    record: Record,
}

impl Fighter<'_> {
    fn take_turn(&mut self, owners: &[String; 2]) -> Result<()> {
        let [owner, heir] = owners;
        match self.random.below(7) {
            0 | 1 => self.hold(owner),
            2 => self.hold_plainly(owner),
            3 | 4 => self.hold_too_long(owner),
            5 => self.hand_over(owner, heir),
            _ => self.intrude(owner),
        }
    }

    fn hold(&mut self, owner: &str) -> Result<()> {
        let millis = self.random.between(5, 50);
        let Some(token) = self.lock(owner, millis)? else {
            return Ok(());
        };
        let (is_accepted, writer) = self.arena.write(owner, token);
        self.wait(4000);
        if self.random.once_in(3) && self.extend(owner)? {
            // It had held the lock all the time: nobody can have come after it.
            assert!(is_accepted, "{owner} with {token}, after {writer}");
        }
        if self.random.once_in(4) {
            let millis = self.random.between(5, 50);
            let again = self.lock(owner, millis)?;
            assert!(again.is_none_or(|again| again > token), "{again:?} {token}");
        }
        self.release_or_not(owner)
    }

    /// As a client that knows nothing of the module.
    fn hold_plainly(&mut self, owner: &str) -> Result<()> {
        let millis = self.random.between(5, 50);
        let set = ["SET", LOCK, owner, "NX", "PX", &millis.to_string()];
        let reply = self.client.try_call(&set)?;
        if reply == Value::Null {
            return self.rest();
        }
        assert_eq!(reply.text(), "OK");
        self.record.note(
            owner,
            Deed::Took {
                token: None,
                millis,
            },
        );
        self.wait(4000);
        if self.random.once_in(3) {
            self.extend(owner)?;
        }
        self.release_or_not(owner)
    }

    /// Pauses until its time is over, and does not know.
    fn hold_too_long(&mut self, owner: &str) -> Result<()> {
        let millis = self.random.between(5, 15);
        let Some(token) = self.lock(owner, millis)? else {
            return Ok(());
        };
        self.arena.write(owner, token);
        thread::sleep(Duration::from_millis(millis.unsigned_abs() + 2));
        self.wait(20_000);
        let (is_accepted, writer) = self.arena.write(owner, token);
        match is_accepted {
            true => assert_eq!(writer, owner, "a late write of {owner}"),
            false => self.record.tally.late_writes += 1,
        }
        assert!(!self.extend(owner)?, "{owner} had paused");
        assert!(!self.release(owner)?, "{owner} had paused");
        Ok(())
    }

    /// Takes the lock and gives it to the next one, before anybody can come.
    fn hand_over(&mut self, owner: &str, heir: &str) -> Result<()> {
        let millis = self.random.between(5, 50);
        let px = millis.to_string();
        self.client.send(&["MULTI"])?;
        for name in [owner, heir, owner] {
            self.client.send(&["KEYNS.LOCK", LOCK, name, "PX", &px])?;
        }
        self.client.send(&["KEYNS.UNLOCK", LOCK, owner])?;
        self.client.send(&["KEYNS.LOCK", LOCK, heir, "PX", &px])?;
        self.client.send(&["EXEC"])?;
        for _ in 0..6 {
            assert!(!self.client.receive()?.is_error());
        }
        let replies = self.client.receive()?;
        let [first, early, again, released, last] = replies.array() else {
            panic!("{replies:?}");
        };
        self.note_lock(owner, millis, first);
        self.note_lock(heir, millis, early);
        self.note_lock(owner, millis, again);
        if released.integer() == 1 {
            self.record.note(owner, Deed::Released);
        }
        match self.note_lock(heir, millis, last) {
            Some(_) => self.release_or_not(heir),
            None => self.rest(),
        }
    }

    /// Tries to take what is not its own, under names that are almost the holder's.
    fn intrude(&mut self, owner: &str) -> Result<()> {
        let holder = match self.client.try_call(&["GET", LOCK])? {
            Value::Null => return self.rest(),
            holder => holder.text(),
        };
        let names = [
            owner,
            &holder[..holder.len() - 1],
            &format!("{holder}\0"),
            &holder.to_uppercase(),
            "*",
        ];
        self.client.send(&["MULTI"])?;
        self.client.send(&["EXISTS", LOCK])?;
        for name in names {
            self.client.send(&["KEYNS.UNLOCK", LOCK, name])?;
            let extend = ["KEYNS.EXTEND", LOCK, name, "PX", "60000"];
            self.client.send(&extend)?;
        }
        self.client.send(&["EXEC"])?;
        for _ in 0..2 + 2 * names.len() {
            assert!(!self.client.receive()?.is_error());
        }
        let replies = self.client.receive()?;
        let (is_held, rest) = replies.array().split_first().unwrap();
        for (reply, name) in rest.chunks(2).zip(names) {
            let nothing = [Value::Integer(0), Value::Integer(0)];
            assert_eq!(reply, nothing, "{name:?} beside {holder}");
        }
        if is_held.integer() == 1 {
            self.record.tally.strangers += rest.len() as u64;
        }
        let longer = format!("{holder}{owner}");
        self.names.push(longer.clone());
        match self.lock(&longer, 50)? {
            // The holder was gone in the meantime.
            Some(_) => self.release_or_not(&longer),
            None => Ok(()),
        }
    }

    fn lock(&mut self, owner: &str, millis: i64) -> Result<Option<i64>> {
        let lock = ["KEYNS.LOCK", LOCK, owner, "PX", &millis.to_string()];
        let reply = self.client.try_call(&lock)?;
        let token = self.note_lock(owner, millis, &reply);
        if token.is_none() {
            self.rest()?;
        }
        Ok(token)
    }

    fn note_lock(&mut self, owner: &str, millis: i64, reply: &Value) -> Option<i64> {
        if *reply == Value::Null {
            self.record.tally.refusals += 1;
            return None;
        }
        let token = Some(reply.integer());
        self.record.note(owner, Deed::Took { token, millis });
        token
    }

    /// In one way or the other.
    fn extend(&mut self, owner: &str) -> Result<bool> {
        let millis = self.random.between(5, 50).to_string();
        let reply = match self.random.once_in(2) {
            true => self
                .client
                .try_call(&["EVAL", KEEP, "1", LOCK, owner, &millis])?,
            false => self
                .client
                .try_call(&["KEYNS.EXTEND", LOCK, owner, "PX", &millis])?,
        };
        let is_extended = reply.integer() == 1;
        if is_extended {
            self.record.note(owner, Deed::Extended);
            self.record.tally.extensions += 1;
        }
        Ok(is_extended)
    }

    /// In one way or the other.
    fn release(&mut self, owner: &str) -> Result<bool> {
        let reply = match self.random.once_in(2) {
            true => self.client.try_call(&["EVAL", RELEASE, "1", LOCK, owner])?,
            false => self.client.try_call(&["KEYNS.UNLOCK", LOCK, owner])?,
        };
        let is_released = reply.integer() == 1;
        if is_released {
            self.record.note(owner, Deed::Released);
            self.record.tally.releases += 1;
        }
        Ok(is_released)
    }

    /// Some forget it.
    fn release_or_not(&mut self, owner: &str) -> Result<()> {
        if !self.random.once_in(4) {
            self.release(owner)?;
        }
        Ok(())
    }

    fn wait(&mut self, most_micros: u64) {
        let micros = self.random.below(most_micros);
        thread::sleep(Duration::from_micros(micros));
    }

    /// Leaves the processor to those who have the lock.
    fn rest(&mut self) -> Result<()> {
        self.wait(1000);
        Ok(())
    }
}

#[derive(Debug, Default)]
struct Verdict {
    grants: u64,
    expiries: u64,
}

struct Holder {
    owner: String,
    /// In milliseconds since 1970.
    until: i64,
}

/// Goes through all that the server did to the lock, in its order, which must be what the clients
/// were told.
#[track_caller]
fn judge(commands: &[Vec<Vec<u8>>], mut deeds: HashMap<String, VecDeque<Deed>>) -> Verdict {
    let mut verdict = Verdict::default();
    let mut holder: Option<Holder> = None;
    // Until when nobody may have it, since its holder did not give it back.
    let mut closed_until = 0;
    let mut last_token = 0;
    for command in commands {
        let words: Vec<&str> = command
            .iter()
            .map(|word| std::str::from_utf8(word).expect("no other bytes were sent"))
            .collect();
        match words[..] {
            ["SET", LOCK, owner, "PXAT", until] => {
                let until: i64 = until.parse().unwrap();
                let other = holder.as_ref().filter(|holder| holder.owner != owner);
                assert!(
                    other.is_none(),
                    "{owner} beside {}",
                    other.map_or("", |other| &other.owner)
                );
                let is_new = holder.is_none();
                verdict.grants += u64::from(is_new);
                match next_deed(&mut deeds, owner) {
                    Some(Deed::Took { token, millis }) => {
                        let since = until - millis;
                        assert!(
                            !is_new || since >= closed_until,
                            "{owner} has it since {since}, and another until {closed_until}"
                        );
                        if let Some(token) = token {
                            assert!(token > last_token, "{owner}: {token} {last_token}");
                            assert!(token >= since * 1000, "{owner}: {token} at {since}");
                            last_token = token;
                        }
                    }
                    Some(Deed::Extended) => assert!(!is_new, "{owner} did not hold it"),
                    Some(Deed::Unknown) => {}
                    deed => panic!("{words:?} for {deed:?}"),
                }
                holder = Some(Holder {
                    owner: owner.into(),
                    until,
                });
            }
            ["PEXPIREAT", LOCK, until] => {
                let holder = holder.as_mut().expect("a holder to keep it");
                holder.until = until.parse().unwrap();
                let deed = next_deed(&mut deeds, &holder.owner);
                let is_right = matches!(deed, Some(Deed::Extended | Deed::Unknown));
                assert!(is_right, "{words:?} for {deed:?}");
            }
            ["DEL" | "UNLINK", LOCK] => {
                let Holder { owner, until } = holder.take().expect("a holder to lose it");
                let own = deeds.get(&owner).and_then(|deeds| deeds.front());
                match own {
                    Some(Deed::Released) => {
                        next_deed(&mut deeds, &owner);
                        closed_until = 0;
                    }
                    Some(Deed::Unknown) => closed_until = 0,
                    _ => {
                        closed_until = until;
                        verdict.expiries += 1;
                    }
                }
            }
            ["SELECT", _] | ["MULTI"] | ["EXEC"] => {}
            _ => panic!("an effect of nobody: {words:?}"),
        }
    }
    for (owner, deeds) in deeds {
        let without_effect = deeds.iter().find(|deed| !matches!(deed, Deed::Unknown));
        assert!(without_effect.is_none(), "{owner}: {without_effect:?}");
    }
    verdict
}

/// The next deed of an owner. What is unknown may be several.
fn next_deed(deeds: &mut HashMap<String, VecDeque<Deed>>, owner: &str) -> Option<Deed> {
    let deeds = deeds.get_mut(owner)?;
    match deeds.front() {
        Some(Deed::Unknown) => Some(Deed::Unknown),
        _ => deeds.pop_front(),
    }
}
