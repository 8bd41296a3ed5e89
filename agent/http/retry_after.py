"""The time that a server's `Retry-After` header names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

LONGEST_RETRY_S: Final = 7 * 24 * 3600.0
"""A longer time to wait counts as this one: no timer of the system has to count further."""

_SECONDS: Final = re.compile(r"\d+(\.\d+)?(e\d+)?", re.ASCII)


def retry_after_s(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Return the seconds of a `Retry-After` header, given in seconds or as a date; None if it names none.

    A date counts from the server's own `Date`, if it sends one, because the clocks here and there may differ.
    """
    value = headers.get("retry-after", "").strip()
    if not value:
        return None
    if _SECONDS.fullmatch(value):
        seconds = float(value)
    elif (until := _moment(value)) is not None:
        seconds = (until - (now or _moment(headers.get("date", "")) or datetime.now(UTC))).total_seconds()
    else:
        return None
    return min(max(seconds, 0.0), LONGEST_RETRY_S)


def _moment(value: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(value)
    except (ValueError, OverflowError):
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
