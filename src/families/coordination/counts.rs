//! KEYNS.COUNT and KEYNS.COUNT.RANGE: counters by calendar.

use keyns_core::argument;
use keyns_core::coordination::Error;
use keyns_core::coordination::calendar_counts::{Buckets, Grain, MAX_LABEL_BYTES, MOMENTS, Stamp};
use keyns_core::text::decimal::{self, MAX_DIGITS};
use smallvec::SmallVec;

use super::{FAMILY, MAX_SECONDS, ONE_KEY, expiry, namespace_ttl};
use crate::server::spec::{Argument, Command, KeyAccess, Keys, List, Spec};
use crate::server::store::{Access, Expiry};
use crate::server::{
    self, Args, Call, OpenString, Opt, Options, Result, ServerString, Store, UnixTime,
};
use crate::{choice, command};

const GRAIN: Argument = Argument::choice::<Grain>("GRAIN").required();

pub static COUNT: &Command = command!(
    Spec {
        name: c"KEYNS.COUNT",
        family: &FAMILY,
        summary: c"Adds to the counters of the year, month, day, hour or minute.",
        complexity: c"O(N) with N being the number of grains",
        since: c"0.1.0",
        flags: c"write deny-oom fast",
        acl_categories: c"write fast keyns",
        arity: -4,
        keys: Some(ONE_KEY),
        arguments: &[
            List::Of(&[Argument::key("key")]),
            List::options::<Request>()
        ],
        reply: "array: the new count of each grain, in the order of the call",
    },
    count
);

fn count(call: &Call) -> Result<()> {
    let request = Request::read(call.args())?;
    let key = call.key(1)?;
    let store = call.store();
    store.check_tagged(&key)?;
    store.check_can_count()?;
    let now = UnixTime::of_command().millis();
    let at = request.at.unwrap_or_else(|| second(now));
    let buckets = request.buckets(&key, at)?;
    let caller = store.caller();
    for bucket in &buckets {
        caller.check(&bucket.name, Access::Update)?;
    }
    let mut counts: SmallVec<[i64; 3]> = SmallVec::new();
    // All buckets are checked before the first write; `add` checks the first one itself. Each is
    // reopened to be written, because no key may stay open while others are opened.
    for bucket in buckets.iter().skip(1) {
        request.sum(&store, bucket)?;
    }
    for bucket in &buckets {
        counts.push(request.add(&store, bucket, now)?);
    }
    let reply = call.reply();
    reply.array(counts.len());
    for count in counts {
        reply.integer(count);
    }
    Ok(())
}

/// A counter.
struct Bucket {
    name: ServerString,
    grain: Grain,
    /// The first millisecond that is not in it.
    end: u64,
}

/// What to count, and where.
#[derive(Default)]
struct Request {
    by: Option<i64>,
    grains: SmallVec<[Grain; 5]>,
    at: Option<i64>,
    /// In seconds, 0 for no expiry.
    keep: Option<u64>,
}

impl<'a> Options<'a> for Request {
    const OPTIONS: &'a [Opt<'a, Request>] = &[
        Opt::integer("BY", i64::MIN..=i64::MAX, |request: &mut Self, by| {
            request.by = Some(by);
        })
        .named("amount")
        .value_first(),
        Opt::other(GRAIN.repeated(), Request::grain),
        Opt::integer("AT", MOMENTS, |request: &mut Self, at| {
            request.at = Some(at);
        })
        .named("unix-time")
        .labelled("AT, in seconds since 1970,")
        .value_first(),
        Opt::seconds("KEEP", 0..=MAX_SECONDS, |request: &mut Self, seconds| {
            request.keep = Some(seconds);
        })
        .value_first(),
    ];
}

impl Request {
    fn read(mut args: Args) -> Result<Request> {
        args.required()?;
        let request: Request = args.options()?;
        match request.grains.is_empty() {
            true => Err(argument::Error::missing("GRAIN").into()),
            false => Ok(request),
        }
    }

