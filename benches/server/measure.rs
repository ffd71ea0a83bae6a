//! What the families measure with.

use crate::support::Client;

/// The least, the middle and the greatest of some values.
#[derive(Clone, Copy)]
pub struct Spread {
    pub low: f64,
    pub middle: f64,
    pub high: f64,
}

impl Spread {
    pub fn of(values: impl IntoIterator<Item = f64>) -> Spread {
        let mut sorted: Vec<f64> = values.into_iter().collect();
        sorted.sort_by(f64::total_cmp);
        Spread {
            low: sorted[0],
            middle: sorted[sorted.len() / 2],
            high: sorted[sorted.len() - 1],
        }
    }

    /// Of one over the other, round by round.
    pub fn of_ratios(ones: &[f64], others: &[f64]) -> Spread {
        Spread::of(ones.iter().zip(others).map(|(one, other)| one / other))
    }
}

/// A limit, and whether a value keeps it.
pub fn at_most(limit: f64, value: f64) -> String {
    let verdict = if value <= limit { "kept" } else { "MISSED" };
    format!("{limit:.1} {verdict}")
}

/// The time that the server's main thread has worked.
pub fn main_thread_seconds(client: &mut Client) -> f64 {
    let fields = info(client, "cpu");
    let of_main_thread = |(field, _): &&(String, String)| field.ends_with("_main_thread");
    fields
        .iter()
        .filter(of_main_thread)
        .map(|(_, seconds)| seconds.parse::<f64>().expect("seconds"))
        .sum()
}

/// A field of `INFO memory`.
pub fn memory(client: &mut Client, name: &str) -> f64 {
    let fields = info(client, "memory");
    let (_, bytes) = fields
        .iter()
        .find(|(field, _)| field == name)
        .expect("the field is there");
    bytes.parse().expect("bytes")
}

pub fn version(client: &mut Client) -> String {
    let fields = info(client, "server");
    let version = |name: &str| fields.iter().find(|(field, _)| field == name);
    match (version("valkey_version"), version("redis_version")) {
        (Some((_, version)), _) => format!("Valkey {version}"),
        (None, Some((_, version))) => format!("Redis {version}"),
        (None, None) => "a server without a version".into(),
    }
}

fn info(client: &mut Client, section: &str) -> Vec<(String, String)> {
    let info = client.call(&["INFO", section]).text();
    info.lines()
        .filter_map(|line| line.split_once(':'))
        .map(|(field, value)| (field.to_owned(), value.to_owned()))
        .collect()
}
