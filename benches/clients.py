"""What an application does with redis-py, with the module and without it, one operation at a time.

usage: clients.py port script, where the script is the token bucket in Lua; and then lines of input:
a case and how often to do it. Answers every line with the seconds that one operation took, or with
what went wrong.
"""

import re
import sys
import time
import uuid

try:
    import redis
except ImportError as missing:
    sys.exit(f"clients.py: {missing}")

server = redis.Redis(port=int(sys.argv[1]))
call = server.execute_command
token_bucket = server.register_script(sys.argv[2])

HEADING = "Portfolio Management & Risk Assessment"
GRAINS = [("%Y", 8 * 366 * 86400), ("%Y:%m", 400 * 86400), ("%Y:%m:%d", 90 * 86400)]


def make():
    assert call("KEYNS.MAKE", "doc", HEADING)


def make_alone():
    slug = "_".join(re.findall(r"[a-z0-9]+", HEADING.lower()))[:30].strip("_")
    while True:
        name = f"own:{slug}:{server.incr('own:_seq'):03}"
        if not server.exists(name):
            return name


def bucket():
    assert call("KEYNS.RATE", "rate:ada", "BUCKET", 10000000, 1000, "1h")[0] == 1


def bucket_alone():
    assert token_bucket(keys=["own:rate:ada"], args=[10000000, 1000, 3600000])[0] == 1


def window():
    assert call("KEYNS.RATE", "window:ada", "SLIDING", 10000, "100ms")[0] == 1


def window_alone():
    now = time.time()
    with server.pipeline() as pipe:
        pipe.zremrangebyscore("own:window:ada", 0, now - 0.1)
        pipe.zadd("own:window:ada", {str(uuid.uuid4()): now})
        pipe.zcard("own:window:ada")
        pipe.pexpire("own:window:ada", 100)
        assert pipe.execute()[2] <= 10000


def lock():
    owner = uuid.uuid1().hex
    assert call("KEYNS.LOCK", "lock:report", owner, "PX", 60000)
    assert call("KEYNS.UNLOCK", "lock:report", owner) == 1


def lock_alone():
    own = server.lock("own:lock:report", timeout=60)
    assert own.acquire(blocking=False)
    own.release()


def count():
    assert len(call("KEYNS.COUNT", "views", "GRAIN", "YEAR", "GRAIN", "MONTH", "GRAIN", "DAY")) == 3


def count_alone():
    now = time.gmtime()
    with server.pipeline() as pipe:
        for form, seconds in GRAINS:
            bucket = f"own:views:{time.strftime(form, now)}"
            pipe.incr(bucket)
            pipe.expire(bucket, seconds)
        assert len(pipe.execute()) == 6


print("ready", redis.__version__, flush=True)
for line in sys.stdin:
    case, times = line.split()
    operation = globals()[case]
    try:
        start = time.perf_counter()
        for _ in range(int(times)):
            operation()
        print((time.perf_counter() - start) / int(times), flush=True)
    except (AssertionError, redis.RedisError) as error:
        print(repr(error), flush=True)
