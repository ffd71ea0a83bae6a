//! What a release is made of agrees with itself: versions, notes, workflows.

mod notes;
mod repository;
mod versions;
mod workflows;
mod yaml;
