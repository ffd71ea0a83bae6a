"""Rate limits for any ASGI application: Starlette, FastAPI or plain ASGI."""

import ipaddress
import logging
import math

from redis import exceptions
from redis.asyncio import Redis

log = logging.getLogger(__name__)

# Replies of a server that cannot count now: it is full, a replica, unable to save,
# without its cluster or master or replicas, loading, or busy with a script.
OUTAGES = (
    "OOM",
    "READONLY",
    "MISCONF",
    "CLUSTERDOWN",
    "MASTERDOWN",
    "NOREPLICAS",
    "TRYAGAIN",
    "LOADING",
    "BUSY",
)
# redis-py has classes for some of them, whose text lacks the code.
OUTAGE_CLASSES = (
    exceptions.ConnectionError,
    exceptions.TimeoutError,
    exceptions.ReadOnlyError,
    exceptions.ClusterDownError,
    exceptions.TryAgainError,
    getattr(exceptions, "OutOfMemoryError", ()),  # from redis-py 5 on
)


def is_outage(error):
    """Whether Redis is absent or cannot count now. Any other error means that the
    call is wrong."""
    if isinstance(error, OUTAGE_CLASSES):
        return True
    return str(error).partition(" ")[0] in OUTAGES


class Verdict:
    """What the limits say about one request."""

    def __init__(self, reply):
        (
            self.key,  # the index of the key that this is about
            self.allowed,
            self.limit,
            self.remaining,
            self.retry_after_ms,
            self.reset_after_ms,
            self.binding,  # the index of the limit, -1 if the key is blocked
        ) = reply

    def headers(self):
        headers = {
            "RateLimit-Limit": str(self.limit),
            "RateLimit-Remaining": str(self.remaining),
            "RateLimit-Reset": seconds(self.reset_after_ms),
        }
        if not self.allowed:
            headers["Retry-After"] = seconds(self.retry_after_ms)
        return headers


def seconds(ms):
    """Rounded up, so that no client comes back too early."""
    return str(math.ceil(ms / 1000))


async def rate(redis: Redis, limits):
    """Counts one request on every key of `limits`, or on none of them."""
    lists = []
    for clauses in limits.values():
        lists += ["AND", *clauses] if lists else clauses
    return Verdict(
        await redis.execute_command("KEYNS.RATE.ALL", len(limits), *limits, *lists)
    )


def network(address):
    """An IPv4 address, or the first 64 bits of an IPv6 address: most users of
    IPv6 can choose the other 64 freely."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return "unknown"
    if ip.version == 6 and ip.ipv4_mapped:
        ip = ip.ipv4_mapped
    if ip.version == 4:
        return str(ip)
    return "_".join(ip.exploded.split(":")[:4])


class RateLimits:
    """ASGI middleware. `limits_of` takes the scope of a request and returns its
    limits: a key and a list of clauses for each thing that the request counts on.

    Without Redis, requests pass: an API without limits is better than no API.
    """

    def __init__(self, app, redis: Redis, limits_of):
        self.app, self.redis, self.limits_of = app, redis, limits_of

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        try:
            verdict = await rate(self.redis, self.limits_of(scope))
        except exceptions.RedisError as error:
            if not is_outage(error):
                raise
            log.warning("no rate limits: %s", error)
            return await self.app(scope, receive, send)
        headers = [
            (name.lower().encode(), value.encode())
            for name, value in verdict.headers().items()
        ]

        async def send_with_headers(message):
            if message["type"] == "http.response.start":
                # What the application says about a limit of its own stays.
                own = list(message.get("headers", []))
                names = {name.lower() for name, _ in own}
                added = [header for header in headers if header[0] not in names]
                message["headers"] = own + added
            await send(message)

        if verdict.allowed:
            return await self.app(scope, receive, send_with_headers)
        await send_with_headers(
            {
                "type": "http.response.start",
                "status": 429,
                "headers": [(b"content-type", b"text/plain")],
            }
        )
        await send({"type": "http.response.body", "body": b"Too many requests.\n"})
