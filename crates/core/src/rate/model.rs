//! The slow model: limits as they are defined, over rational numbers of any size, and every unit of
//! a sliding window in a list. It shares nothing with what it is the model of.

use num_rational::BigRational;

use super::{Algorithm, Bucket, Fixed, Limit, Limits, Moment, Outcome, Period, Sliding};

/// A limit as a caller writes it, its period in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    Bucket {
        capacity: u64,
        refill: u64,
        period: u64,
    },
    Fixed {
        max: u64,
        period: u64,
    },
    Sliding {
        max: u64,
        period: u64,
    },
}

/// What the model knows of a key. All times are in microseconds since 1970.
#[derive(Clone, Debug, Default)]
pub struct Model {
    known: Vec<Known>,
    blocked_until: u64,
}

/// What it knows of one limit, and when it last learned something.
#[derive(Clone, Debug)]
enum Known {
    Bucket { at: u64, owed: Owed, by: Rule },
    Fixed { at: u64, count: u64 },
    Sliding { at: u64, units: Vec<u64> },
}

/// How many tokens are missing. It is one number, as long as the rate stays the same.
#[derive(Clone, Debug)]
struct Owed {
    least: BigRational,
    most: BigRational,
}

/// Which end of what may be owed to go by.
#[derive(Clone, Copy, Debug)]
enum End {
    Least,
    Most,
}

/// What one limit says of a request.
struct Saying {
    index: usize,
    rule: Rule,
    left: u64,
    retry_at: Option<u64>,
    fresh_at: u64,
}

/// What a key may be told: the same twice, unless a rate was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected {
    /// If as little is owed as can be.
    pub best: Outcome,
    /// If as much is.
    pub worst: Outcome,
    /// Whether nothing is uncertain.
    pub is_exact: bool,
}

pub fn moment(micros: u64) -> Moment {
    Moment::from_unix_micros(micros).unwrap()
}

pub fn period(millis: u64) -> Period {
    Period::parse("period", format!("{millis}ms").as_bytes()).unwrap()
}

pub fn limits(rules: &[Rule]) -> Limits {
    let mut limits = Limits::default();
    for rule in rules {
        limits.push(rule.limit()).unwrap();
    }
    limits
}

impl Rule {
    pub fn limit(self) -> Limit {
        match self {
            Rule::Bucket {
                capacity,
                refill,
                period: millis,
            } => Limit::Bucket(Bucket::new(capacity, refill, period(millis)).unwrap()),
            Rule::Fixed {
                max,
                period: millis,
            } => Limit::Fixed(Fixed::new(max, period(millis))),
            Rule::Sliding {
                max,
                period: millis,
            } => Limit::Sliding(Sliding::new(max, period(millis))),
        }
    }

    pub fn algorithm(self) -> Algorithm {
        match self {
            Rule::Bucket { .. } => Algorithm::Bucket,
            Rule::Fixed { .. } => Algorithm::Fixed,
            Rule::Sliding { .. } => Algorithm::Sliding,
        }
    }

    pub fn most(self) -> u64 {
        match self {
            Rule::Bucket { capacity, .. } => capacity,
            Rule::Fixed { max, .. } | Rule::Sliding { max, .. } => max,
        }
    }

    /// In microseconds.
    pub fn period(self) -> u64 {
        match self {
            Rule::Bucket { period, .. }
            | Rule::Fixed { period, .. }
            | Rule::Sliding { period, .. } => period * 1000,
        }
    }

    /// Tokens per microsecond.
    fn rate(self) -> BigRational {
        let Rule::Bucket { refill, .. } = self else {
            panic!("{self:?} has no rate");
        };
        BigRational::new(refill.into(), self.period().into())
    }

