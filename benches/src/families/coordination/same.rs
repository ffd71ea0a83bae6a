//! Whether a script does what the command does.

use keyns_testkit::{Client, Content, Keyspace, Value, keyspace};

use super::case::{Calls, Case, Keys, Template};
use super::cases::lua_count;
use super::scripts::Scripts;

/// Years that have a leap day and years that have none, the ends of months, and the first and the
/// last moment with a bucket.
const MOMENTS: [i64; 9] = [
    0,
    951_782_399,
    951_782_400,
    951_868_800,
    1_709_251_199,
    1_735_689_599,
    1_735_689_600,
    4_107_542_400,
    253_402_300_799,
];

/// Runs everything that is measured a few times, by the command and by the script.
pub fn check(client: &mut Client, scripts: &Scripts, cases: &[Case]) {
    for case in cases {
        if let Some(lua) = &case.lua {
            check_calls(client, case.name, &case.own, lua);
        }
    }
    for moment in MOMENTS {
        let at = moment.to_string();
        let grains = ["YEAR", "MONTH", "DAY", "HOUR", "MINUTE"];
        let own = format!("KEYNS.COUNT KEY GRAIN {} AT {at}", grains.join(" GRAIN "));
        let lua = lua_count(scripts, &grains, Some(&at));
        let case = Case::new("KEYNS.COUNT", Keys::One, &own).lua(&lua);
        if let Some(lua) = &case.lua {
            check_calls(client, &at, &case.own, lua);
        }
    }
}

fn check_calls(client: &mut Client, name: &str, own: &Calls, lua: &Calls) {
    let [own, lua] = [own, lua].map(|calls| results(client, calls));
    assert_eq!(own.0.len(), lua.0.len(), "{name}");
    for (own, lua) in own.0.iter().zip(&lua.0) {
        let are_same = own == lua || (is_token(own) && is_token(lua));
        assert!(are_same, "{name}: {own:?}, in Lua {lua:?}");
    }
    assert_eq!(own.1, lua.1, "{name}");
    for (own, lua) in own.2.iter().zip(&lua.2) {
        assert!(
            own.abs_diff(*lua) < 1000,
            "{name}: expires at {own}, in Lua {lua}"
        );
    }
}

/// Times in microseconds: of two calls they differ.
fn is_token(reply: &Value) -> bool {
    matches!(reply, Value::Integer(number) if *number > 1_000_000_000_000_000)
}

/// The replies to some calls, and all keys and their expiries after that.
fn results(client: &mut Client, calls: &Calls) -> (Vec<Value>, Keyspace, Vec<i64>) {
    client.call(&["SELECT", &calls.database.to_string()]);
    client.run("FLUSHDB SYNC");
    let mut replies = Vec::new();
    let mut call = |template: &Template, key, rising| {
        replies.push(client.call(&template.command(key, rising)));
    };
    for key in 0..3 {
        if let Some(filler) = &calls.filler {
            call(filler, key, 1);
        }
        for rising in [5, 7, 6] {
            for template in &calls.commands {
                call(template, key, rising);
            }
        }
    }
    let mut keys = keyspace(client);
    let expiries = keys.keys().map(|key| vec!["PEXPIRETIME", key]);
    let expiries = client.pipeline(&expiries.collect::<Vec<_>>());
    for content in keys.values_mut() {
        if let Content::Hash(fields) = content {
            let updated_at = fields.remove("updated_at");
            assert!(updated_at.is_some_and(|at| at.len() == 13));
        }
    }
    client.run("FLUSHDB SYNC");
    (replies, keys, expiries.iter().map(Value::integer).collect())
}
