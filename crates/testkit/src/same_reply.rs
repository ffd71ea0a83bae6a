//! Whether a row has the same reply, however its call was made.

use crate::{Row, Value};

/// A reply as RESP2 has it: a map is a flat array, a boolean an integer.
fn plain(value: &Value) -> Value {
    match value {
        Value::Map(pairs) => {
            let flat = pairs
                .iter()
                .flat_map(|(name, value)| [plain(name), plain(value)]);
            Value::Array(flat.collect())
        }
        Value::Array(values) => Value::Array(values.iter().map(plain).collect()),
        Value::Boolean(is_true) => Value::Integer((*is_true).into()),
        Value::Simple(text) => Value::bulk(text),
        other => other.clone(),
    }
}

/// A reply without what clock and chance put into it.
fn shape(value: &Value) -> Value {
    match value {
        Value::Integer(_) => Value::Integer(0),
        Value::Array(values) => Value::Array(values.iter().map(shape).collect()),
        other => other.clone(),
    }
}

/// Fails unless a row has the same reply in some way as it has plainly.
#[track_caller]
pub fn assert_same_reply(row: &Row, way: &str, reply: &Value, expected: &Value) {
    let (reply, expected) = (plain(reply), plain(expected));
    match row.varies {
        true => assert_eq!(shape(&reply), shape(&expected), "{way}: {}", row.line),
        false => assert_eq!(reply, expected, "{way}: {}", row.line),
    }
}
