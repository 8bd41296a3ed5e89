"""Reads the body of a response within limits of time and length.

The time-outs of `httpx2` start again with each part of a body, so a server that sends one
byte a second would be read forever.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeAlias

import httpx2

from controlplane.sandbox.interface import bounds

TakePart: TypeAlias = Callable[[bytes], None]
"""A function that gets each part of a body as it arrives."""


class ReplyTooLong(httpx2.DecodingError):
    """The reply has more than `bounds.MOST_REPLY_BYTES`."""


def read_body(
    response: httpx2.Response, deadline: float, take_part: TakePart | None = None
) -> bytes:
    """Return the decompressed body.

    `deadline` is a moment of `time.monotonic`. Raises `httpx2.TransportError` if it
    passes, and `httpx2.DecodingError` if the body cannot be decoded or is too long.
    """
    request = response.request
    refuse_unwanted_encoding(response)

    # httpx2 waits this long for each part, so it is set to the time that is left. After the
    # deadline there are a few seconds more, for parts that have arrived before.
    remaining_s = deadline - time.monotonic()
    request.extensions["timeout"]["read"] = max(remaining_s, bounds.REPLY_GRACE_S)
    content = bytearray()
    for part in response.iter_bytes():
        content += part
        if take_part is not None:
            take_part(part)
        if len(content) > bounds.MOST_REPLY_BYTES:
            msg = f"it is longer than {bounds.MOST_REPLY_BYTES} bytes"
            raise ReplyTooLong(msg, request=request)
        if time.monotonic() > deadline + bounds.REPLY_GRACE_S:
            raise too_late(request)
    return bytes(content)


def refuse_unwanted_encoding(response: httpx2.Response) -> None:
    """Raise `httpx2.DecodingError` if a body is compressed in a way that was not asked for."""
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    accepted = response.request.headers.get("accept-encoding", "").split(", ")
    if encoding and encoding not in ("identity", *accepted):
        msg = f"its content-encoding is {encoding[:40]!r}, which was not asked for"
        raise httpx2.DecodingError(msg, request=response.request)


def too_late(request: httpx2.Request) -> httpx2.ReadTimeout:
    """Return the error of a request whose reply did not arrive in time."""
    return httpx2.ReadTimeout("no whole reply in time", request=request)
