// Rate limits for Express.

import { isIP } from "node:net";
import { ErrorReply } from "redis";

// Rounded up, so that no client comes back too early.
export const seconds = (ms) => Math.ceil(ms / 1000);

// A server that hangs must not make every request hang.
export function within(ms, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(reject, ms, new Error(`no answer within ${ms} ms`));
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

// Sends a command; node-redis wants all arguments as strings.
export const call = (redis, ...words) =>
  within(1000, redis.sendCommand(words.map(String)));

// Replies of a server that cannot count now: it is full, a replica, unable to save,
// without its cluster or master or replicas, loading, or busy with a script.
const OUTAGES = new Set([
  "OOM",
  "READONLY",
  "MISCONF",
  "CLUSTERDOWN",
  "MASTERDOWN",
  "NOREPLICAS",
  "TRYAGAIN",
  "LOADING",
  "BUSY",
]);

// Any other error reply means that the call is wrong, and an error that is no reply
// that Redis cannot be reached.
export const isMistake = (error) =>
  error instanceof ErrorReply && !OUTAGES.has(error.message.split(" ", 1)[0]);

// Counts one request on every key of `limits`, or on none of them.
export async function rate(redis, limits) {
  const keys = Object.keys(limits);
  const lists = Object.values(limits).flatMap((clauses, index) =>
    index === 0 ? clauses : ["AND", ...clauses],
  );
  const reply = await call(redis, "KEYNS.RATE.ALL", keys.length, ...keys, ...lists);
  const [key, allowed, limit, remaining, retryAfter, resetAfter, binding] = reply;
  const headers = {
    "RateLimit-Limit": limit,
    "RateLimit-Remaining": remaining,
    "RateLimit-Reset": seconds(resetAfter),
  };
  if (!allowed) headers["Retry-After"] = seconds(retryAfter);
  // `key` is the index of the key that this is about, and `binding` that of the
  // limit: -1 if the key is blocked.
  return { key, allowed: allowed === 1, binding, headers };
}

// An IPv4 address, or the first 64 bits of an IPv6 address: most users of IPv6
// can choose the other 64 freely.
export function network(address = "") {
  const mapped = address.replace(/^::ffff:(?=\d+\.)/, "");
  if (isIP(mapped) === 4) return mapped;
  if (isIP(mapped) !== 6) return "unknown";
  const [head, tail] = mapped.split("%")[0].split("::");
  const groups = head === "" ? [] : head.split(":");
  if (tail !== undefined) {
    const rest = tail === "" ? [] : tail.split(":");
    while (groups.length + rest.length < 8) groups.push("0");
    groups.push(...rest);
  }
  return groups.slice(0, 4).map((group) => group.padStart(4, "0")).join("_");
}

// Middleware. `limitsOf` takes a request and returns its limits: a key and a list
// of clauses for each thing that the request counts on.
//
// Without Redis, requests pass: an API without limits is better than no API.
export function rateLimits(redis, limitsOf) {
  return async (request, response, next) => {
    let verdict;
    try {
      verdict = await rate(redis, limitsOf(request));
    } catch (error) {
      if (isMistake(error)) return next(error);
      console.error("no rate limits:", error.message);
      return next();
    }
    response.set(verdict.headers);
    if (verdict.allowed) return next();
    response.status(429).type("text").send("Too many requests.\n");
  };
}
