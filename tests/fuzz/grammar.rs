//! Calls as the specs of the commands describe them: a new command is called without a word here.

use keyns::FAMILIES;
use keyns::server::Family;
use keyns::server::spec::{Argument, Kind, Spec, Which};
use keyns_testkit::Random;

use crate::call::Call;
use crate::pool::Pool;
use crate::values;

/// The commands that are sent: all but the one that is there to panic.
pub fn commands() -> Vec<&'static Spec> {
    let specs = FAMILIES
        .iter()
        .flat_map(|family| family.commands)
        .map(|command| &command.spec);
    specs.filter(|spec| spec.name != c"KEYNS.PANIC").collect()
}

/// A call of a command in which every word stands where it may.
pub fn call(spec: &Spec, random: &mut Random, pool: &Pool) -> Call {
    let mut words = vec![spec.name.to_bytes().to_vec()];
    for argument in spec.arguments() {
        if !argument.optional || random.once_in(3) {
            write(&argument, spec.family, &mut words, random, pool);
        }
        // Mostly as many as there are, so that the call is not wrong for that alone.
        let is_counted = spec
            .keys
            .is_some_and(|keys| matches!(keys.which, Which::Counted));
        if is_counted && matches!(argument.kind, Kind::Key) && !random.once_in(8) {
            let count = words.len() - 2;
            words[1] = count.to_string().into_bytes();
        }
    }
    Call { words }
}

fn write(
    argument: &Argument,
    family: &Family,
    words: &mut Vec<Vec<u8>>,
    random: &mut Random,
    pool: &Pool,
) {
    let times = if argument.multiple && random.once_in(2) {
        1 + random.below(3)
    } else {
        1
    };
    for time in 0..times {
        if let Some(token) = argument.token
            && (time == 0 || argument.multiple_token)
        {
            words.push(token.as_bytes().to_vec());
        }
        match argument.kind {
            Kind::Token => {}
            Kind::OneOf(choices) => {
                let choices: Vec<Argument> = choices.iter().collect();
                write(random.pick(&choices), family, words, random, pool);
            }
            Kind::Block(arguments) => {
                for argument in arguments.iter() {
                    write(&argument, family, words, random, pool);
                }
            }
            Kind::Text | Kind::Integer | Kind::Key => {
                words.push(values::value(argument, family, random, pool));
            }
        }
    }
}

/// Any keyword of any command.
pub fn tokens() -> Vec<Vec<u8>> {
    fn collect(argument: &Argument, tokens: &mut Vec<Vec<u8>>) {
        tokens.extend(argument.token.map(|token| token.as_bytes().to_vec()));
        if let Kind::OneOf(inner) | Kind::Block(inner) = argument.kind {
            inner.iter().for_each(|inner| collect(&inner, tokens));
        }
    }
    let mut tokens = Vec::new();
    for spec in commands() {
        for argument in spec.arguments() {
            collect(&argument, &mut tokens);
        }
    }
    tokens.sort();
    tokens.dedup();
    tokens
}
