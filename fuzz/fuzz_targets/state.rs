//! Whatever is stored under the key of a rate limit, and whoever wrote it: requests are judged
//! within the limits, a refusal says when to come again and changes nothing, and what is written
//! is read again.
#![no_main]

use arbitrary::Arbitrary;
use keyns_core::rate::{
    Bucket, Change, Fixed, Lasting, Limit, Limits, Moment, Outcome, Period, Sliding, State, Value,
    take,
};
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    limits: Vec<Rule>,
    calls: Vec<Call>,
    /// Gets all bytes that are left.
    stored: Stored<'a>,
}

#[derive(Arbitrary, Debug)]
enum Stored<'a> {
    Nothing,
    Bytes(&'a [u8]),
    /// Parts with the right checks, and rings of any times.
    Parts(Vec<Part<'a>>),
}

#[derive(Arbitrary, Debug)]
struct Part<'a> {
    /// In microseconds around the time of the calls, or anywhere.
    time: i32,
    far: bool,
    code: u8,
    body: [u8; 16],
    /// The time of each unit in four bytes, in milliseconds around that of the calls.
    ring: &'a [u8],
}

#[derive(Arbitrary, Clone, Copy, Debug)]
struct Rule {
    algorithm: u8,
    max: u64,
    refill: u64,
    millis: u32,
}

#[derive(Arbitrary, Debug)]
struct Call {
    what: What,
    cost: u32,
    wait_micros: u32,
}

#[derive(Arbitrary, Debug)]
enum What {
    Take,
    Refund,
    Block,
}

/// 2026, in microseconds since 1970 and since 2020.
const START: u64 = 1_790_000_000_000_000;
const START_BITS: u64 = START - 1_577_836_800_000_000;

fuzz_target!(|input: Input| {
    let Some((limits, most)) = limits(&input.limits) else {
        return;
    };
    let mut key = Key::of(&input.stored);
    let mut micros = START;
    for call in input.calls.iter().take(20) {
        micros += u64::from(call.wait_micros);
        key.is_ours |= key.value.is_none();
        let now = Moment::from_unix_micros(micros).expect("the years after 2026");
        let cost = u64::from(call.cost);
        match call.what {
            What::Take => {
                let cost = cost % most.saturating_add(1);
                assert_eq!(limits.check_cost(cost), Ok(()));
                key.take(&limits, cost, micros, now);
            }
            What::Refund => key.refund(&limits, cost, micros, now),
            What::Block => key.block(cost, micros, now),
        }
    }
});

struct Key {
    value: Option<Vec<u8>>,
    /// Whether nobody else has written to it.
    is_ours: bool,
}

impl Key {
    fn of(stored: &Stored) -> Key {
        let value = match stored {
            Stored::Nothing => None,
            Stored::Bytes(bytes) => Some(bytes.to_vec()),
            Stored::Parts(parts) => Some(state_of(parts)),
        };
        Key {
            value,
            is_ours: false,
        }
    }

    fn take(&mut self, limits: &Limits, cost: u64, micros: u64, now: Moment) {
        let stored = self.value.clone();
        let told = take(stored.as_deref(), limits, cost, now);
        let Some(state) = State::read(stored.as_deref()) else {
            return assert_eq!(told, None);
        };
        let told = told.expect("a state judges");
        assert_eq!(
            told,
            state.take(limits, cost, now),
            "the short way says the same"
        );
        let (outcome, change) = told;
        is_within(&outcome);
        assert_eq!(outcome.allowed, change.is_some(), "{outcome:?}");
        assert_eq!(outcome.allowed, outcome.retry_after_ms.is_none());
        match (outcome.retry_after_ms, change) {
            (Some(millis), None) => {
                assert!(millis > 0, "come again at once: {outcome:?}");
                let then =
                    Moment::from_unix_micros(micros.saturating_add(millis.saturating_mul(1000)));
                if let (true, Ok(then)) = (self.is_ours, then) {
                    assert!(
                        state.take(limits, cost, then).0.allowed,
                        "{millis} ms later"
                    );
                }
            }
            (_, change) => self.apply(change, micros),
        }
    }

    fn refund(&mut self, limits: &Limits, cost: u64, micros: u64, now: Moment) {
        let stored = self.value.clone();
        let Some(state) = State::read(stored.as_deref()) else {
            return;
        };
        let (outcome, change) = state.refund(limits, cost, now);
        is_within(&outcome);
        self.apply(change, micros);
    }

    fn block(&mut self, millis: u64, micros: u64, now: Moment) {
        let stored = self.value.clone();
        let Some(state) = State::read(stored.as_deref()) else {
            return;
        };
        let (until, change) = state.block(period(millis), now);
        assert!(until > now);
        self.apply(change, micros);
    }

