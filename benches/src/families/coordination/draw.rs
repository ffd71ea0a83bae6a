//! Which keys a load is about, and the commands for them.

use keyns_testkit::Client;

use super::case::{Calls, Case, Keys};
use crate::measure::{CLIENTS, Clients, Dice};

pub struct Draw {
    dice: Dice,
    /// How many keys there are where they are chosen at random.
    random_keys: usize,
    /// The last number that `RISING` was.
    rising: u64,
    /// How many keys have been called once.
    once: usize,
}

impl Draw {
    pub fn of(random_keys: usize) -> Draw {
        Draw {
            dice: Dice::new(),
            random_keys,
            // All have as many digits.
            rising: 1_000_000_000,
            once: 0,
        }
    }

    /// How many keys all loads share.
    pub fn count(&self, keys: Keys) -> usize {
        match keys {
            Keys::One => 1,
            Keys::OnePerClient => CLIENTS,
            Keys::Random => self.random_keys,
            Keys::Once => 0,
        }
    }

    /// The keys of a load of so many commands.
    pub fn keys(&mut self, case: &Case, calls: &Calls, commands: usize) -> Vec<usize> {
        let places = (0..commands).step_by(calls.commands.len());
        places.map(|at| self.key(case.keys, at)).collect()
    }

    /// The key of the command at this place. No two clients have the same random keys.
    fn key(&mut self, keys: Keys, at: usize) -> usize {
        let own = self.random_keys / CLIENTS;
        match keys {
            Keys::One => 0,
            Keys::OnePerClient => Clients::sender(at),
            Keys::Random => Clients::sender(at) + CLIENTS * self.dice.below(own),
            // One and no other comes twice: the factor is odd.
            Keys::Once => {
                self.once += 1;
                self.once.wrapping_mul(0x9E37_79B1) % (1 << 30)
            }
        }
    }

    pub fn commands(&mut self, calls: &Calls, keys: &[usize]) -> Vec<Vec<String>> {
        let mut commands = Vec::with_capacity(keys.len() * calls.commands.len());
        for &key in keys {
            for template in &calls.commands {
                self.rising += 1;
                commands.push(template.command(key, self.rising));
            }
        }
        commands
    }

    /// Makes the keys that all loads of a case share, as they are after a while.
    pub fn fill(&mut self, client: &mut Client, case: &Case, calls: &Calls) {
        if case.lasting == 0 {
            return;
        }
        let all = Vec::from_iter(0..self.count(case.keys));
        if calls.filler.is_some() {
            self.call_filler(client, calls, &all);
        } else {
            // What a key has after its first call may be of another kind than what it has later.
            for _ in 0..2 {
                let commands = self.commands(calls, &all);
                call_all(client, &commands);
            }
        }
    }

    pub fn call_filler(&mut self, client: &mut Client, calls: &Calls, keys: &[usize]) {
        if let Some(filler) = &calls.filler {
            let commands = keys.iter().map(|&key| filler.command(key, self.rising));
            let commands: Vec<_> = commands.collect();
            call_all(client, &commands);
        }
    }
}

fn call_all(client: &mut Client, commands: &[Vec<String>]) {
    for commands in commands.chunks(1000) {
        let replies = client.pipeline(commands);
        assert_eq!(replies.iter().find(|reply| reply.is_error()), None);
    }
}
