"""Payments of a shop: review of answers about them, and series of them that look like fraud."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from controlplane.benchmarks.shop.answering import without_outcome_name
from controlplane.benchmarks.shop.workspace.reading import folded_id
from controlplane.benchmarks.shop.workspace.records import parsed_record
from controlplane.gates.paths import record_id
from controlplane.sandbox.interface.outcomes import CLARIFICATION, UNSUPPORTED

if TYPE_CHECKING:
    from controlplane.agent.exoskeleton import AskDraftCheck, Completion

# Finds when a payment whose bank check failed may be tried again, in records and documents.
#
# A refusal has to name this time: "It is blocked until 2027-03-01T08:00Z." The payment's record
# may have it in a field such as `retry_at`, or a document in a sentence about `pay_0012`.

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


# Adds the largest discount that is allowed to the refusal of a larger one.
#
# A customer asks for 20 %, and the shop gives at most 10 %. The refusal must name this limit. The
# solver has often noted it ("the maximum is 10 %") and then written only "Not allowed."

_LARGEST_DISCOUNT: Final = re.compile(
    r"[^.;\n]*\b(?:max(?:imum)?|cap(?:ped)?|limit(?:ed)?|most|up to)\b[^.;\n]*?"
    r"\b\d+(?:[.,]\d+)?\s?%[^.;\n]*",
    re.IGNORECASE,
)
"""A clause of a note that states a limit: `the maximum is 10 %`."""


def with_largest_discount(answer: Completion) -> Completion:
    """Return the refusal of a discount with the largest one allowed, which the notes may state.

    "Not allowed." with the note "the maximum is 10 %" -> "Not allowed. the maximum is 10 %".
    An answer that names a percentage, or is not a refusal, stays the same.
    """
    message = without_outcome_name(answer.message).strip()
    if answer.outcome != UNSUPPORTED or "%" in message:
        return answer
    for note in answer.notes.splitlines():
        clause = _LARGEST_DISCOUNT.search(note)
        if clause is not None:
            text = f"{message} {clause[0].strip()}".strip()
            return answer.model_copy(update={"message": text})
    return answer


# Corrects answers on verifications (a bank's checks of payments) before they are submitted.
#
# A customer asks to restart the verification of a payment that is blocked. The model asks "Which
# card is it?", but the right answer refuses: "It is blocked until 2027-03-01T08:00Z." So a second
# model, the reviewer, reads in the answer whether the payment is paid or blocked. If it is, nothing
# can be restarted, and the outcome becomes UNSUPPORTED.

_REVIEW_SCHEMA: Final[Mapping[str, object]] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["paid", "blocked", "until"],
    "properties": {
        "paid": {
            "type": "boolean",
            "description": "true if the payment was paid already",
        },
        "blocked": {
            "type": "boolean",
            "description": "true if the payment is blocked, or its attempts are used up",
        },
        "until": {
            "type": "string",
            "description": "the instant from which it may be tried again, as the answer writes it, else empty",
        },
    },
}
"""The JSON schema of the reviewer's reply."""


def review_payment(
    answer: Completion, texts: Mapping[str, str], ask_reviewer: AskDraftCheck
) -> Completion:
    """Return an answer after a review; unchanged if it is not about a verification.

    `texts` are the files that were read, by path.
    """
    if not needs_review(answer.task_type, answer.outcome):
        return answer
    answer_text = f"{answer.message}\n{answer.notes}"
    reply = ask_reviewer(_REVIEW_SCHEMA, answer_text)

    # A reviewer may invent a time, so it counts only if the answer has it. Otherwise the time
    # is looked up in the files that the answer cites.
    until = reply.get("until")
    if not until or not isinstance(until, str) or until not in answer_text:
        until = retry_time_for(answer, texts)
    review = PaymentReview(
        is_paid=reply.get("paid") is True,
        is_blocked=reply.get("blocked") is True,
        until=until,
    )
    return reviewed(answer, review)


def needs_review(task_type: str, outcome: str) -> bool:
    """Return True for questions and refusals about verifications."""
    return task_type == "verification" and outcome in (CLARIFICATION, UNSUPPORTED)


@dataclass(frozen=True, slots=True)
class PaymentReview:
    """What the reviewer has read in an answer about a payment."""

    is_paid: bool
    is_blocked: bool
    until: str | None
    """The time from which the verification may be restarted; None if it is unknown."""


_CLOSED: Final = re.compile(
    r"\b(?:window|retry|attempts?)\b[^.]{0,40}"
    r"\b(?:closed|over|expired|passed|used up|exhausted|limit)\b"
    r"|\bblocked until\b|\b(?:attempt|retry) limit\b",
    re.IGNORECASE,
)
"""Words of a message that nothing can be restarted: `The retry window is closed.`"""


def reviewed(answer: Completion, review: PaymentReview) -> Completion:
    """Return an answer, with the outcome UNSUPPORTED if the verification cannot be restarted.

    "Which card is it?", and the review says that the payment is blocked until 10:00 ->
    UNSUPPORTED, "Which card is it? It is blocked until 10:00."
    """
    if review.is_paid or review.is_blocked:
        message = without_outcome_name(answer.message)
        if review.is_blocked:
            message = with_retry_time(message, review.until)
        return answer.model_copy(update={"outcome": UNSUPPORTED, "message": message})

    # The reviewer may have missed a reason that the message itself gives.
    if _CLOSED.search(answer.message):
        return answer.model_copy(update={"outcome": UNSUPPORTED})
    return answer


def with_retry_time(message: str, until: str | None) -> str:
    """Return a message that says until when a payment is blocked, if this time is known.

    "It is locked." -> "It is locked. It is blocked until 2027-03-01T08:00Z."
    """
    if not until:
        return message
    is_said = until in message and "blocked" in message.casefold()
    if is_said:
        return message
    sentence = f"It is blocked until {until}."
    text = message.strip().rstrip(".")
    if not text:
        return sentence
    end = "" if text.endswith(("?", "!")) else "."
    return f"{text}{end} {sentence}"
