"""One call against a server that does what a test says."""

import pytest

from benchmarks.bitgn.client.platform_client import Call, CallPolicy, PlatformClient, Service, Throttle, WireError
from tests.benchmarks.bitgn.byte_server import stub

SECRET = "canary-key-77aa"


def to_call(url, client, message=None, *, look=None, **policy) -> Call:
    """Return one call; what the policy does not say is that nothing is made again."""
    settled = CallPolicy(**({"deadline_s": 5.0, "retry_s": 0.0} | policy))
    return Call(client, Service(url, "a.Service"), "Do", message or {}, settled, lambda reply: reply, look)


def make(url, client, message=None, **more):
    return to_call(url, client, message, **more).make()


def call(url, message=None, *, secrets=(SECRET,), **policy):
    client = PlatformClient(Throttle(2), secrets=secrets)
    try:
        return make(url, client, message, **policy)
    finally:
        client.close()


def failure(behave, *, message=None, **policy) -> WireError:
    with stub(behave) as (url, _), pytest.raises(WireError) as raised:
        call(url, message, **policy)
    return raised.value
