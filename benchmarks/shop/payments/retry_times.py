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


_INSTANT: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)")
_RETRY_KEY: Final = re.compile(
    r"retry|again|locked_until|blocked_until|next_attempt|available_at", re.IGNORECASE
)
"""Names of fields for the time of the next attempt."""
_ID: Final = re.compile(r"(?<![\w-])([a-z]{2,12}[_-]\d{2,8})(?![\w-])", re.IGNORECASE)
"""`pay_0012`"""


def known_instant(answer: Completion, texts: Mapping[str, str]) -> str:
    """Return the time from which a cited record may be tried again; empty if it is unknown.

    Cited records are searched first, then cited documents.
    """
    paths = [path.partition("#")[0] for path in answer.cited]
    ids = [record_id(path) for path in paths]
    documents = []
    for path in paths:
        if path not in texts:
            continue
        record = parsed_record(texts[path])
        if record is None:
            documents.append(texts[path])
            continue
        instant = retry_time_in_record(record)
        if instant:
            return instant
    for document in documents:
        instant = retry_time_in_document(document, ids)
        if instant:
            return instant
    return ""


def retry_time_in_record(record: Mapping[str, Any]) -> str:
    """Return the time from which a record may be tried again; empty if it has none.

    `{"id": "pay_1", "check": {"retry_at": "2027-03-01T08:00Z"}}` -> `2027-03-01T08:00Z`
    """
    return next(_retry_instants(record), "")


def retry_time_in_document(document: str, ids: Sequence[str]) -> str:
    """Return the time in a document from which records with these ids may be tried again.

    "pay_1 is blocked until 2027-03-01T08:00Z, pay_2 until ...", `["pay_1"]` -> the first
    time, because it follows the id. If the document names no id of that kind (none that
    begins with `pay`), it is the document's first time. The result is empty if there is no
    such time.
    """
    kinds = {_kind_of_id(wanted_id) for wanted_id in ids}
    folded_ids = {folded_id(wanted_id) for wanted_id in ids}
    mentions = [
        match for match in _ID.finditer(document) if _kind_of_id(match[1]) in kinds
    ]
    if not mentions:
        first_instant = _INSTANT.search(document)
        return first_instant[0] if first_instant else ""

    # The time for an id is between it and the next id.
    ends = [mention.start() for mention in mentions[1:]] + [len(document)]
    for mention, end in zip(mentions, ends, strict=True):
        instant = _INSTANT.search(document, mention.start(), end)
        if instant and folded_id(mention[1]) in folded_ids:
            return instant[0]
    return ""


def _kind_of_id(full_id: str) -> str:
    """Return the word at the start of an id: `pay_0012` -> `pay`."""
    return re.split(r"[_-]", full_id)[0].casefold()


def _retry_instants(data: Mapping[str, Any]) -> Iterator[str]:
    """Yield the times of next attempts in a record and its parts: `{"retry_at": "2027-..."}`."""
    for key, value in data.items():
        if isinstance(value, Mapping):
            yield from _retry_instants(value)
        elif (
            isinstance(value, str)
            and _RETRY_KEY.search(key)
            and _INSTANT.fullmatch(value)
        ):
            yield value
