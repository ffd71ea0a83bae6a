//! A JSON value that keeps repeated fields, so the reader can refuse them.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

#[derive(Debug, PartialEq)]
pub enum Json {
    Null,
    Bool,
    Integer(i64),
    /// A number that does not fit `i64`.
    OtherNumber,
    String(String),
    Array(Vec<Json>),
    /// In the order of the text.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// What it is, for a message.
    pub fn kind(&self) -> &'static str {
        match self {
            Json::Null => "null",
            Json::Bool => "a boolean",
            Json::Integer(_) => "an integer",
            Json::OtherNumber => "a number that is not an integer or is too large",
            Json::String(_) => "a string",
            Json::Array(_) => "an array",
            Json::Object(_) => "an object",
        }
    }
}

/// How many bytes each value has at least, on average: a definition with nothing but its name and its
/// pattern has nine, and a reader of two letters has five. A value takes about 60 bytes in memory,
/// however short it is.
const BYTES_PER_VALUE: usize = 5;

/// Reads a text, unless it has more values than definitions of this length can have.
pub fn parse(text: &[u8]) -> serde_json::Result<Json> {
    let left = Cell::new(text.len() / BYTES_PER_VALUE + 64);
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    let json = Values { left: &left }.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(json)
}

/// How many values there may still be.
#[derive(Clone, Copy)]
struct Values<'l> {
    left: &'l Cell<usize>,
}

impl<'de> DeserializeSeed<'de> for Values<'_> {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        let Some(left) = self.left.get().checked_sub(1) else {
            return Err(D::Error::custom(
                "too many values for a text of this length",
            ));
        };
        self.left.set(left);
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Values<'_> {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Json, E> {
        Ok(Json::Bool)
    }

    fn visit_i64<E>(self, number: i64) -> Result<Json, E> {
        Ok(Json::Integer(number))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Json, E> {
        Ok(i64::try_from(number).map_or(Json::OtherNumber, Json::Integer))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Json, E> {
        Ok(Json::OtherNumber)
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::String(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json, A::Error> {
        let mut array = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            array.push(item);
        }
        Ok(Json::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Json, A::Error> {
        let mut object = Vec::new();
        while let Some(field) = fields.next_key()? {
            object.push((field, fields.next_value_seed(self)?));
        }
        Ok(Json::Object(object))
    }
}
