//! The pages agree with what a server says.

mod command_docs;
mod demo;
mod doc_examples;
mod guide_programs;
mod shown_keys;
