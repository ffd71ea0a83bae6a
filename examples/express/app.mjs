// An API with limits for each user and each address, and a log-in form that
// punishes guessing.

import { createHash } from "node:crypto";
import express from "express";
import { createClient } from "redis";
import {
  call,
  isMistake,
  network,
  rate,
  rateLimits,
  seconds,
  within,
} from "./limits.mjs";

// A real application reads these from its database.
const TOKENS = new Map([["token-of-ada", "ada"], ["token-of-bob", "bob"]]);
const PASSWORDS = new Map([["ada", "correct horse"]]);

const USER = ["SLIDING", 5, "1m"];
const ADDRESS = ["SLIDING", 12, "1m"];
const LOGINS_OF_ADDRESS = ["SLIDING", 5, "15m"];
const LOGINS_OF_ACCOUNT = ["SLIDING", 20, "1h"];

const redis = createClient({
  url: process.env.REDIS_URL ?? "redis://127.0.0.1:6379",
  disableOfflineQueue: true, // without a connection, calls fail at once
  commandsQueueMaxLength: 1000, // while Redis hangs, only so many wait
});
redis.on("error", (error) => console.error("no Redis:", error.message));
// If Redis is not there yet, the client goes on trying.
await within(1000, redis.connect()).catch((error) => console.error(error.message));

// What a request counts on: its address and, if it is logged in, its user.
function limitsOf(request) {
  const limits = {};
  const token = request.get("Authorization")?.replace(/^Bearer /, "");
  const user = TOKENS.get(token);
  if (user) limits[`rate:user:${user}`] = USER;
  limits[`rate:ip:${network(request.ip)}`] = ADDRESS;
  return limits;
}

// Counts every attempt before it looks at the password, so that guessing in
// parallel gains nothing, and gives back the attempt that succeeds.
async function logIn(request, response, next) {
  const [name, password] = String(request.body).split(/:(.*)/s);
  const address = `rate:login:${network(request.ip)}`;
  // Visitors choose the name, so the key has a digest of it.
  const digest = createHash("sha256").update(name).digest("hex").slice(0, 16);
  const limits = {
    [address]: LOGINS_OF_ADDRESS,
    [`rate:account:${digest}`]: LOGINS_OF_ACCOUNT,
  };
  try {
    const verdict = await rate(redis, limits);
    if (!verdict.allowed) {
      // The penalty: this address has to wait an hour. With -1 the hour runs
      // already, and would start again. An account is never blocked, or anybody
      // could lock its owner out.
      if (verdict.key === 0 && verdict.binding >= 0) {
        const ms = await call(redis, "KEYNS.RATE.BLOCK", address, "1h");
        const wait = seconds(ms);
        verdict.headers["Retry-After"] = wait;
        const reset = verdict.headers["RateLimit-Reset"];
        verdict.headers["RateLimit-Reset"] = Math.max(reset, wait);
      }
      response.set(verdict.headers);
      return response.status(429).type("text").send("Too many attempts.\n");
    }
    if (!PASSWORDS.has(name) || PASSWORDS.get(name) !== password) {
      return response.status(401).type("text").send("Wrong name or password.\n");
    }
    for (const [key, clauses] of Object.entries(limits)) {
      await call(redis, "KEYNS.RATE.REFUND", key, ...clauses, "COST", 1);
    }
  } catch (error) {
    if (isMistake(error)) return next(error);
    // Without Redis nobody logs in: passwords could be guessed without limit.
    response.set("Retry-After", "5");
    return response.status(503).type("text").send("Try again later.\n");
  }
  response.type("text").send(`Welcome, ${name}.\n`);
}

// Behind a proxy, `request.ip` is the proxy's address, and the first penalty would
// keep everybody from logging in. Then set "trust proxy" to your proxies.
const app = express();
app.use(rateLimits(redis, limitsOf));
app.get("/", (request, response) => response.type("text").send("Hello.\n"));
app.post("/login", express.text({ type: () => true }), logIn);

const server = app.listen(Number(process.env.PORT ?? 8000), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${server.address().port}/`);
});
