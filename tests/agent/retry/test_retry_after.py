"""The time that `Retry-After` names."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from agent.retry import LONGEST_RETRY_S, retry_after_s

NOON = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)


def said(moment: datetime) -> str:
    return format_datetime(moment, usegmt=True)


def test_a_date_counts_from_the_servers_own_clock_or_else_from_ours() -> None:
    later = {"retry-after": said(NOON + timedelta(seconds=90))}
    assert retry_after_s({**later, "date": said(NOON)}) == 90
    assert retry_after_s({**later, "date": said(NOON + timedelta(seconds=30))}) == 60
    assert retry_after_s({**later, "date": said(NOON + timedelta(hours=1))}) == 0
    soon = retry_after_s({"retry-after": said(datetime.now(UTC) + timedelta(seconds=90))})
    assert soon == pytest.approx(90, abs=20)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("7", 7),
        ("0.5", 0.5),
        ("1e300", LONGEST_RETRY_S),
        ("Fri, 31 Dec 9999 23:59:59 GMT", LONGEST_RETRY_S),
        ("Fri, 31 Dec 99999999999999999999 23:59:59 GMT", None),
        ("soon", None),
        ("-5", None),
        ("inf", None),
        ("nan", None),
        ("", None),
    ],
)
def test_no_retry_after_is_longer_than_a_timer_can_count(value: str, seconds: float | None) -> None:
    assert retry_after_s({"retry-after": value}) == seconds
