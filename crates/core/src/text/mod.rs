//! Text tools for all families: decimals, periods, globs, quotes, dates.

pub mod calendar;
pub mod decimal;
pub mod glob;
pub mod period;
pub mod quoting;
