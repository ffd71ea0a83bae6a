//! What a server survives by itself when another module meddles with a key.
//!
//! Some plain commands use a key again after they have told modules about it, and crash the server if a
//! module has removed or replaced the key. Our commands can do no better than the plain commands that
//! they call.

use crate::Options;

/// How often the server gets the chance to crash.
const ROUNDS: usize = 20;

/// Whether a server without our module survives it when a plain command makes a key and the module
/// `meddler` answers that with a command of its own.
#[track_caller]
pub fn server_survives(plain: &str, answer: &[&str]) -> bool {
    let server = Options::with_meddler_only().start();
    let mut client = server.client();
    let words: Vec<&str> = plain.split(' ').collect();
    let answer = [&["MEDDLER.ANSWER"], answer].concat();
    // The server may also crash later, over what is left of the key. A reply may be an error.
    let round: [&[&str]; 5] = [
        &answer,
        &words,
        &["PING"],
        &["MEDDLER.ANSWER"],
        &["FLUSHALL"],
    ];
    (0..ROUNDS).all(|_| round.iter().all(|call| client.try_call(call).is_ok()))
}
