//! Hashes of a few integers that may expire.

use std::ffi::CStr;
use std::sync::OnceLock;

use redis_module::raw;

use keyns_core::text::decimal::{self, MAX_DIGITS};

use super::{Expiry, Store};
use crate::server::{Error, Result, ServerString};

impl Store<'_> {
    /// The values of some fields of a hash that the call may change, `None` for each missing one.
    pub fn field_values<const N: usize>(
        &self,
        name: &ServerString,
        fields: [&str; N],
    ) -> Result<[Option<ServerString>; N]> {
        let key = self.open(name);
        match key.kind() as isize {
            raw::REDISMODULE_KEYTYPE_EMPTY => Ok([const { None }; N]),
            raw::REDISMODULE_KEYTYPE_HASH => {
                Ok(fields.map(|field| key.field(&ServerString::new(field.as_bytes()))))
            }
            _ => Err(Error::WrongType),
        }
    }

    /// Sets fields of a hash: `HSET name field value ...`, and `PEXPIREAT name millis` or
    /// `PERSIST name`.
    pub fn set_integer_fields<const N: usize>(
        &self,
        name: &ServerString,
        fields: [(&str, i64); N],
        expiry: Expiry,
    ) -> Result<()> {
        static MISSING: OnceLock<Option<&CStr>> = OnceLock::new();
        self.check_commands(&MISSING, &[c"HSET", c"PEXPIREAT"])?;
        if expiry == Expiry::Never {
            static NO_PERSIST: OnceLock<Option<&CStr>> = OnceLock::new();
            self.check_commands(&NO_PERSIST, &[c"PERSIST"])?;
        }
        let fields = fields.map(|(field, value)| {
            let value = decimal::format_signed(value, &mut [0; MAX_DIGITS]).to_vec();
            [field.as_bytes(), &value].map(ServerString::new)
        });
        let mut arguments = vec![name];
        arguments.extend(fields.as_flattened());
        self.write(c"HSET", &arguments)?;
        match expiry {
            Expiry::At(millis) => {
                self.write(c"PEXPIREAT", &[name, &ServerString::of_number(millis)])
            }
            Expiry::Never => self.write(c"PERSIST", &[name]),
            Expiry::Keep => Ok(()),
        }
    }
}
