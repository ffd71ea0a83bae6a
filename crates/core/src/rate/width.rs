//! How many bytes a number gets in a state: as many as the largest that its limit allows, so that a
//! state keeps its length while its numbers change.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    Four,
    Eight,
    Sixteen,
}

impl Width {
    /// The least for numbers of so many bits.
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

/// The bits that a number has.
pub fn bits(number: u64) -> u32 {
    u64::BITS - number.leading_zeros()
}
