//! A limit: one of the three algorithms with its numbers.

use smallvec::SmallVec;

use super::answer::Answer;
use super::part::{Next, Part};
use super::{Bucket, Fixed, Moment, Sliding};
use crate::rate::{Error, Result};

/// How many limits one call may have for a key. The server does nothing else meanwhile.
pub const MAX_LIMITS: usize = 8;

/// One clause of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    Bucket(Bucket),
    Fixed(Fixed),
    Sliding(Sliding),
}

/// The rule by which a limit admits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    Bucket,
    Fixed,
    Sliding,
}

/// The limits of a key: a request passes all of them, or takes from none.
#[derive(Clone, Debug, Default)]
pub struct Limits(SmallVec<[Limit; 2]>);

impl Algorithm {
    pub const ALL: [Algorithm; 3] = [Algorithm::Bucket, Algorithm::Fixed, Algorithm::Sliding];

    /// The keyword of the clause.
    pub const fn keyword(self) -> &'static str {
        match self {
            Algorithm::Bucket => "BUCKET",
            Algorithm::Fixed => "FIXED",
            Algorithm::Sliding => "SLIDING",
        }
    }
}

impl Limit {
    pub fn algorithm(&self) -> Algorithm {
        match self {
            Limit::Bucket(_) => Algorithm::Bucket,
            Limit::Fixed(_) => Algorithm::Fixed,
            Limit::Sliding(_) => Algorithm::Sliding,
        }
    }

    /// How much it admits at once when it is fresh.
    pub fn most(&self) -> u64 {
        match self {
            Limit::Bucket(bucket) => bucket.capacity(),
            Limit::Fixed(fixed) => fixed.max(),
            Limit::Sliding(sliding) => sliding.max(),
        }
    }

    /// A part of another algorithm counts as none.
    pub(super) fn take<'s>(
        &self,
        part: Option<&Part<'s>>,
        cost: u64,
        now: Moment,
    ) -> Answer<Next<'s>> {
        match (self, part) {
            (Limit::Bucket(bucket), Some(Part::Bucket(taken))) => {
                bucket.take(Some(*taken), cost, now).map(Next::Bucket)
            }
            (Limit::Bucket(bucket), _) => bucket.take(None, cost, now).map(Next::Bucket),
            (Limit::Fixed(fixed), Some(Part::Fixed(counted))) => {
                fixed.take(Some(*counted), cost, now).map(Next::Fixed)
            }
            (Limit::Fixed(fixed), _) => fixed.take(None, cost, now).map(Next::Fixed),
            (Limit::Sliding(sliding), Some(Part::Sliding(log))) => {
                sliding.take(*log, cost, now).map(Next::Sliding)
            }
            (Limit::Sliding(sliding), _) => sliding
                .take(Default::default(), cost, now)
                .map(Next::Sliding),
        }
    }

    /// `None` if there is nothing to give back.
    pub(super) fn refund<'s>(
        &self,
        part: Option<&Part<'s>>,
        cost: u64,
        now: Moment,
    ) -> Option<Answer<Next<'s>>> {
        match (self, part?) {
            (Limit::Bucket(bucket), Part::Bucket(taken)) => {
                let answer = bucket.refund(*taken, cost, now)?;
                Some(answer.map(Next::Bucket))
            }
            (Limit::Fixed(fixed), Part::Fixed(counted)) => {
                let answer = fixed.refund(*counted, cost, now)?;
                Some(answer.map(Next::Fixed))
            }
            (Limit::Sliding(sliding), Part::Sliding(log)) => {
                let answer = sliding.refund(*log, cost, now)?;
                Some(answer.map(Next::Sliding))
            }
            _ => None,
        }
    }
}

impl Limits {
    pub fn push(&mut self, limit: Limit) -> Result<()> {
        if self.0.len() == MAX_LIMITS {
            return Err(Error::TooManyLimits { limit: MAX_LIMITS });
        }
        self.0.push(limit);
        Ok(())
    }

    /// The limit, if there is exactly one.
    pub(super) fn single(&self) -> Option<&Limit> {
        match self.0.as_slice() {
            [limit] => Some(limit),
            _ => None,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// An error if one of the limits can never admit this cost.
    pub fn check_cost(&self, cost: u64) -> Result<()> {
        match self.0.iter().find(|limit| cost > limit.most()) {
            Some(limit) => Err(Error::NeverAdmitted {
                cost,
                algorithm: limit.algorithm().keyword(),
                most: limit.most(),
            }),
            None => Ok(()),
        }
    }

    /// Each limit with its index, and the number of limits of its algorithm before it.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, usize, &Limit)> {
        self.0.iter().enumerate().map(|(index, limit)| {
            let before = self.0.iter().take(index);
            let same = before.filter(|other| other.algorithm() == limit.algorithm());
            (index, same.count(), limit)
        })
    }
}