    /// Each grain once.
    fn grain(&mut self, args: &mut Args) -> Result<()> {
        let grain: Grain = args.choice_of("GRAIN")?;
        if self.grains.contains(&grain) {
            return Err(argument::Error::repeated(format!("GRAIN {}", grain.keyword())).into());
        }
        self.grains.push(grain);
        Ok(())
    }

    /// What to add.
    fn by(&self) -> i64 {
        self.by.unwrap_or(1)
    }

    fn buckets(&self, key: &ServerString, at: i64) -> Result<SmallVec<[Bucket; 3]>> {
        let stamp = Stamp::of(at);
        let mut names = Names::new(key)?;
        let bucket = |&grain: &Grain| Bucket {
            name: names.of(&stamp, grain),
            grain,
            end: grain.end(at).unsigned_abs() * 1000,
        };
        Ok(self.grains.iter().map(bucket).collect())
    }

    /// The bucket's new count, and the bucket if it exists.
    fn sum<'s>(
        &self,
        store: &'s Store,
        bucket: &'s Bucket,
    ) -> Result<(i64, Option<OpenString<'s>>)> {
        let string = naming(&bucket.name, store.string_to_change(&bucket.name))?;
        let before = string.integer()?;
        let sum = before.unwrap_or(0).checked_add(self.by());
        let sum = sum.ok_or_else(|| server::Error::CounterOverflow {
            key: bucket.name.as_bytes().to_vec(),
        })?;
        if before.is_some() {
            return Ok((sum, Some(string)));
        }
        drop(string);
        store.check_settled(&bucket.name)?;
        Ok((sum, None))
    }

    /// Adds to a bucket and returns its new count. A new bucket expires some time after its end, or
    /// after now if it has ended already.
    fn add(&self, store: &Store, bucket: &Bucket, now: u64) -> Result<i64> {
        let (sum, string) = self.sum(store, bucket)?;
        // Adding nothing writes nothing.
        if self.by() == 0 {
            return Ok(sum);
        }
        if let Some(string) = string {
            string.add(sum, self.by())?;
            return Ok(sum);
        }
        let keep = match self.keep {
            Some(0) => None,
            Some(seconds) => Some(seconds),
            None => namespace_ttl(bucket.name.as_bytes()).or(bucket.grain.keep()),
        };
        let expiry = keep.map_or(Expiry::Never, |seconds| {
            expiry(bucket.end.max(now), seconds)
        });
        let digits = &mut [0; MAX_DIGITS];
        store.set_string(&bucket.name, decimal::format_signed(sum, digits), expiry)?;
        Ok(sum)
    }
}

pub static RANGE: &Command = command!(
    Spec {
        name: c"KEYNS.COUNT.RANGE",
        family: &FAMILY,
        summary: c"Returns the counters of one grain for a range of time.",
        complexity: c"O(N) with N being the number of buckets, at most 10,000",
        since: c"0.1.0",
        flags: c"readonly",
        acl_categories: c"read slow keyns",
        arity: 6,
        keys: Some(Keys {
            access: KeyAccess::Read,
            ..ONE_KEY
        }),
        arguments: &[List::Of(&[
            Argument::key("key"),
            GRAIN,
            Argument::number("from"),
            Argument::number("to"),
        ])],
        reply: "map: total (integer) and buckets (array of arrays of a label and its count, 0 for a missing bucket)",
    },
    range
);

