//! Slugs, numbers, names, and what becomes of them on a real server.

mod acl;
mod check;
mod cluster;
mod manners;
mod meddling;
mod names;
mod persistence;
mod races;
mod slugs;
