//! What the module says of its commands.

use keyns::commands::ALL;
use keyns::server::spec::Spec;

/// The specs of all commands but the one for tests.
pub fn specs() -> impl Iterator<Item = &'static Spec> {
    let specs = ALL.iter().map(|command| &command.spec);
    specs.filter(|spec| spec.name != c"KEYNS.PANIC")
}