    fn says(self, known: Option<&Known>, cost: u64, now: u64, end: End) -> (u64, Option<u64>, u64) {
        let now = known.map_or(now, |known| now.max(known.at()));
        match self {
            Rule::Bucket { capacity, .. } => {
                let owed = self.owed(known, now).at(end);
                let then = &owed + whole(cost);
                let full = whole(capacity);
                let time_for = |tokens: BigRational| ceil(tokens / self.rate());
                match then <= full {
                    true => (
                        floor(&full - &then),
                        None,
                        now.saturating_add(time_for(then)),
                    ),
                    false => (
                        floor(&full - &owed),
                        Some(now.saturating_add(time_for(then - &full))),
                        now.saturating_add(time_for(owed)),
                    ),
                }
            }
            Rule::Fixed { max, .. } => {
                let count = self.count(known, now);
                let left = max.saturating_sub(count);
                let end = (now / self.period() + 1) * self.period();
                let fresh_at = |count| if count == 0 { now } else { end };
                match cost <= left {
                    true => (left - cost, None, fresh_at(count + cost)),
                    false => (left, Some(end), fresh_at(count)),
                }
            }
            Rule::Sliding { max, .. } => {
                let units = self.units(known, now);
                let left = |at: u64| max.saturating_sub(self.live(&units, at));
                let ends = |unit: &u64| unit + self.period();
                let fresh_at = units.last().map_or(now, ends);
                match cost <= left(now) {
                    true if cost > 0 => (left(now) - cost, None, now + self.period()),
                    true => (left(now), None, fresh_at),
                    false => {
                        let retry_at = units.iter().map(ends).find(|&at| cost <= left(at));
                        (left(now), retry_at, fresh_at)
                    }
                }
            }
        }
    }

    /// What a bucket owes, at a time that is not before it was last known. What another rate left
    /// is known but for what either refills in a microsecond.
    fn owed(self, known: Option<&Known>, now: u64) -> Owed {
        let Some(Known::Bucket { at, owed, by }) = known else {
            return Owed {
                least: whole(0),
                most: whole(0),
            };
        };
        let Owed { least, most } = match self.rate() == by.rate() {
            true => owed.clone(),
            false => Owed {
                least: &owed.least - by.rate() - self.rate(),
                most: &owed.most + by.rate() + self.rate(),
            },
        };
        let refilled = self.rate() * whole(now - at);
        let now = |owed: BigRational| {
            (owed.max(whole(0)).min(whole(self.most())) - &refilled).max(whole(0))
        };
        Owed {
            least: now(least),
            most: now(most),
        }
    }

    /// What passed in the window of now.
    fn count(self, known: Option<&Known>, now: u64) -> u64 {
        match known {
            Some(Known::Fixed { at, count }) if at / self.period() == now / self.period() => *count,
            _ => 0,
        }
    }

    /// The units that count now.
    fn units(self, known: Option<&Known>, now: u64) -> Vec<u64> {
        match known {
            Some(Known::Sliding { units, .. }) => {
                let units = units.iter().copied();
                units.filter(|unit| now - unit < self.period()).collect()
            }
            _ => Vec::new(),
        }
    }

    fn live(self, units: &[u64], at: u64) -> u64 {
        let is_live = |unit: &&u64| at.saturating_sub(**unit) < self.period();
        units.iter().filter(is_live).count() as u64
    }

    /// Whether there is no doubt of how much is owed.
    fn is_exact(self, known: &Known, now: u64) -> bool {
        if !matches!(self, Rule::Bucket { .. }) {
            return true;
        }
        let Owed { least, most } = self.owed(Some(known), now.max(known.at()));
        least == most
    }

    /// Whether anything is taken still.
    fn is_touched(self, known: &Known, now: u64, end: End) -> bool {
        let at = now.max(known.at());
        match self {
            Rule::Bucket { .. } => self.owed(Some(known), at).at(end) > whole(0),
            Rule::Fixed { .. } => self.count(Some(known), at) > 0,
            Rule::Sliding { .. } => !self.units(Some(known), at).is_empty(),
        }
    }

