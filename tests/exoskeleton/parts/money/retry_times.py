"""Times until which a payment is blocked: compared with another solver.

A case is what another solver for the shop was recorded to do. `@answers_part` marks the function
that answers the cases of one part: it takes `input` by its keys, and should return `expect`.

    {"part": "retry_time",
     "input": {"document": "retry_available_at: 2026-07-18T14:49:48Z", "payments": ["pay_034"]},
     "expect": {"until": "2026-07-18T14:49:48Z"}}
"""

from collections.abc import Mapping, Sequence
from typing import Any

from controlplane.benchmarks.shop.payments import (
    retry_time_in_document,
    retry_time_in_record,
    with_retry_time,
)
from tests.exoskeleton.answering_functions import Output, answers_part
from tests.exoskeleton.parts.findings import changed_message


@answers_part("retry_time")
def find_retry_time(
    payments: Sequence[str],
    record: Mapping[str, Any] | None = None,
    document: str = "",
) -> Output:
    """Tell until when a payment is blocked, by its record or, if it does not say, by a document.

    `payments` are the ids of the payments that the document may name.
    """
    until = retry_time_in_record(record or {})
    if not until:
        until = retry_time_in_document(document, payments)
    return {"until": until or ""}


@answers_part("retry_message")
def add_retry_time(message: str, until: str) -> Output:
    """Add to a message until when a payment is blocked, unless it says so."""
    return changed_message(message, with_retry_time(message, until))
