"""An API with limits for each user and each address, and a log-in form that
punishes guessing. In FastAPI the middleware and the log-in look the same."""

import hashlib
import os
import socket

import uvicorn
from redis.asyncio import Redis
from redis.exceptions import RedisError
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from limits import RateLimits, is_outage, network, rate

# A real application reads these from its database.
TOKENS = {"token-of-ada": "ada", "token-of-bob": "bob"}
PASSWORDS = {"ada": "correct horse"}

USER = ["SLIDING", 5, "1m"]
ADDRESS = ["SLIDING", 12, "1m"]
LOGINS_OF_ADDRESS = ["SLIDING", 5, "15m"]
LOGINS_OF_ACCOUNT = ["SLIDING", 20, "1h"]

# A server that hangs must not make every request hang.
redis = Redis.from_url(
    os.environ.get("REDIS_URL", "redis://127.0.0.1:6379"),
    socket_timeout=1,
    socket_connect_timeout=1,
)


def address_of(scope):
    """Behind a proxy this is the proxy's address, and the first penalty would keep
    everybody from logging in. Then let uvicorn read the header that your proxy
    sets (`proxy_headers` and `forwarded_allow_ips`)."""
    return network(scope["client"][0] if scope["client"] else "")


def limits_of(scope):
    """What a request counts on: its address and, if it is logged in, its user."""
    limits = {}
    authorization = dict(scope["headers"]).get(b"authorization", b"")
    user = TOKENS.get(authorization.decode("latin-1").removeprefix("Bearer "))
    if user:
        limits[f"rate:user:{user}"] = USER
    limits[f"rate:ip:{address_of(scope)}"] = ADDRESS
    return limits


async def hello(request):
    return PlainTextResponse("Hello.\n")


async def log_in(request):
    """Counts every attempt before it looks at the password, so that guessing in
    parallel gains nothing, and gives back the attempt that succeeds."""
    name, _, password = (await request.body()).decode("utf-8", "replace").partition(":")
    address = f"rate:login:{address_of(request.scope)}"
    # Visitors choose the name, so the key has a digest of it.
    account = f"rate:account:{hashlib.sha256(name.encode()).hexdigest()[:16]}"
    limits = {address: LOGINS_OF_ADDRESS, account: LOGINS_OF_ACCOUNT}
    try:
        verdict = await rate(redis, limits)
        if not verdict.allowed:
            # The penalty: this address has to wait an hour. With -1 the hour runs
            # already, and would start again. An account is never blocked, or
            # anybody could lock its owner out.
            if verdict.key == 0 and verdict.binding >= 0:
                ms = await redis.execute_command("KEYNS.RATE.BLOCK", address, "1h")
                verdict.retry_after_ms = ms
                verdict.reset_after_ms = max(verdict.reset_after_ms, ms)
            return PlainTextResponse(
                "Too many attempts.\n", 429, headers=verdict.headers()
            )
        if PASSWORDS.get(name) != password:
            return PlainTextResponse("Wrong name or password.\n", 401)
        for key, clauses in limits.items():
            await redis.execute_command("KEYNS.RATE.REFUND", key, *clauses, "COST", 1)
    except RedisError as error:
        if not is_outage(error):
            raise
        # Without Redis nobody logs in: passwords could be guessed without limit.
        return PlainTextResponse("Try again later.\n", 503, headers={"Retry-After": "5"})
    return PlainTextResponse(f"Welcome, {name}.\n")


app = Starlette(
    routes=[Route("/", hello), Route("/login", log_in, methods=["POST"])],
    middleware=[Middleware(RateLimits, redis=redis, limits_of=limits_of)],
)

if __name__ == "__main__":
    listener = socket.create_server(("127.0.0.1", int(os.environ.get("PORT", 8000))))
    print(f"http://127.0.0.1:{listener.getsockname()[1]}/", flush=True)
    config = uvicorn.Config(app, log_level="warning", proxy_headers=False)
    uvicorn.Server(config).run(sockets=[listener])