    /// What is known when so much more, or less, has been taken at a time.
    fn learns(self, known: Option<&Known>, taken: u64, given: u64, now: u64) -> Known {
        let at = known.map_or(now, |known| now.max(known.at()));
        match self {
            Rule::Bucket { .. } => {
                let owed = self.owed(known, at);
                let then = |owed: BigRational| (owed + whole(taken) - whole(given)).max(whole(0));
                Known::Bucket {
                    at,
                    owed: Owed {
                        least: then(owed.least),
                        most: then(owed.most),
                    },
                    by: self,
                }
            }
            Rule::Fixed { .. } => Known::Fixed {
                at,
                count: (self.count(known, at) + taken).saturating_sub(given),
            },
            Rule::Sliding { .. } => {
                let mut units = self.units(known, at);
                let left = (units.len() as u64).saturating_sub(given);
                units.truncate(left as usize);
                units.extend((0..taken).map(|_| at));
                Known::Sliding {
                    at: *units.last().unwrap_or(&at),
                    units,
                }
            }
        }
    }
}

impl Model {
    /// What a request is to be told.
    pub fn expects(&self, rules: &[Rule], cost: u64, now: u64) -> Expected {
        self.expected(rules, now, |end| {
            let outcome = outcome(&self.sayings(rules, cost, now, end), now);
            if !self.is_blocked(now) {
                return outcome;
            }
            // Nothing is taken, so it is the limits as they are that are fresh again then.
            let untouched = self::outcome(&self.sayings(rules, 0, now, end), now);
            let over = millis(self.blocked_until, now);
            Outcome {
                allowed: false,
                remaining: 0,
                retry_after_ms: Some(over.max(outcome.retry_after_ms.unwrap_or(0))),
                reset_after_ms: over.max(untouched.reset_after_ms),
                binding: None,
                ..untouched
            }
        })
    }

    /// What is to be told when something has been given back.
    pub fn expects_refunded(&self, rules: &[Rule], now: u64) -> Expected {
        self.expected(rules, now, |end| {
            outcome(&self.sayings(rules, 0, now, end), now)
        })
    }

    /// The microsecond from which on a request passes that does not now.
    pub fn retry_at(&self, rules: &[Rule], cost: u64, now: u64) -> Option<u64> {
        let sayings = self.sayings(rules, cost, now, End::Most);
        let blocked = (self.blocked_until > now).then_some(self.blocked_until);
        sayings
            .iter()
            .map(|saying| saying.retry_at)
            .max()?
            .max(blocked)
    }

    pub fn admit(&mut self, rules: &[Rule], cost: u64, now: u64) {
        self.learn(rules, now, |rule, _, known| {
            Some(rule.learns(known, cost, 0, now))
        });
    }

    /// Where nothing is taken, nothing can be given back. Whether a bucket is full is not always
    /// known exactly; then whether the state has changed tells.
    pub fn refund(
        &mut self,
        rules: &[Rule],
        cost: u64,
        now: u64,
        has_changed: impl Fn(usize) -> bool,
    ) {
        self.learn(rules, now, |rule, place, known| {
            let known = known?;
            let end = match place.is_some_and(&has_changed) {
                true => End::Most,
                false => End::Least,
            };
            let is_touched = rule.is_touched(known, now, end);
            is_touched.then(|| rule.learns(Some(known), 0, cost, now))
        });
    }

    pub fn block(&mut self, millis: u64, now: u64) {
        self.blocked_until = self.blocked_until.max(now + millis * 1000);
    }

    pub fn is_blocked(&self, now: u64) -> bool {
        self.blocked_until > now
    }

    fn learn(
        &mut self,
        rules: &[Rule],
        now: u64,
        learns: impl Fn(Rule, Option<usize>, Option<&Known>) -> Option<Known>,
    ) {
        let mut news = Vec::new();
        for (index, &rule) in rules.iter().enumerate() {
            let place = self.place(rules, index);
            let known = place.map(|place| &self.known[place]);
            news.push((place, learns(rule, place, known)));
        }
        // A block that is over is forgotten with the next write.
        if !self.is_blocked(now) && news.iter().any(|(_, known)| known.is_some()) {
            self.blocked_until = 0;
        }
        for (place, known) in news {
            match (place, known) {
                (Some(place), Some(known)) => self.known[place] = known,
                (None, Some(known)) => self.known.push(known),
                (_, None) => {}
            }
        }
    }

