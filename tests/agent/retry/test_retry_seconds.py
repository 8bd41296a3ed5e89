"""A server may say how many seconds, or milliseconds, to wait before a request is sent again.

The header `retry-after: 7` is 7 seconds, and `retry-after-ms: 1250` is 1.25. `retry_after_s(headers)`
returns seconds, or None if the headers do not say how long. Nonsense is ignored.
"""

import pytest

from controlplane.agent.retry import retry_after_s
from controlplane.sandbox.interface import bounds


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
    value: str, expected_s: float | None
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
    headers: dict[str, str], expected_s: float
) -> None:
    """Some vendors send the header `retry-after-ms`, which is more exact."""
    assert retry_after_s(headers) == expected_s
