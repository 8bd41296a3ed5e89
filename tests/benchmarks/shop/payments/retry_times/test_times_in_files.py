"""The time from which a blocked payment may be tried again is found in a record or a document.

{"retry_at": "2031-04-12T08:00Z"}            a record: "2031-04-12T08:00Z"
pay_7 waits until 2031-04-12T08:00Z.         a document on the payment pay_7: the same
"""

import pytest

from controlplane.benchmarks.shop.payments import (
    retry_time_in_document,
    retry_time_in_record,
)


@pytest.mark.parametrize(
    ("record", "time"),
    [
        pytest.param(
            {"retry_at": "2031-04-12T08:00Z"}, "2031-04-12T08:00Z", id="a field"
        ),
        pytest.param(
            {"check": {"blocked_until": "2031-04-12T08:00Z"}},
            "2031-04-12T08:00Z",
            id="a field of a nested object",
        ),
        pytest.param({"paid_at": "2031-04-12T08:00Z"}, None, id="another time"),
        pytest.param({"retry_at": "soon"}, None, id="no time"),
    ],
)
def test_a_record_has_the_time_in_a_field_on_retries(
    record: dict[str, object], time: str | None
) -> None:
    assert retry_time_in_record(record) == time


@pytest.mark.parametrize(
    ("document", "time"),
    [
        pytest.param(
            "pay_4 waits until 2031-04-07T08:00Z, pay_7 until 2031-04-12T08:00Z.",
            "2031-04-12T08:00Z",
            id="the time after the payment's id",
        ),
        pytest.param(
            "pay_4 waits until 2031-04-07T08:00Z.", None, id="another payment only"
        ),
        pytest.param(
            "Retries begin at 2031-04-12T08:00Z.",
            "2031-04-12T08:00Z",
            id="no payment at all",
        ),
    ],
)
def test_a_document_has_the_time_of_pay_7(document: str, time: str | None) -> None:
    assert retry_time_in_document(document, ["pay_7"]) == time
