//! Many workers with the same events in different orders: each is processed once, no stream goes
//! back, and no count is lost.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::thread;

use keyns_testkit::{Client, Options, Random, Server, Value, aof_commands};

const WORKERS: u64 = 8;
const EVENTS: u64 = 50_000;
const STREAMS: u64 = 50;
const PIPELINE: usize = 250;

#[test]
fn every_event_is_processed_once_and_no_revision_comes_late() {
    let server = Options::new()
        .set("--appendonly", &["yes"])
        .set("--auto-aof-rewrite-percentage", &["0"])
        .start();
    let workers = at_once(&server, replay);
    let mut processed: Vec<u64> = workers.iter().flat_map(|w| w.processed.clone()).collect();
    processed.sort_unstable();
    assert!(processed.iter().copied().eq(0..EVENTS), "once each");
    let busy = workers.iter().filter(|w| w.processed.len() > 100);
    assert!(
        busy.count() > 1,
        "one worker alone: the test proves nothing"
    );

    let mut accepted: Vec<(u64, i64)> = workers.into_iter().flat_map(|w| w.accepted).collect();
    let mut effects = Effects::read(&aof_commands(&server));
    assert_eq!(effects.events.len() as u64, EVENTS);
    let mut client = server.client();
    for (stream, revisions) in &effects.streams {
        assert!(
            revisions.is_sorted_by(|one, next| one < next),
            "{revisions:?}"
        );
        let last = client.run(&format!("GET stream:{stream}"));
        assert_eq!(last.text(), LAST_REVISION.to_string());
        assert_eq!(revisions.last(), Some(&LAST_REVISION));
    }
    assert_eq!(effects.streams.len() as u64, STREAMS);
    // Each was accepted once, by the one that was told so.
    accepted.sort_unstable();
    let by_stream = effects.streams.iter_mut();
    let stored = by_stream.flat_map(|(stream, revisions)| {
        let stream = *stream;
        revisions.drain(..).map(move |revision| (stream, revision))
    });
    assert!(stored.eq(accepted));
}

const LAST_REVISION: i64 = (EVENTS / STREAMS) as i64;

/// The stream of an event, and its revision there.
fn place(event: u64) -> (u64, i64) {
    (event % STREAMS, (event / STREAMS) as i64 + 1)
}

/// What a worker was told.
#[derive(Default)]
struct Worker {
    processed: Vec<u64>,
    /// Streams and revisions.
    accepted: Vec<(u64, i64)>,
}

/// Goes through all events, and through a tenth of them again.
fn replay(mut client: Client, number: u64) -> Worker {
    let mut random = Random::seeded(number);
    let mut events: Vec<u64> = (0..EVENTS).collect();
    match number % 2 {
        0 => random.shuffle(&mut events),
        // Nearly as they came, so that workers meet at the same events.
        _ => events.chunks_mut(500).for_each(|part| random.shuffle(part)),
    }
    for place in (0..events.len()).rev().step_by(10) {
        let again = *random.pick(&events[place..events.len().min(place + 5000)]);
        events.insert(place, again);
    }
    let mut worker = Worker::default();
    // What it knows of each stream.
    let mut known: HashMap<u64, i64> = HashMap::new();
    for events in events.chunks(PIPELINE) {
        let calls: Vec<Vec<String>> = events.iter().flat_map(|&event| calls(event)).collect();
        let replies = client.pipeline(&calls);
        for (&event, replies) in events.iter().zip(replies.chunks(2)) {
            match &replies[0] {
                Value::Integer(1) => worker.processed.push(event),
                other => assert_eq!(*other, Value::Integer(0)),
            }
            let (stream, revision) = place(event);
            let known = known.entry(stream).or_insert(0);
            let [accepted, stored] = replies[1].array() else {
                panic!("{replies:?}");
            };
            let stored = stored.integer();
            match accepted.integer() {
                1 => {
                    assert_eq!(stored, revision);
                    assert!(stored > *known, "{stream}: {stored} after {known}");
                    worker.accepted.push((stream, revision));
                }
                _ => {
                    assert!(stored >= revision, "{stream}: {revision}, {stored}");
                    assert!(stored >= *known, "{stream}: {stored} after {known}");
                }
            }
            *known = stored;
        }
    }
    worker
}

fn calls(event: u64) -> [Vec<String>; 2] {
    let (stream, revision) = place(event);
    let seen = vec!["KEYNS.SEEN".into(), format!("event:{event}")];
    let advance = vec![
        "KEYNS.ADVANCE".into(),
        format!("stream:{stream}"),
        revision.to_string(),
    ];
    [seen, advance]
}

/// What the server did, in its order.
#[derive(Default)]
struct Effects {
    events: HashSet<String>,
    streams: BTreeMap<u64, Vec<i64>>,
}

