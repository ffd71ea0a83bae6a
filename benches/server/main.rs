//! What commands cost a server, beside plain commands in the same run.
//!
//! Every round measures everything once, so that a noisy moment of the machine spoils one ratio and
//! not the comparison; the tables have the median and the spread of the ratios of all rounds.

#[path = "../../tests/support/mod.rs"]
mod support;

mod clients;
mod connection;
mod coordination;
mod dice;
mod documents;
mod measure;
mod namespaces;
mod naming;
mod rate;

fn main() {
    // FAMILY picks one of the families.
    let family = std::env::var("FAMILY").unwrap_or_default();
    match family.as_str() {
        "" => {
            naming::run();
            documents::run();
            rate::run();
            namespaces::run();
            coordination::run();
        }
        "naming" => naming::run(),
        "documents" => documents::run(),
        "rate" => rate::run(),
        "namespaces" => namespaces::run(),
        "coordination" => coordination::run(),
        other => {
            eprintln!(
                "there is no family {other:?}: naming, documents, rate, namespaces and \
                 coordination are there"
            );
            std::process::exit(1);
        }
    }
}
