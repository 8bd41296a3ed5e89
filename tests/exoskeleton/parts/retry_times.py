"""Answers to recorded cases about the time until which a payment is blocked.

    retry_time      "pay_002 waits until 2026-07-18T14:49:48Z" -> 2026-07-18T14:49:48Z
    retry_message   "The payment is blocked." -> a message that says until when

How a message is worded is free, so the output says whether it changed at all.

A case is a recorded input of another solver with its output. `@answers_part` marks the function that
answers the cases of one part: it gets the input by its keys, and returns this project's output.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from controlplane.benchmarks.shop.payments.payment_review import with_retry_time
from controlplane.benchmarks.shop.payments.retry_times import (
    retry_time_in_document,
    retry_time_in_record,
)
from tests.exoskeleton.parts.outcomes import changed_message
from tests.exoskeleton.recorded_cases import Output, answers_part


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
