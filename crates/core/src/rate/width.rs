//! How many bytes a number takes in a state: as many as the greatest number that its limit allows, so
//! a state keeps its length while its numbers change.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    Four,
    Eight,
    Sixteen,
}

impl Width {
    /// The least width for numbers of this many bits.
    pub fn of_bits(bits: u32) -> Width {
        match bits {
            0..=32 => Width::Four,
            33..=64 => Width::Eight,
            _ => Width::Sixteen,
        }
    }

    pub fn bytes(self) -> usize {
        4 << self as usize
    }
}

/// The length of a number in bits.
pub fn bits(number: u64) -> u32 {
    u64::BITS - number.leading_zeros()
}
