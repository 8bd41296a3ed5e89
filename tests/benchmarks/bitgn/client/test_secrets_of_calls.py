"""Secrets in what the platform (BitGN) sends: the user's key, here `CANARY_KEY`, becomes `[secret]`.

The platform is a server that offers tasks to agents. Results and errors of calls are written to
the journal, which may be shared.
"""

import json

from tests.benchmarks.bitgn.client.platform_calls import (
    CANARY_KEY,
    call_platform,
    error_of_call,
)
from tests.benchmarks.bitgn.client.stub_platform import http_reply, refusal


def test_secret_that_a_refusal_repeats_is_replaced() -> None:
    """The error says what was wrong, without the key."""
    repeats_key = refusal(401, "unauthenticated", f"the key {CANARY_KEY} is wrong")

    error = error_of_call(repeats_key, message={"apiKey": CANARY_KEY})

    assert CANARY_KEY not in str(error)
    assert "[secret]" in error.message


def test_secret_on_a_page_is_replaced() -> None:
    """A proxy may show the request, with its key, on a page of HTML."""
    page = f"<html>{CANARY_KEY}</html>".encode()

    error = error_of_call(http_reply(page, content_type="text/html"))

    assert CANARY_KEY not in str(error)


def test_secret_in_a_redirect_is_replaced() -> None:
    """A proxy may redirect the client to an address that has the key."""
    redirect = http_reply(
        b"", status="302 X", headers=f"Location: http://h/?key={CANARY_KEY}\r\n"
    )

    assert CANARY_KEY not in str(error_of_call(redirect))


def test_secret_in_a_reply_is_replaced() -> None:
    """A result is not an error: only the key in it is replaced."""
    body = json.dumps({"a": CANARY_KEY}).encode()

    assert call_platform(http_reply(body)) == {"a": "[secret]"}
