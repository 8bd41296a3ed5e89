"""Single calls of the platform (BitGN), made by the product's client to a stand-in for the platform.

    replies = RepliesInTurn(lose_connection, SUCCESS)
    call_platform(replies, retry_s=5.0)     # {"done": true}, by the second attempt

The platform is a server that offers tasks to agents. `retry_s` says for how long a call that fails
is made again.
"""

from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

from controlplane.benchmarks.bitgn.client.calls import Call, CallPolicy, PlatformRequest
from controlplane.benchmarks.bitgn.client.connection import (
    Message,
    PlatformClient,
    Service,
    WireError,
)
from tests.support.byte_server import Behaviour, ByteServer

CANARY_KEY = "canary-key-77aa"
"""A key that must never be shown."""


def new_call(
    url: str,
    client: PlatformClient,
    message: dict[str, Any] | None = None,
    *,
    before_repeat: Callable[[], Message | None] | None = None,
    deadline_s: float = 5.0,
    retry_s: float = 0.0,
    **policy: Any,
) -> Call[Message]:
    """Return a call of the method `Do`, which has not been made yet.

    `new_call(platform.url, client, {"path": "/a.txt"}, retry_s=5.0).finish()` makes it, again and
    again for 5 seconds if it fails; by default only once. `before_repeat` may find out that the
    call has happened, and return its result. `policy` has further fields of `CallPolicy`.
    """
    return Call(
        PlatformRequest(Service(client, url, "a.Service"), "Do", message or {}),
        CallPolicy(deadline_s=deadline_s, retry_s=retry_s, **policy),
        parse_reply=lambda reply: reply,
        before_repeat=before_repeat,
    )


def call_platform(
    behaviour: Behaviour, message: dict[str, Any] | None = None, **options: Any
) -> Message:
    """Make one call, to which the platform replies in this way, and return the reply's message.

    `options` are those of `new_call`.
    """
    with (
        ByteServer(behaviour) as platform,
        closing(PlatformClient(connections=2, secrets=(CANARY_KEY,))) as client,
    ):
        return new_call(platform.url, client, message, **options).finish()


def error_of_call(
    behaviour: Behaviour, message: dict[str, Any] | None = None, **options: Any
) -> WireError:
    """Make one call to which the platform replies in this way, and return its error."""
    with pytest.raises(WireError) as caught:
        call_platform(behaviour, message, **options)
    return caught.value
