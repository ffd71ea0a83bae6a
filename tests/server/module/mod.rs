//! What belongs to no family: loading, settings, INFO, panics, and users or clients of any command.

mod config;
mod forged_values;
mod hostile;
mod info;
mod loading;
mod panics;
mod reserved_names;
mod selectors;
mod tracking;
