"""A server may say until when to wait before a request is sent again, by its own clock.

Its header `retry-after` has a date such as `Mon, 04 May 2026 12:00:00 GMT`, and its header `date` the
server's time. `retry_after_s(headers)` returns the seconds between.
"""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from controlplane.agent.retry import retry_after_s


@pytest.mark.parametrize(
    ("server_time", "expected_s"),
    [
        pytest.param("Mon, 04 May 2026 12:00:00 GMT", 90, id="before the date"),
        pytest.param("Mon, 04 May 2026 12:00:30 GMT", 60, id="nearer to the date"),
        pytest.param("Mon, 04 May 2026 13:00:00 GMT", 0, id="after the date"),
    ],
)
def test_retry_date_counts_from_the_servers_own_clock(
    server_time: str, expected_s: int
) -> None:
    """The header `date` is the server's clock, which may differ from ours."""
    headers = {"retry-after": "Mon, 04 May 2026 12:01:30 GMT", "date": server_time}

    assert retry_after_s(headers) == expected_s


def test_retry_date_counts_from_our_clock_if_the_server_sends_no_time() -> None:
    retry_time = datetime.now(UTC) + timedelta(seconds=90)

    wait_s = retry_after_s({"retry-after": format_datetime(retry_time, usegmt=True)})

    # A slow machine may take some seconds between the two lines above.
    assert wait_s == pytest.approx(90, abs=20)
