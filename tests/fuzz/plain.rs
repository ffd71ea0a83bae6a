//! The server's own commands, which put other data, other types and damage where our commands
//! look, and change the settings under them.

use keyns_testkit::Random;

use crate::call::Call;
use crate::hostile;
use crate::pool::Pool;
use crate::step::USERS;
use crate::values;

/// `K` is a key, `V` a value, `B` a few bytes, `N` a number, `S` a small one, `F` a field,
/// `C` a key of the module's book-keeping, `R` one of a rate limit.
const DATA: [&str; 56] = [
    "SET K V",
    "SET K N",
    "SET K V PX 1",
    "SET K V EX S",
    "SET C N",
    "HSET C F N",
    "DEL C",
    "SETRANGE R S B",
    "SETRANGE R S B",
    "COPY R R REPLACE",
    "GETSET K V",
    "APPEND K V",
    "SETRANGE K S V",
    "SETRANGE K S B",
    "SETRANGE K S B",
    "SETBIT K S 1",
    // Cuts a string off.
    "EVAL return(redis.call('SET',KEYS[1],redis.call('GETRANGE',KEYS[1],0,ARGV[1]),'KEEPTTL')) 1 K S",
    "SET K B",
    "INCRBY K N",
    "HSET K F V",
    "HSET K F N",
    "HSET K F K",
    "HDEL K F",
    "HINCRBY K F N",
    "HPEXPIRE K S FIELDS 1 F",
    "LPUSH K V",
    "RPOP K",
    "SADD K V",
    "SADD K K K",
    "SREM K K",
    "SMOVE K K K",
    "ZADD K N V",
    "ZADD K S K",
    "ZADD K inf K",
    "ZREM K K",
    "ZPOPMIN K",
    "XADD K * F V",
    "PFADD K V",
    "DEL K",
    "DEL K",
    "UNLINK K K",
    "EXPIRE K S",
    "PEXPIRE K 1",
    "PEXPIREAT K N",
    "PERSIST K",
    "RENAME K K",
    "RENAMENX K K",
    "COPY K K REPLACE",
    "COPY K K DB 1",
    "MOVE K 1",
    "SORT K BY nosort ALPHA STORE K",
    "SUNIONSTORE K K K",
    "ZUNIONSTORE K 2 K K",
    "SWAPDB 0 1",
    "BITOP NOT K K",
    "GETDEL K",
];

const FIELDS: [&str; 25] = [
    "type",
    "title",
    "doc",
    "parent",
    "position",
    "offset",
    "length",
    "text",
    "tail",
    "header",
    "path",
    "level",
    "block",
    "tags",
    "author",
    "category",
    "bytes",
    "source",
    "_sets",
    "_siblings",
    "intro",
    "risk_management",
    "updated_at",
    "moves",
    "meta.x",
];

/// A command about data.
pub fn data(random: &mut Random, pool: &Pool) -> Call {
    if random.once_in(400) {
        return Call::line("FLUSHDB");
    }
    let line = random.pick(&DATA);
    let words = line.split(' ').map(|word| match word {
        "K" => pool.key(random),
        "C" => pool.book_keeping(random),
        "R" => pool.home(&keyns::families::rate::FAMILY, random),
        "V" if random.once_in(3) => hostile::value(random),
        "V" => values::text(random),
        "B" => {
            let length = 1 + random.below(8);
            random.bytes(length)
        }
        "N" if random.once_in(2) => random.between(-3, 60).to_string().into(),
        "N" => hostile::number(random).into(),
        "S" => random.between(0, 20).to_string().into(),
        "F" => random.pick(&FIELDS).as_bytes().to_vec(),
        word => word.as_bytes().to_vec(),
    });
    Call {
        words: words.collect(),
    }
}

const SETTINGS: [&str; 41] = [
    "keyns.parse-thread-bytes 0",
    "keyns.parse-thread-bytes 0",
    "keyns.parse-thread-bytes 0",
    "keyns.parse-thread-bytes 100",
    "keyns.parse-thread-bytes 262144",
    "keyns.lang en",
    "keyns.lang de",
    "keyns.abbreviations {\"API\":\"interface\",\"KI\":\"artificial\"}",
    "keyns.abbreviations {}",
    "keyns.kinds doc ch user",
    "keyns.kinds doc",
    "keyns.max-text-bytes 64",
    "keyns.max-text-bytes 1048576",
    "keyns.max-skips 1",
    "keyns.max-skips 1000000",
    "keyns.max-document-bytes 1024",
    "keyns.max-document-bytes 8388608",
    "keyns.max-elements 3",
    "keyns.max-elements 100000",
    "keyns.max-siblings 1",
    "keyns.max-siblings 256",
    "keyns.max-sliding 2",
    "keyns.max-sliding 1000000",
    "keyns.max-document-bytes 536870912",
    "keyns.max-siblings 10000",
    "keyns.max-write-bytes 65536",
    "keyns.max-write-bytes 402653184",
    "keyns.max-sliding 10000",
    "keyns.max-namespaces 2",
    "keyns.max-namespaces 10000",
    "keyns.max-key-bytes 64",
    "keyns.max-key-bytes 1024",
    "keyns.namespaces /dev/null",
    "maxmemory 1",
    "maxmemory 0",
    "min-replicas-to-write 3",
    "min-replicas-to-write 0",
    "notify-keyspace-events KEA",
    "hash-max-listpack-entries 0",
    "set-max-intset-entries 0",
    "list-max-listpack-size 1",
];

/// What happens to clients while they wait.
const EVENTS: [&str; 4] = [
    "CLIENT PAUSE 5 WRITE",
    "ACL SETUSER user0 resetkeys",
    "ACL SETUSER user0 -@write",
    "ACL SETUSER user1 resetkeys %R~*",
];

/// A change of the settings, some of which last for a few calls only.
pub fn setting(random: &mut Random) -> Call {
    if random.once_in(5) {
        return Call::line(random.pick::<&str>(&EVENTS));
    }
    let (name, value) = random.pick(&SETTINGS).split_once(' ').expect("two words");
    if name.starts_with("keyns.") && random.once_in(6) {
        return Call::new(&["CONFIG", "SET", name, hostile::number(random)]);
    }
    Call::new(&["CONFIG", "SET", name, value])
}

/// What takes back the settings that keep calls from being accepted.
pub fn ease() -> Vec<Call> {
    let lines = [
        "CLIENT UNPAUSE",
        "CONFIG SET maxmemory 0",
        "CONFIG SET min-replicas-to-write 0",
    ];
    let users = USERS.iter().enumerate().map(|(index, rules)| {
        Call::line(&format!("ACL SETUSER user{index} reset on nopass {rules}"))
    });
    lines
        .iter()
        .map(|line| Call::line(line))
        .chain(users)
        .collect()
}
