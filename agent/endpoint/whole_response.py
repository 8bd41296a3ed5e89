"""A response with its whole, decompressed body, made of one that was read in parts.

Headers about the transferred bytes are left out, as they do not hold for the decompressed body: a
body of 200 bytes with `content-encoding: gzip` and `content-length: 200` may have 900 then.
"""

from __future__ import annotations

from typing import Final

import httpx2

TRANSFER_HEADERS: Final = frozenset(
    {b"content-encoding", b"content-length", b"transfer-encoding"}
)
"""Headers about the transferred bytes."""


def whole_response(response: httpx2.Response, content: bytes) -> httpx2.Response:
    """Return a response with its decompressed body."""
    headers = []
    for name, value in response.headers.raw:
        if name.lower() not in TRANSFER_HEADERS:
            headers.append((name, value))
    return httpx2.Response(
        response.status_code, headers=headers, content=content, request=response.request
    )
