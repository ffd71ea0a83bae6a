//! Checks who may change the namespaces, and how far.

use keyns_core::namespaces::{self, Allowance, Error, Registry, Rights};

use super::{MAX_NAMESPACES, node};
use crate::server::spec::Spec;
use crate::server::{self, Call, Result, Rules, ServerString, has_acl_categories};

/// Checks a change of the namespaces by a command of this spec. `check` gets what the caller may do and
/// changes nothing: replicas and the AOF come first.
pub fn check<T>(
    call: &Call,
    spec: &Spec,
    check: impl FnOnce(&Registry, &Allowance) -> namespaces::Result<T>,
) -> Result<T> {
    let registry = node::registry();
    if call.is_replicated() {
        return Ok(check(&registry, &Allowance::UNLIMITED)?);
    }
    let store = call.store();
    let caller = store.caller();
    let allowance = Allowance {
        namespaces: MAX_NAMESPACES.size(),
        rights: rights(caller.rules(), spec),
        any_spelling: false,
    };
    check(&registry, &allowance).map_err(|error| {
        if let Error::NotPermitted { glob, .. } = &error {
            caller.log(&ServerString::new(glob.as_bytes()));
            return server::Error::not_permitted(error);
        }
        error.into()
    })
}

/// The keys for which a user with these rules may define namespaces with a command of this spec.
fn rights(rules: Rules, spec: &Spec) -> Rights {
    match rules {
        Rules::None => Rights::All,
        Rules::Some(rules) => {
            let command = namespaces::Command {
                name: spec.name.to_str().unwrap_or_default(),
                categories: match has_acl_categories() {
                    true => spec.acl_categories.to_str().unwrap_or_default(),
                    false => "",
                },
            };
            Rights::of(&rules, command)
        }
    }
}
