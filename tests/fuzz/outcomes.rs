//! What a reply may say, where saying something else would mislead a client.

use keyns_testkit::Value;

use crate::call::Call;

/// Whether an accepted call of one of our commands has a reply that makes sense.
pub fn check(call: &Call, reply: &Value) -> Result<(), String> {
    let Some(spec) = call.spec() else {
        return Ok(());
    };
    let makes_sense = match (spec.name.to_bytes(), numbers(reply).as_deref()) {
        (b"KEYNS.RATE" | b"KEYNS.RATE.PEEK" | b"KEYNS.RATE.REFUND", Some(numbers)) => {
            is_ruling(numbers)
        }
        (b"KEYNS.THROTTLE", Some(numbers)) => is_throttling(numbers),
        (b"KEYNS.NEXTID" | b"KEYNS.LOCK" | b"KEYNS.RATE.BLOCK", Some([number])) => *number > 0,
        (b"KEYNS.EXTEND" | b"KEYNS.UNLOCK" | b"KEYNS.SEEN", Some([number])) => {
            matches!(number, 0 | 1)
        }
        _ => true,
    };
    if makes_sense {
        return Ok(());
    }
    Err(format!("a reply that makes no sense: {reply:?}"))
}

/// The integers that a reply is, or is a list of.
fn numbers(reply: &Value) -> Option<Vec<i64>> {
    match reply {
        Value::Integer(number) => Some(vec![*number]),
        Value::Array(parts) => parts.iter().map(integer).collect(),
        _ => None,
    }
}

fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::Integer(number) => Some(*number),
        _ => None,
    }
}

/// Who is refused has to know when to come again, and it is never now.
fn is_ruling(numbers: &[i64]) -> bool {
    let &[allowed, limit, remaining, retry, reset, binding] = numbers else {
        return false;
    };
    let times = match allowed {
        1 => retry == -1 && reset >= 0,
        _ => allowed == 0 && retry > 0 && reset >= 0,
    };
    times && limit >= 0 && remaining >= 0 && (-1..8).contains(&binding)
}

fn is_throttling(numbers: &[i64]) -> bool {
    let &[limited, limit, remaining, retry, reset] = numbers else {
        return false;
    };
    let times = match limited {
        0 => retry == -1,
        // -1 for what can never pass.
        _ => limited == 1 && (retry > 0 || retry == -1),
    };
    times && limit >= 0 && remaining >= 0 && reset >= 0
}
