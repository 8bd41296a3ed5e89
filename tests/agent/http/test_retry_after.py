"""The time that `Retry-After` names."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from agent.http import LONGEST_RETRY_S, retry_after_s


def test_retry_after_is_read_as_a_date() -> None:
    now = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
    later = {"retry-after": format_datetime(now + timedelta(seconds=90), usegmt=True)}
    assert retry_after_s(later, now) == 90
    assert retry_after_s(later, now + timedelta(hours=1)) == 0
    skewed = {**later, "date": format_datetime(now + timedelta(seconds=30), usegmt=True)}
    assert retry_after_s(skewed) == 60


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("1e300", LONGEST_RETRY_S),
        ("Fri, 31 Dec 9999 23:59:59 GMT", LONGEST_RETRY_S),
        ("Fri, 31 Dec 99999999999999999999 23:59:59 GMT", None),
        ("inf", None),
        ("nan", None),
    ],
)
def test_no_retry_after_is_longer_than_a_timer_can_count(value: str, seconds: float | None) -> None:
    assert retry_after_s({"retry-after": value}) == seconds
