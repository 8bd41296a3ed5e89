"""The time from which a blocked payment may be tried again is found in the files that an answer cites.

The answer says "It is blocked.", and cites the record of the payment pay_7, which has
`"retry_at": "2031-04-12T08:00Z"`, and a page with another time. The record counts.
"""

from controlplane.agent.exoskeleton import Completion
from controlplane.benchmarks.shop.payments import retry_time_for
from controlplane.gates.submission import UNSUPPORTED


def test_cited_records_are_searched_before_cited_documents() -> None:
    """The record of pay_4 was read as well, but the answer does not cite it."""
    answer = Completion.model_validate(
        {
            "outcome": UNSUPPORTED,
            "message": "It is blocked.",
            "documents": ["/docs/outage.md"],
            "records": ["/payments/pay_7.json"],
        }
    )
    texts_that_were_read = {
        "/docs/outage.md": "Retries begin at 2031-04-07T08:00Z.",
        "/payments/pay_7.json": '{"retry_at": "2031-04-12T08:00Z"}',
        "/payments/pay_4.json": '{"retry_at": "2031-04-21T08:00Z"}',
    }

    time = retry_time_for(answer, texts=texts_that_were_read)

    assert time == "2031-04-12T08:00Z"