fn range(call: &Call) -> Result<()> {
    let (grain, buckets) = read_range(call.args())?;
    let key = call.key(1)?;
    let store = call.store();
    store.check_together(&key)?;
    let caller = store.caller();
    let mut names = Names::new(&key)?;
    let mut counts = Vec::with_capacity(buckets.len());
    // Wide enough for the sum of any number of counters.
    let mut total: i128 = 0;
    let reads = store.reads();
    for stamp in buckets {
        let name = names.of(&stamp, grain);
        caller.check(&name, Access::Read)?;
        let string = naming(&name, store.string_to_read(&name))?;
        let count = string.integer()?.unwrap_or(0);
        drop(string);
        reads.add(&name);
        total += i128::from(count);
        counts.push((stamp, count));
    }
    let total = i64::try_from(total).map_err(|_| Error::TotalOverflow {
        key: key.as_bytes().to_vec(),
    })?;
    let reply = call.reply();
    reply.map(2);
    reply.bulk(b"total");
    reply.integer(total);
    reply.bulk(b"buckets");
    reply.array(counts.len());
    for (stamp, count) in &counts {
        reply.array(2);
        reply.bulk(stamp.label(grain));
        reply.integer(*count);
    }
    Ok(())
}

/// The buckets that are asked for.
#[derive(Default)]
struct Span {
    grain: Option<Grain>,
    moments: SmallVec<[i64; 2]>,
}

impl<'a> Options<'a> for Span {
    const OPTIONS: &'a [Opt<'a, Span>] = &[choice!("GRAIN", Grain, |span: &mut Self, grain| {
        span.grain = Some(grain);
    })
    .value_first()];
}

impl Span {
    /// Reads a word as the next moment. `false` if both have been read.
    fn moment(&mut self, word: &[u8]) -> argument::Result<bool> {
        let name = match self.moments.len() {
            0 => "from, in seconds since 1970,",
            1 => "to, in seconds since 1970,",
            _ => return Ok(false),
        };
        self.moments.push(argument::integer(name, word, MOMENTS)?);
        Ok(true)
    }
}

/// `GRAIN g` and the two moments, in their order.
fn read_range(mut args: Args) -> Result<(Grain, Buckets)> {
    args.required()?;
    let mut span = Span::default();
    args.each_option(|word| Ok(word.is_for(&mut span)? || span.moment(word.text())?))?;
    let grain = span
        .grain
        .ok_or_else(|| argument::Error::missing("GRAIN"))?;
    match *span.moments {
        [from, to] => Ok((grain, Buckets::new(grain, from, to)?)),
        [_] => Err(argument::Error::missing("to").into()),
        _ => Err(argument::Error::missing("from").into()),
    }
}

/// A key longer than this is a mistake: thousands of names would start with it.
const MAX_COUNTER_KEY_BYTES: usize = 1024;

/// The names of the buckets of a key.
struct Names {
    /// The key and the label after it.
    name: Vec<u8>,
    /// The length of the part that all names share.
    shared: usize,
}

impl Names {
    /// As with prefixes, `views:` means `views`. An error if the key is so long that thousands of
    /// names with it would be a burden.
    fn new(key: &ServerString) -> argument::Result<Names> {
        let key = key.as_bytes();
        let key = key.strip_suffix(b":").unwrap_or(key);
        let got = key.len();
        if got > MAX_COUNTER_KEY_BYTES {
            return Err(argument::Error::NameTooLong {
                what: "key",
                limit: MAX_COUNTER_KEY_BYTES,
                got,
            });
        }
        let mut name = Vec::with_capacity(got + 1 + MAX_LABEL_BYTES);
        name.extend_from_slice(key);
        name.push(b':');
        Ok(Names {
            shared: name.len(),
            name,
        })
    }

    fn of(&mut self, stamp: &Stamp, grain: Grain) -> ServerString {
        self.name.truncate(self.shared);
        self.name.extend_from_slice(stamp.label(grain));
        ServerString::new(&self.name)
    }
}

/// Adds the bucket's name to an error, because the caller did not give it.
fn naming<'s>(bucket: &ServerString, string: Result<OpenString<'s>>) -> Result<OpenString<'s>> {
    string.map_err(|error| error.about(bucket.as_bytes()))
}

/// The second of a moment in milliseconds, at most the last one with a bucket.
fn second(millis: u64) -> i64 {
    let second = i64::try_from(millis / 1000).unwrap_or(i64::MAX);
    second.min(*MOMENTS.end())
}
