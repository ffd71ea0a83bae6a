//! Backup, upgrades and removal, performed as the pages for operators say.

mod backup;
mod pages;
mod removal;
mod troubles;
mod upgrade;
