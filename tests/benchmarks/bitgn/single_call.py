"""One call against a server that does what a test says."""

from __future__ import annotations

import pytest

from benchmarks.bitgn.client.connect import ConnectClient, Endpoint
from benchmarks.bitgn.client.wire_error import WireError
from tests.benchmarks.bitgn.byte_server import stub

SECRET = "canary-key-77aa"


def call(url, message=None, *, deadline_s=5.0):
    client = ConnectClient(secrets=(SECRET,))
    try:
        return client.call(Endpoint(url, "a.Service"), "Do", message or {}, deadline_s=deadline_s)
    finally:
        client.close()


def failure(behave, *, deadline_s=5.0, message=None) -> WireError:
    with stub(behave) as (url, _), pytest.raises(WireError) as raised:
        call(url, message, deadline_s=deadline_s)
    return raised.value
