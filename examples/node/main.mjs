// What KEYNS does, from Node.js with node-redis.

import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient, ErrorReply } from "redis";

const RUN = randomBytes(4).toString("hex");
// All keys of a run are below a scope of its own, whose braces keep it in one slot of a cluster.
const SCOPE = `{example_${RUN}}`;
// Only this one is wanted by all runs, in whatever language.
const LOCK = "lock:example:report";
const MARKDOWN = "# Risk\n\nMeasure it first.\n\n## Methods\n\n- History\n- Simulation\n";

const client = createClient({
  url: process.env.REDIS_URL ?? "redis://127.0.0.1:6379",
  // A program like this one gives up at once. A service leaves the line out, and waits.
  socket: { reconnectStrategy: (_, error) => error ?? new Error("no connection") },
});

// All arguments are strings.
const call = (on, ...words) => on.sendCommand(words.map(String));
const say = (text) => console.log(text.replaceAll(`${SCOPE}:`, ""));

// A map is an object under RESP3, and a flat array under RESP2.
function fields(reply) {
  if (!Array.isArray(reply)) return reply;
  const pairs = reply.flatMap((name, at) => (at % 2 === 0 ? [[name, reply[at + 1]]] : []));
  return Object.fromEntries(pairs);
}

async function naming(r) {
  say("== Naming");
  const title = "5 Strategies for Risk Management";
  say(`${title}: ${await call(r, "KEYNS.SLUG", title, "LANG", "en", "SHORTEN", "WORD")}`);
  // However many ask at once, no name is given twice.
  for (let i = 0; i < 2; i++) {
    say(`Über uns: ${await call(r, "KEYNS.MAKE", `${SCOPE}:page`, "Über uns")}`);
  }
}

async function document(r) {
  say("== Document");
  const prefix = `${SCOPE}:doc`;
  const reply = await call(r, "KEYNS.INGESTMD", prefix, MARKDOWN, "TITLE", "Risk Handbook");
  const { doc, chunks, keys } = fields(reply);
  say(`${doc}: ${chunks} chunks, ${keys} keys`);
  say((await call(r, "KEYNS.TREE", doc, "FORMAT", "TEXT")).trimEnd());
  const [chapter] = await call(r, "KEYNS.NAV", doc, "CHILDREN");
  const chunk = await call(r, "KEYNS.NAV", chapter, "NEXT");
  say(`after ${chapter} comes ${chunk}: ${(await r.hGet(chunk, "text")).trimEnd()}`);
  const exported = await call(r, "KEYNS.EXPORTMD", doc);
  say(`exported as it was: ${exported === MARKDOWN ? "yes" : "no"}`);
  say(`dropped: ${await call(r, "KEYNS.DROP", doc)} keys`);
}

async function rateLimit(r) {
  say("== Rate limit");
  // Two at once, and one more every half second.
  const request = () => call(r, "KEYNS.RATE", `${SCOPE}:rate:api`, "BUCKET", 2, 2, "1s");
  // What is sent in one go travels together.
  const replies = await Promise.all([request(), request(), request()]);
  replies.forEach(([allowed, , left], index) => {
    say(`request ${index + 1}: ${allowed ? `allowed, ${left} left` : "refused"}`);
  });
  let [allowed, , , retryAfterMs] = replies[2];
  while (!allowed) {
    await sleep(retryAfterMs);
    [allowed, , , retryAfterMs] = await request();
  }
  say("request 3, after the wait it was told: allowed");
}

async function namespace(r) {
  say("== Namespace");
  const name = `session_${RUN}`;
  const pattern = `${SCOPE}:session:<sid:hex>`;
  await call(r, "KEYNS.NS.SET", name, "PATTERN", pattern, "TTL", 1800, "TYPE", "hash");
  try {
    const [key, ttl] = await call(r, "KEYNS.KEY", name, "5f3a", "WITHTTL");
    say(`${key} lives for ${ttl} seconds`);
    try {
      await call(r, "KEYNS.KEY", name, "Ada");
    } catch (error) {
      if (!(error instanceof ErrorReply)) throw error;
      say(`no key: ${error.message.replace(/^ERR /, "")}`);
    }
    await r.hSet(key, "user", "ada");
    await check(r, key, `${SCOPE}:session:5F3A`);
    await r.expire(key, ttl);
    await check(r, key);
  } finally {
    await call(r, "KEYNS.NS.DEL", name);
  }
}

async function check(r, ...keys) {
  const replies = await call(r, "KEYNS.CHECK", ...keys);
  replies.map(fields).forEach(({ valid, problems, suggestion }, index) => {
    const verdict = valid ? "valid" : problems.join(" ");
    say(`${keys[index]}: ${verdict}${suggestion ? `, did you mean ${suggestion}?` : ""}`);
  });
}

async function lock(ada, bob) {
  say("== Lock");
  // An owner is a name that nobody else has.
  const first = await take(ada, `ada-${RUN}`);
  say("ada holds the lock");
  const refused = (await call(bob, "KEYNS.LOCK", LOCK, `bob-${RUN}`, "PX", 10000)) === null;
  say(`bob ${refused ? "does not get it" : "gets it too"}`);
  await call(ada, "KEYNS.UNLOCK", LOCK, `ada-${RUN}`);
  const second = await take(bob, `bob-${RUN}`);
  say(`bob holds it, with a ${second > first ? "greater" : "smaller"} token`);
  await report(bob, "bob", second);
  await call(bob, "KEYNS.UNLOCK", LOCK, `bob-${RUN}`);
  // As if ada had been paused all the time and did not know that bob has been there.
  await report(ada, "ada", first);
}

// Waits for the lock, and gives its fencing token. Who dies loses it after ten seconds.
async function take(client, owner) {
  for (;;) {
    const token = await call(client, "KEYNS.LOCK", LOCK, owner, "PX", 10000);
    if (token !== null) return token;
    await sleep(10 + 40 * Math.random());
  }
}

// Writes, unless somebody has written with a greater token.
async function report(client, writer, token) {
  const [written] = await call(client, "KEYNS.ADVANCE", `${SCOPE}:report:token`, token);
  say(`report of ${writer}: ${written ? "written" : "refused, it is late"}`);
}

async function cleanUp(r) {
  // One key at a time in version 4, some at a time since version 5.
  for await (const keys of r.scanIterator({ MATCH: `${SCOPE}:*`, COUNT: 1000 })) {
    if (keys.length > 0) await r.unlink(keys);
  }
}

const other = client.duplicate();
// Without a listener an error ends the process. The call that meets it fails as well.
for (const each of [client, other]) each.on("error", () => {});
try {
  await client.connect();
  await other.connect();
  try {
    await naming(client);
    await document(client);
    await rateLimit(client);
    await namespace(client);
    await lock(client, other);
  } finally {
    await cleanUp(client);
  }
} catch (error) {
  const who = error instanceof ErrorReply ? "Redis says" : "Redis cannot be reached";
  console.error(`${who}: ${error.message}`);
  process.exitCode = 1;
} finally {
  for (const each of [client, other]) if (each.isReady) await each.quit();
}