impl Effects {
    #[track_caller]
    fn read(commands: &[Vec<Vec<u8>>]) -> Effects {
        let mut effects = Effects::default();
        for command in commands {
            let words: Vec<&str> = command
                .iter()
                .map(|word| std::str::from_utf8(word).expect("no other bytes were sent"))
                .collect();
            match words[..] {
                ["SET", key, value, "PXAT", _] => match key.split_once(':') {
                    Some(("event", _)) => {
                        assert_eq!(value, "1");
                        assert!(effects.events.insert(key.into()), "{key} twice");
                    }
                    Some(("stream", stream)) => {
                        let stream = effects.streams.entry(stream.parse().unwrap());
                        stream.or_default().push(value.parse().unwrap());
                    }
                    _ => panic!("{words:?}"),
                },
                ["SELECT", _] => {}
                _ => panic!("an effect of nobody: {words:?}"),
            }
        }
        effects
    }
}

/// Has every worker do the same at the same time.
fn at_once<T: Send>(server: &Server, work: impl Fn(Client, u64) -> T + Sync) -> Vec<T> {
    let work = &work;
    thread::scope(|scope| {
        let workers: Vec<_> = (1..=WORKERS)
            .map(|number| {
                let client = server.client();
                scope.spawn(move || work(client, number))
            })
            .collect();
        workers.into_iter().map(|w| w.join().unwrap()).collect()
    })
}

const COUNTS_EACH: usize = 2500;

#[test]
fn every_count_has_a_number_of_its_own() {
    let server = Server::start();
    let workers = at_once(&server, |mut client, _| {
        let count = vec!["KEYNS.COUNT", "hits", "GRAIN", "YEAR", "AT", "0"];
        let pipeline = vec![count; PIPELINE];
        let rounds = (0..COUNTS_EACH / PIPELINE).map(|_| client.pipeline(&pipeline));
        let counts = rounds.flatten().map(|reply| reply.array()[0].integer());
        let counts: Vec<i64> = counts.collect();
        assert!(counts.is_sorted());
        counts
    });
    let mut counts: Vec<i64> = workers.into_iter().flatten().collect();
    counts.sort_unstable();
    assert!(
        counts
            .into_iter()
            .eq(1..=(WORKERS as usize * COUNTS_EACH) as i64)
    );
}

/// 2023-12-29T00:00:00Z, and the seconds of the six days from there, which end in the next year.
const START: i64 = 1_703_808_000;
const SPAN: i64 = 6 * 86_400;
const NEW_YEAR: i64 = START + 3 * 86_400;

#[test]
fn counts_of_many_workers_are_exact_in_every_grain() {
    let server = Server::start();
    let workers = at_once(&server, |mut client, number| {
        let mut random = Random::seeded(number);
        // Some minutes are everybody's.
        let mut moment = || match random.once_in(2) {
            true => (
                NEW_YEAR + random.between(-120, 120),
                random.between(-50, 100),
            ),
            false => (
                START + random.between(0, SPAN - 1),
                random.between(-50, 100),
            ),
        };
        let counted: Vec<(i64, i64)> = (0..COUNTS_EACH).map(|_| moment()).collect();
        for part in counted.chunks(PIPELINE) {
            let call = |&(at, by): &(i64, i64)| {
                let call = format!(
                    "KEYNS.COUNT hits GRAIN MINUTE BY {by} GRAIN HOUR GRAIN DAY GRAIN MONTH \
                     AT {at} GRAIN YEAR"
                );
                call.split(' ').map(str::to_owned).collect()
            };
            let calls: Vec<Vec<String>> = part.iter().map(call).collect();
            for reply in client.pipeline(&calls) {
                assert_eq!(reply.array().len(), 5, "{reply:?}");
            }
        }
        counted
    });
    let counted: Vec<(i64, i64)> = workers.into_iter().flatten().collect();
    let total: i64 = counted.iter().map(|(_, by)| by).sum();
    let mut client = server.client();
    for (grain, seconds) in [
        ("MINUTE", 60),
        ("HOUR", 3600),
        ("DAY", 86_400),
        // What there is of them here.
        ("MONTH", SPAN / 2),
        ("YEAR", SPAN / 2),
    ] {
        let mut expected = vec![0; (SPAN / seconds) as usize];
        for (at, by) in &counted {
            expected[((at - START) / seconds) as usize] += by;
        }
        let last = START + SPAN - 1;
        let range = client.run(&format!(
            "KEYNS.COUNT.RANGE hits GRAIN {grain} {START} {last}"
        ));
        let range = range.fields();
        assert_eq!(range["total"].integer(), total, "{grain}");
        let buckets = range["buckets"].array().iter();
        let found: Vec<i64> = buckets.map(|b| b.array()[1].integer()).collect();
        assert_eq!(found, expected, "{grain}");
    }
}
