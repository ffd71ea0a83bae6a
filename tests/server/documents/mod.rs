//! Documents: Markdown as keys.

mod access;
mod background;
mod cluster;
mod damage;
mod effects;
mod errors;
mod forged;
mod hint;
mod ingest;
mod meddling;
mod names;
mod options;
mod reading;
mod replace;
mod size;
mod source;