    fn apply(&mut self, change: Option<Change>, micros: u64) {
        let Some(Change { value, expiry }) = change else {
            return;
        };
        let (Lasting::At(millis) | Lasting::NotBefore(millis)) = expiry;
        assert!(millis > micros / 1000, "expires before anybody can read it");
        match value {
            Value::Whole(value) => self.value = Some(value.to_vec()),
            Value::Ranges(ranges) => {
                let value = self.value.as_mut().expect("there is a value to change");
                for (place, bytes) in ranges {
                    value[place..place + bytes.len()].copy_from_slice(&bytes);
                }
            }
        }
        assert!(
            State::read(self.value.as_deref()).is_some(),
            "what was written is read"
        );
    }
}

fn is_within(outcome: &Outcome) {
    assert!(outcome.remaining <= outcome.limit, "{outcome:?}");
}

/// The limits, and the most that all of them admit at once.
fn limits(rules: &[Rule]) -> Option<(Limits, u64)> {
    let mut limits = Limits::default();
    let mut most = u64::MAX;
    for rule in rules.iter().take(8) {
        let period = period(rule.millis.into());
        let limit = match rule.algorithm % 3 {
            0 => match Bucket::new(positive(rule.max), positive(rule.refill), period) {
                Ok(bucket) => Limit::Bucket(bucket),
                Err(_) => continue,
            },
            1 => Limit::Fixed(Fixed::new(positive(rule.max), period)),
            // Every unit is kept: more of them only take more memory. A few are soon too many.
            _ => Limit::Sliding(Sliding::new(
                1 + (rule.max % 3000 >> (rule.refill % 12)),
                period,
            )),
        };
        most = most.min(limit.most());
        limits.push(limit).ok()?;
    }
    (!limits.is_empty()).then_some((limits, most))
}

/// As a command takes it.
fn positive(number: u64) -> u64 {
    (number & i64::MAX.unsigned_abs()).max(1)
}

fn period(millis: u64) -> Period {
    let text = format!("{}ms", millis.max(1));
    Period::parse("period", text.as_bytes()).expect("less than 1500 days")
}

fn state_of(parts: &[Part]) -> Vec<u8> {
    let written: Vec<_> = parts.iter().take(10).filter_map(Part::written).collect();
    let mut state = Vec::new();
    for (index, (front, _)) in written.iter().enumerate() {
        let start = state.len();
        state.extend_from_slice(front);
        if index + 1 < written.len() {
            // An inverted check says that more parts follow.
            state[start + 7] ^= 0b0011_1110;
        }
    }
    written
        .iter()
        .for_each(|(_, ring)| state.extend_from_slice(ring));
    state
}

/// The lower six bytes of a time.
fn unit(bytes: &[u8]) -> [u8; 6] {
    let millis = i32::from_le_bytes(bytes.try_into().expect("four bytes"));
    let time = START_BITS.wrapping_add_signed(i64::from(millis) * 1000);
    let [a, b, c, d, e, f, _, _] = time.to_le_bytes();
    [a, b, c, d, e, f]
}

impl Part<'_> {
    /// The part alone, with the one of the 32 checks that is right, and its ring.
    fn written(&self) -> Option<(Vec<u8>, Vec<u8>)> {
        let time = match self.far {
            true => u64::from(self.time.unsigned_abs()) << 20,
            false => START_BITS.saturating_add_signed(self.time.into()),
        };
        // As often of one kind as of another.
        let code = match self.code % 4 {
            0 => self.code / 4 % 54,
            1 => 54 + self.code / 4 % 2,
            2 => 56,
            _ => 57,
        };
        let head = (time & ((1 << 51) - 1)) | u64::from(code) << 51 | 0b11 << 62;
        let mut body = self.body;
        let mut ring = Vec::new();
        let len = match code {
            0..=53 => 4 << (code % 3),
            54 => 4,
            55 => 8,
            56 => {
                let units = self.ring.chunks_exact(4).take(200);
                let slots = units.len() as u32;
                let number = |at: usize| u32::from_le_bytes([body[at], body[at + 1], 0, 0]);
                let (head, live) = (number(4) % slots.max(1), number(8) % (slots + 1));
                body[..12].copy_from_slice(&[slots, head, live].map(u32::to_le_bytes).concat());
                ring = units.flat_map(unit).collect();
                12
            }
            57 => {
                body = [0; 16];
                4
            }
            _ => 4,
        };
        let mut checks = (0..32u64).map(|check| {
            let head = head | check << 57;
            [&head.to_le_bytes(), &body[..len]].concat()
        });
        let front = checks.find(|front| State::parse(&[front, &*ring].concat()).is_some())?;
        Some((front, ring))
    }
}
