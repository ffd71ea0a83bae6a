//! What every family needs of texts: decimals, globs, quotes, dates.

pub mod calendar;
pub mod decimal;
pub mod glob;
pub mod quoting;
