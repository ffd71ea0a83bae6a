//! What everybody else does with a server.

use keyns_testkit::Value;

use super::{Families, REST, Worker};
use crate::soak::invariants::Invariant;

const KEYS: u64 = 1000;

pub fn work(_: &Families, mut worker: Worker) {
    let stage = worker.link.stage;
    // What was last written, `None` if that is not known.
    let mut written: Vec<Option<String>> = vec![None; KEYS as usize];
    stage.repeat(REST, || {
        let Worker {
            link,
            random,
            number,
        } = &mut worker;
        let at = random.below(KEYS);
        let key = format!("plain{number}:{at}");
        let known = &mut written[at as usize];
        if random.once_in(4) {
            let value = random.any().to_string();
            let done = link.call(&["SET", &key, &value, "EX", "10"]);
            *known = done.map(|_| value);
        } else if let (Some(value), Some(known)) = (link.call(&["GET", &key]), &known) {
            // It may have expired.
            let is_same = value == Value::Null || value == Value::bulk(known);
            let invariants = &stage.invariants;
            invariants.check(Invariant::ValuesStay, is_same, || {
                format!("{key} is {value:?} and not {known}")
            });
        }
    });
}
