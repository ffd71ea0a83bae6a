//! What holds for every command, whatever it does: each sweep goes through the table of the module's
//! commands with the rows of `crates/testkit/src/rows`. A command without a row fails `table`.

mod access;
mod arguments;
mod contexts;
mod effects;
mod grammar;
mod memory;
mod options;
mod stage;
mod table;
mod types;
