//! Outlines against other parsers, against input that nobody would write, and against the clock.

mod agreement;
mod commonmark;
mod documents;
mod fuzz;
mod growth;
mod parsers;
mod random;
mod shapes;
