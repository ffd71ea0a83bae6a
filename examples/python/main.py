"""What KEYNS does, from Python with redis-py."""

import os
import random
import secrets
import sys
import time

import redis

URL = os.environ.get("REDIS_URL", "redis://127.0.0.1:6379")
RUN = secrets.token_hex(4)
# All keys of a run are below a scope of its own, whose braces keep it in one slot of a cluster.
SCOPE = f"{{example_{RUN}}}"
# Only this one is wanted by all runs, in whatever language.
LOCK = "lock:example:report"
MARKDOWN = "# Risk\n\nMeasure it first.\n\n## Methods\n\n- History\n- Simulation\n"


def connect():
    return redis.Redis.from_url(URL, decode_responses=True)


def say(text):
    print(text.replace(f"{SCOPE}:", ""))


def fields(reply):
    """A map is a dict under RESP3, and a flat list under RESP2."""
    return reply if isinstance(reply, dict) else dict(zip(reply[::2], reply[1::2]))


def naming(r):
    say("== Naming")
    title = "5 Strategies for Risk Management"
    slug = r.execute_command("KEYNS.SLUG", title, "LANG", "en", "SHORTEN", "WORD")
    say(f"{title}: {slug}")
    # However many ask at once, no name is given twice.
    for _ in range(2):
        name = r.execute_command("KEYNS.MAKE", f"{SCOPE}:page", "Über uns")
        say(f"Über uns: {name}")


def document(r):
    say("== Document")
    reply = r.execute_command("KEYNS.INGESTMD", f"{SCOPE}:doc", MARKDOWN, "TITLE", "Risk Handbook")
    written = fields(reply)
    doc = written["doc"]
    say(f"{doc}: {written['chunks']} chunks, {written['keys']} keys")
    say(r.execute_command("KEYNS.TREE", doc, "FORMAT", "TEXT").rstrip())
    chapter = r.execute_command("KEYNS.NAV", doc, "CHILDREN")[0]
    chunk = r.execute_command("KEYNS.NAV", chapter, "NEXT")
    say(f"after {chapter} comes {chunk}: {r.hget(chunk, 'text').rstrip()}")
    exported = r.execute_command("KEYNS.EXPORTMD", doc)
    say(f"exported as it was: {'yes' if exported == MARKDOWN else 'no'}")
    say(f"dropped: {r.execute_command('KEYNS.DROP', doc)} keys")


def rate_limit(r):
    say("== Rate limit")
    # Two at once, and one more every half second.
    call = ["KEYNS.RATE", f"{SCOPE}:rate:api", "BUCKET", 2, 2, "1s"]
    together = r.pipeline(transaction=False)
    for _ in range(3):
        together.execute_command(*call)
    for number, reply in enumerate(together.execute(), start=1):
        allowed, _, left, retry_after_ms, _, _ = reply
        say(f"request {number}: {f'allowed, {left} left' if allowed else 'refused'}")
    while not allowed:
        time.sleep(retry_after_ms / 1000)
        allowed, _, _, retry_after_ms, _, _ = r.execute_command(*call)
    say("request 3, after the wait it was told: allowed")


def namespace(r):
    say("== Namespace")
    name, pattern = f"session_{RUN}", f"{SCOPE}:session:<sid:hex>"
    r.execute_command("KEYNS.NS.SET", name, "PATTERN", pattern, "TTL", 1800, "TYPE", "hash")
    try:
        key, ttl = r.execute_command("KEYNS.KEY", name, "5f3a", "WITHTTL")
        say(f"{key} lives for {ttl} seconds")
        try:
            r.execute_command("KEYNS.KEY", name, "Ada")
        except redis.ResponseError as error:
            say(f"no key: {error}")
        r.hset(key, "user", "ada")
        check(r, key, f"{SCOPE}:session:5F3A")
        r.expire(key, ttl)
        check(r, key)
    finally:
        r.execute_command("KEYNS.NS.DEL", name)


def check(r, *keys):
    for key, reply in zip(keys, r.execute_command("KEYNS.CHECK", *keys)):
        found = fields(reply)
        verdict = "valid" if found["valid"] else " ".join(found["problems"])
        meant = f", did you mean {found['suggestion']}?" if found["suggestion"] else ""
        say(f"{key}: {verdict}{meant}")


def lock(ada, bob):
    say("== Lock")
    # An owner is a name that nobody else has.
    first = take(ada, f"ada-{RUN}")
    say("ada holds the lock")
    refused = bob.execute_command("KEYNS.LOCK", LOCK, f"bob-{RUN}", "PX", 10000) is None
    say(f"bob {'does not get it' if refused else 'gets it too'}")
    ada.execute_command("KEYNS.UNLOCK", LOCK, f"ada-{RUN}")
    second = take(bob, f"bob-{RUN}")
    say(f"bob holds it, with a {'greater' if second > first else 'smaller'} token")
    report(bob, "bob", second)
    bob.execute_command("KEYNS.UNLOCK", LOCK, f"bob-{RUN}")
    # As if ada had been paused all the time and did not know that bob has been there.
    report(ada, "ada", first)


def take(client, owner):
    """Waits for the lock, and gives its fencing token. Who dies loses it after ten seconds."""
    while True:
        token = client.execute_command("KEYNS.LOCK", LOCK, owner, "PX", 10000)
        if token is not None:
            return token
        time.sleep(random.uniform(0.01, 0.05))


def report(client, writer, token):
    """Writes, unless somebody has written with a greater token."""
    written, _ = client.execute_command("KEYNS.ADVANCE", f"{SCOPE}:report:token", token)
    say(f"report of {writer}: {'written' if written else 'refused, it is late'}")


def main():
    r = connect()
    try:
        naming(r)
        document(r)
        rate_limit(r)
        namespace(r)
        lock(r, connect())
    finally:
        for key in r.scan_iter(match=f"{SCOPE}:*", count=1000):
            r.unlink(key)


if __name__ == "__main__":
    try:
        main()
    except redis.ConnectionError as error:
        sys.exit(f"Redis cannot be reached: {error}")
    except redis.RedisError as error:
        sys.exit(f"Redis says: {error}")
