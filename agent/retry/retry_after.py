"""Reads how long a server asks to wait, from the headers of its reply.

retry-after-ms: 1500                          -> 1.5 s (OpenAI, Azure)
retry-after: 90                               -> 90.0 s
retry-after: Mon, 04 May 2026 12:01:30 GMT    -> 90.0 s, if `date` is 12:00:00
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from email.utils import mktime_tz, parsedate_tz

from controlplane.sandbox.interface import bounds


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Return how many seconds a server asks to wait; None if it does not say."""
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return min(milliseconds / 1000, bounds.LONGEST_S)

    value = headers.get("retry-after", "").strip()
    seconds = _number(value)
    if seconds is not None:
        return min(seconds, bounds.LONGEST_S)

    wait_until = _timestamp(value)
    if wait_until is None:
        return None
    now = _timestamp(headers.get("date", ""))  # The server's clock may be wrong.
    if now is None:
        now = time.time()
    return min(max(wait_until - now, 0.0), bounds.LONGEST_S)


def _number(value: str) -> float | None:
    """Return a number that begins with a digit; None for other texts, such as `-1` and `inf`."""
    if not value.strip()[:1].isdecimal():
        return None
    try:
        return float(value)
    except ValueError:
        return None


def _timestamp(value: str) -> float | None:
    """Return the Unix timestamp of an HTTP date; None for any other text."""
    try:
        parsed = parsedate_tz(value)
        if parsed is None:
            return None
        return float(mktime_tz(parsed))
    except (ValueError, OverflowError):
        return None
