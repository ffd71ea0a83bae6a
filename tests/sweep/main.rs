//! What holds for every command, whatever it does: each sweep goes through the table of the module's
//! commands with the rows of `tests/support/rows.rs`. A command without a row fails `table`.

#[path = "../support/mod.rs"]
mod support;

mod access;
mod arguments;
mod contexts;
mod effects;
mod grammar;
mod memory;
mod stage;
mod table;
mod types;
