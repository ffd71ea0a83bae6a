//! What to write: a whole new value, or the few bytes of a long one that change.

use smallvec::SmallVec;

use super::part::{MAX_PART, Next, Place, Written, ring_len};
use super::sliding::{Edit, Span, UNIT, unit};
use super::{Bytes, Moment};

/// A new value for a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub value: Value,
    pub expiry: Lasting,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// All of it.
    Whole(Bytes),
    /// Bytes to put at offsets of the existing value.
    Ranges(Vec<(usize, Bytes)>),
}

/// When the key expires, in milliseconds since 1970: when a missing key would mean the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lasting {
    At(u64),
    /// Then, or at the key's present expiry if that is later or never: it holds more than this call
    /// knows.
    NotBefore(u64),
}

/// The layout of the value that a state was read from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    /// Where the rings start.
    pub front: usize,
    pub len: usize,
}

/// Up to this length, a whole value takes less of the replication stream than commands that change
/// parts of it.
const SHORT: usize = 160;

impl Change {
    pub(super) fn new(
        parts: &[Next],
        blocked_until: Option<Moment>,
        before: &Layout,
        expiry: Lasting,
    ) -> Change {
        let rings = Rings::of(parts);
        let room = MAX_PART * (parts.len() + 1) + rings.len().min(SHORT);
        let mut front = Bytes::with_capacity(room);
        if let Some(until) = blocked_until {
            Written::Blocked(until).write(Place::before(parts.len()), &mut front);
        }
        let mut spans = rings.spans.iter();
        for (part, before) in parts.iter().zip((0..parts.len()).rev()) {
            let written = match part {
                Next::Bucket(taken) => Written::Bucket(*taken),
                Next::Fixed(counted) => Written::Fixed(*counted),
                Next::Sliding(edit) => {
                    let span = spans.next().copied().unwrap_or_default();
                    Written::Sliding(edit.at, span)
                }
            };
            written.write(Place::before(before), &mut front);
        }
        let after = Layout {
            front: front.len(),
            len: front.len() + rings.len(),
        };
        let value = match rings.stay && after == *before && after.len > SHORT {
            true => ranges(front, parts),
            false => whole(front, parts, &rings),
        };
        Change { value, expiry }
    }
}

/// The rings of all sliding windows after the change.
struct Rings {
    spans: SmallVec<[Span; 2]>,
    /// Whether all rings keep their places, and only get new units.
    stay: bool,
}

impl Rings {
    /// Rings stay if each has room, and if all together take at most eight bytes per unit. Otherwise
    /// all are rebuilt.
    fn of(parts: &[Next]) -> Rings {
        let (mut count, mut slots, mut live) = (0, 0, 0);
        let mut stay = true;
        for edit in edits(parts) {
            count += 1;
            slots += u64::from(edit.log.span.slots);
            live += u64::from(edit.live());
            stay &= edit.log.span.slots >= edit.live();
        }
        stay &= slots * UNIT as u64 <= live * 8;
        // A small ring next to large ones gets more than its share of the room: when it is full, all
        // of them have to be written.
        let least_room = (live / 8).checked_div(count).unwrap_or(0).min(16) as u32;
        let span = |edit: &Edit| match stay {
            true => Span {
                head: edit.log.span.place(edit.gone),
                live: edit.live(),
                ..edit.log.span
            },
            false => Span {
                slots: edit.live() + least_room.max(edit.live() / 8),
                head: 0,
                live: edit.live(),
            },
        };
        Rings {
            spans: edits(parts).map(span).collect(),
            stay,
        }
    }

    fn len(&self) -> usize {
        self.spans.iter().map(ring_len).sum()
    }
}

fn edits<'a, 's>(parts: &'a [Next<'s>]) -> impl Iterator<Item = &'a Edit<'s>> {
    parts.iter().filter_map(|part| match part {
        Next::Sliding(edit) => Some(edit),
        _ => None,
    })
}

fn whole(mut value: Bytes, parts: &[Next], rings: &Rings) -> Value {
    for (edit, span) in edits(parts).zip(&rings.spans) {
        let start = value.len();
        if rings.stay {
            value.extend_from_slice(edit.log.ring);
            for (place, units) in edit.additions() {
                let at = start + place;
                if let Some(slots) = value.get_mut(at..at + units.len()) {
                    slots.copy_from_slice(&units);
                }
            }
        } else {
            for run in edit.runs(edit.gone, edit.kept) {
                value.extend_from_slice(edit.log.ring.get(run).unwrap_or_default());
            }
            for _ in 0..edit.added {
                value.extend_from_slice(&unit(edit.at));
            }
            value.resize(start + ring_len(span), 0);
        }
    }
    Value::Whole(value)
}

fn ranges(front: Bytes, parts: &[Next]) -> Value {
    let mut ring = front.len();
    let mut ranges = Vec::with_capacity(2 * parts.len());
    ranges.push((0, front));
    for edit in edits(parts) {
        let additions = edit.additions().map(|(place, units)| (ring + place, units));
        ranges.extend(additions);
        ring += edit.log.ring.len();
    }
    Value::Ranges(ranges)
}

impl Edit<'_> {
    fn live(&self) -> u32 {
        self.kept + self.added
    }

    /// The bytes that are added to a ring that stays, and their offsets.
    fn additions(&self) -> impl Iterator<Item = (usize, Bytes)> {
        let runs = self.runs(self.gone + self.kept, self.added);
        let unit = unit(self.at);
        runs.filter(|run| !run.is_empty()).map(move |run| {
            let units = unit.iter().cycle().take(run.len()).copied();
            (run.start, units.collect())
        })
    }

    /// The byte ranges of `count` units; the second range starts over at the start of the ring.
    fn runs(&self, first: u32, count: u32) -> impl Iterator<Item = std::ops::Range<usize>> + use<> {
        let start = self.log.span.place(first);
        let to_the_end = (self.log.span.slots - start.min(self.log.span.slots)).min(count);
        let bytes = |place: u32| place as usize * UNIT;
        [
            bytes(start)..bytes(start + to_the_end),
            0..bytes(count - to_the_end),
        ]
        .into_iter()
    }
}
