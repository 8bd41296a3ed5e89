"""The time that a server's `Retry-After` header names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from email.utils import mktime_tz, parsedate_tz
from time import time
from typing import Final

LONGEST_RETRY_S: Final = 7 * 24 * 3600.0
"""A longer time to wait counts as this one, which every timer of the system can hold."""


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Return the seconds of a `Retry-After` header, given in seconds or as a date; None if it names none.

    A date counts from the server's own `Date`, if it sends one, because the clocks here and there may differ.
    """
    if not (value := headers.get("retry-after", "").strip()):
        return None
    if re.fullmatch(r"\d+(\.\d+)?(e\d+)?", value, re.ASCII):
        seconds = float(value)
    elif (until := _moment(value)) is not None:
        began = _moment(headers.get("date", ""))
        seconds = until - (time() if began is None else began)
    else:
        return None
    return min(max(seconds, 0.0), LONGEST_RETRY_S)


def _moment(value: str) -> float | None:
    try:
        parsed = parsedate_tz(value)
        return mktime_tz(parsed) if parsed else None
    except (ValueError, OverflowError):
        return None