    /// Where that is which is known of a limit: the first bucket of a call is always the same one,
    /// whatever its numbers and whatever stands around it.
    fn place(&self, rules: &[Rule], index: usize) -> Option<usize> {
        let algorithm = rules[index].algorithm();
        let before = &rules[..index];
        let before = before.iter().filter(|rule| rule.algorithm() == algorithm);
        let known = self.known.iter().enumerate();
        let mut known = known.filter(|(_, known)| known.algorithm() == algorithm);
        known.nth(before.count()).map(|(place, _)| place)
    }

    fn sayings(&self, rules: &[Rule], cost: u64, now: u64, end: End) -> Vec<Saying> {
        let say = |(index, &rule): (usize, &Rule)| {
            let known = self.place(rules, index).map(|place| &self.known[place]);
            let (left, retry_at, fresh_at) = rule.says(known, cost, now, end);
            Saying {
                index,
                rule,
                left,
                retry_at,
                fresh_at,
            }
        };
        rules.iter().enumerate().map(say).collect()
    }

    fn expected(&self, rules: &[Rule], now: u64, outcome: impl Fn(End) -> Outcome) -> Expected {
        let is_exact = |(index, rule): (usize, &Rule)| match self.place(rules, index) {
            Some(place) => rule.is_exact(&self.known[place], now),
            None => true,
        };
        Expected {
            best: outcome(End::Least),
            worst: outcome(End::Most),
            is_exact: rules.iter().enumerate().all(is_exact),
        }
    }
}

/// What all limits together say.
fn outcome(sayings: &[Saying], now: u64) -> Outcome {
    let refused = sayings.iter().filter(|saying| saying.retry_at.is_some());
    let last = refused.clone().map(|saying| saying.retry_at).max();
    let binding = match last {
        Some(last) => refused
            .filter(|saying| saying.retry_at == last)
            .min_by_key(|saying| saying.left),
        None => sayings.iter().min_by_key(|saying| saying.left),
    };
    let binding = binding.unwrap();
    Outcome {
        allowed: last.is_none(),
        limit: binding.rule.most(),
        remaining: binding.left,
        retry_after_ms: binding.retry_at.map(|at| millis(at, now)),
        reset_after_ms: millis(binding.fresh_at, now),
        binding: Some(binding.index),
        algorithm: binding.rule.algorithm(),
    }
}

fn millis(at: u64, now: u64) -> u64 {
    at.saturating_sub(now).div_ceil(1000)
}

impl Known {
    fn at(&self) -> u64 {
        match *self {
            Known::Bucket { at, .. } | Known::Fixed { at, .. } | Known::Sliding { at, .. } => at,
        }
    }

    fn algorithm(&self) -> Algorithm {
        match self {
            Known::Bucket { .. } => Algorithm::Bucket,
            Known::Fixed { .. } => Algorithm::Fixed,
            Known::Sliding { .. } => Algorithm::Sliding,
        }
    }
}

impl Owed {
    fn at(self, end: End) -> BigRational {
        match end {
            End::Least => self.least,
            End::Most => self.most,
        }
    }
}

impl Expected {
    /// Whether this may be told.
    pub fn covers(&self, told: &Outcome) -> bool {
        let Expected {
            best,
            worst,
            is_exact,
        } = self;
        if *is_exact && best == worst {
            return told == best;
        }
        if told.allowed != best.allowed && told.allowed != worst.allowed {
            return false;
        }
        let retry = |outcome: &Outcome| outcome.retry_after_ms.unwrap_or(0);
        if !(retry(best)..=retry(worst)).contains(&retry(told)) {
            return false;
        }
        // The numbers of different limits cannot be compared, and a block hides whose they are.
        let is_like =
            |other: &Outcome| (other.binding, other.allowed) == (told.binding, told.allowed);
        told.binding.is_none()
            || !is_like(best)
            || !is_like(worst)
            || (worst.remaining..=best.remaining).contains(&told.remaining)
                && (best.reset_after_ms..=worst.reset_after_ms).contains(&told.reset_after_ms)
    }
}

fn whole(number: u64) -> BigRational {
    BigRational::from_integer(number.into())
}

fn floor(number: BigRational) -> u64 {
    u64::try_from(number.floor().to_integer()).unwrap_or(0)
}

fn ceil(number: BigRational) -> u64 {
    u64::try_from(number.ceil().to_integer()).unwrap_or(u64::MAX)
}
