"""Finds when a payment whose bank check failed may be tried again, in records and documents.

A refusal has to name this time: "It is blocked until 2027-03-01T08:00Z." The payment's record
may have it in a field such as `retry_at`, or a document in a sentence about `pay_0012`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from controlplane.benchmarks.shop.workspace.record_ids import folded_id
from controlplane.benchmarks.shop.workspace.records.record import parsed_record
from controlplane.gates.paths import record_id

if TYPE_CHECKING:
    from controlplane.agent.exoskeleton import Completion


_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)")
"""`2027-03-01T08:00Z`"""
_RETRY_FIELD: Final = re.compile(
    r"retry|again|locked_until|blocked_until|next_attempt|available_at", re.IGNORECASE
)
"""A word in the name of a field for the time of the next attempt: `retry_at`."""
_ID: Final = re.compile(r"(?<![\w-])([a-z]{2,12}[_-]\d{1,8})(?![\w-])", re.IGNORECASE)
"""`pay_0012`"""


def retry_time_for(answer: Completion, texts: Mapping[str, str]) -> str | None:
    """Return the time from which a payment that an answer cites may be tried again, if known.

    `texts` are the files that were read, by path. Records are searched before documents.
    """
    # A cited path may end with a part of the file: `/payments.tsv#row=7`.
    cited_files = [path.partition("#")[0] for path in answer.cited]
    records = []
    documents = []
    for file in cited_files:
        if file not in texts:
            continue
        record = parsed_record(texts[file])
        if record is not None:
            records.append(record)
        else:
            documents.append(texts[file])

    for record in records:
        time = retry_time_in_record(record)
        if time:
            return time
    cited_ids = [record_id(file) for file in cited_files]
    for document in documents:
        time = retry_time_in_document(document, cited_ids)
        if time:
            return time
    return None


def retry_time_in_record(record: Mapping[str, Any]) -> str | None:
    """Return the time from which a payment may be tried again; None if its record has none.

    `{"id": "pay_1", "check": {"retry_at": "2027-03-01T08:00Z"}}` -> `2027-03-01T08:00Z`
    """
    return next(_retry_times(record), None)


def _retry_times(data: Mapping[str, Any]) -> Iterator[str]:
    """Yield the times in the fields for the next attempt, also in nested objects."""
    for field, value in data.items():
        if isinstance(value, Mapping):
            yield from _retry_times(value)
        elif isinstance(value, str) and _RETRY_FIELD.search(field):
            if _TIME.fullmatch(value):
                yield value


def retry_time_in_document(document: str, ids: Sequence[str]) -> str | None:
    """Return the time in a document from which payments with these ids may be tried again.

    | document, for `["pay_1"]` | result |
    |---|---|
    | "pay_2 waits until 2027-03-01T08:00Z, pay_1 until 2027-03-02T08:00Z." | the second time |
    | "pay_2 waits until 2027-03-01T08:00Z." | None |
    | "Retries begin at 2027-03-01T08:00Z." (no id of a payment) | this time |
    """
    prefixes = {_prefix_of(payment_id) for payment_id in ids}  # `pay`
    mentions = []  # of any payment: `pay_1`, `pay_2`
    for mention in _ID.finditer(document):
        if _prefix_of(mention[1]) in prefixes:
            mentions.append(mention)
    if not mentions:
        first_time = _TIME.search(document)
        return first_time[0] if first_time else None

    # The time of a payment is between its id and the next id.
    wanted_ids = {folded_id(payment_id) for payment_id in ids}
    ends = [mention.start() for mention in mentions[1:]] + [len(document)]
    for mention, end in zip(mentions, ends, strict=True):
        if folded_id(mention[1]) in wanted_ids:
            time = _TIME.search(document, mention.start(), end)
            if time:
                return time[0]
    return None


def _prefix_of(full_id: str) -> str:
    """Return the word at the start of an id: `pay_0012` -> `pay`."""
    return re.split(r"[_-]", full_id)[0].casefold()
