"""The time from which a blocked payment may be tried again is found in the files that an answer cites."""

import pytest

from controlplane.agent.exoskeleton import Completion
from controlplane.benchmarks.shop.payments.retry_times import (
    retry_time_for,
    retry_time_in_document,
    retry_time_in_record,
)
from controlplane.gates.submission import UNSUPPORTED


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


def test_cited_records_are_searched_before_cited_documents() -> None:
    answer = Completion.model_validate(
        {
            "outcome": UNSUPPORTED,
            "message": "It is blocked.",
            "documents": ["/docs/outage.md"],
            "records": ["/payments/pay_7.json"],
        }
    )

    time = retry_time_for(
        answer,
        texts={
            "/docs/outage.md": "Retries begin at 2031-04-07T08:00Z.",
            "/payments/pay_7.json": '{"retry_at": "2031-04-12T08:00Z"}',
            "/payments/pay_4.json": '{"retry_at": "2031-04-21T08:00Z"}',
        },
    )

    assert time == "2031-04-12T08:00Z"
