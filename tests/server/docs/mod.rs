//! What the pages say, and what a server says: the same.

mod command_docs;
mod demo;
mod doc_examples;
mod guide_programs;
