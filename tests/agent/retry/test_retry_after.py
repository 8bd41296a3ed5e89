"""How long a server asks to wait before a request is sent again.

A server says it in a header of its reply: `retry-after: 7` is 7 seconds. The header may also have
a date, or nonsense. Some vendors send milliseconds in a header of their own.
"""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from controlplane.agent.retry.retry_after import retry_after_s
from controlplane.sandbox.interface import bounds

NOON = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)


def http_date(moment: datetime) -> str:
    """Return a moment as headers have it: `Mon, 04 May 2026 12:00:00 GMT`."""
    return format_datetime(moment, usegmt=True)


class TestDates:
    """A server may say until when to wait, by its own clock.

    `retry-after` has a date such as `Mon, 04 May 2026 12:00:00 GMT`, and `date` the server's time.
    """

    @pytest.mark.parametrize(
        ("server_time", "expected_s"),
        [
            pytest.param(NOON, 90, id="before the date"),
            pytest.param(NOON + timedelta(seconds=30), 60, id="nearer to the date"),
            pytest.param(NOON + timedelta(hours=1), 0, id="after the date"),
        ],
    )
    def test_retry_date_counts_from_the_servers_own_clock(
        self, server_time: datetime, expected_s: int
    ) -> None:
        """The header `date` is the server's clock, which may differ from ours."""
        retry_time = NOON + timedelta(seconds=90)
        headers = {"retry-after": http_date(retry_time), "date": http_date(server_time)}

        assert retry_after_s(headers) == expected_s

    def test_retry_date_counts_from_our_clock_if_the_server_sends_no_time(self) -> None:
        retry_time = datetime.now(UTC) + timedelta(seconds=90)

        wait_s = retry_after_s({"retry-after": http_date(retry_time)})

        # A slow machine may take some seconds between the two lines above.
        assert wait_s == pytest.approx(90, abs=20)


class TestNumbers:
    """A server may say how many seconds, or milliseconds, to wait. Nonsense is ignored.

    The header `retry-after` has seconds, and `retry-after-ms` milliseconds. `retry_after_s` returns
    seconds, or None if the headers do not say how long.
    """

    @pytest.mark.parametrize(
        ("value", "expected_s"),
        [
            pytest.param("7", 7, id="whole seconds"),
            pytest.param("0.5", 0.5, id="fraction"),
            pytest.param("1e300", bounds.LONGEST_S, id="longer than a timer can count"),
            pytest.param(
                "Fri, 31 Dec 9999 23:59:59 GMT", bounds.LONGEST_S, id="distant date"
            ),
            pytest.param(
                "Fri, 31 Dec 99999999999999999999 23:59:59 GMT",
                None,
                id="impossible date",
            ),
            pytest.param("soon", None, id="word"),
            pytest.param("-5", None, id="negative"),
            pytest.param("inf", None, id="infinite"),
            pytest.param("nan", None, id="not a number"),
            pytest.param("", None, id="empty"),
        ],
    )
    def test_retry_after_is_bounded_and_nonsense_is_ignored(
        self, value: str, expected_s: float | None
    ) -> None:
        """A header of a foreign server must not stop a run forever, or with an exception."""
        assert retry_after_s({"retry-after": value}) == expected_s

    @pytest.mark.parametrize(
        ("headers", "expected_s"),
        [
            pytest.param({"retry-after-ms": "1250"}, 1.25, id="milliseconds alone"),
            pytest.param(
                {"retry-after-ms": "1250", "retry-after": "60"}, 1.25, id="both headers"
            ),
            pytest.param(
                {"retry-after-ms": "soon", "retry-after": "60"},
                60,
                id="unreadable milliseconds",
            ),
        ],
    )
    def test_header_in_milliseconds_takes_precedence(
        self, headers: dict[str, str], expected_s: float
    ) -> None:
        """Some vendors send the header `retry-after-ms`, which is more exact."""
        assert retry_after_s(headers) == expected_s
