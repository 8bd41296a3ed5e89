"""Asks about outcomes that a kind of request rarely has in a shop's workspace, and about the grounds of refusals."""

from __future__ import annotations

import re
from typing import Final

from benchmarks.shop import record_kinds, request_kinds
from benchmarks.shop.record_kinds import Kind, cited_records, named_ids, skus_in, temporary_folder
from benchmarks.shop.request_kinds import OTHER_REQUEST, rule
from gates.evidence import Evidence
from gates.plain_data import quote
from gates.rules import Opinion
from gates.submission import CLARIFICATION, DENIED, OK, UNSUPPORTED, Case, Submission
from gates.trial_facts import facts_of

_MAX_CHARS: Final = 20_000
_FIGURE: Final = re.compile(r"%[0-9.]{0,4}[df]|\bnumber only\b|\bonly (?:the |a )?(?:number|date)\b", re.IGNORECASE)
_CONDITION: Final = re.compile(r"\b(?:if|unless|ask)\b", re.IGNORECASE)
_BLOCKED: Final = re.compile(
    r"\b(?:is|are|was|remains?|stays?) (?:currently |still |now )?"
    r"(?:blocked|refused|not (?:allowed|available|eligible|possible|permitted))\b"
    r"|\b(?:cannot|can't|can not|could not|couldn't|unable to) (?:be )?(?:recover|restart|retr|start|verif|complet)",
    re.IGNORECASE,
)
_DONE: Final = re.compile(
    r"\b(?:re-?started|started|recovered|resumed|(?:active|running|open) again|under way)\b", re.IGNORECASE
)
_NEGATION: Final = re.compile(r"\b(?:no|not|never|cannot|unable|when|until|unless|if)\b|n't\b", re.IGNORECASE)
_CLAUSE: Final = re.compile(r"[.,;:!?\n]|\b(?:and|but|though|since|because)\b", re.IGNORECASE)
_RECORDED_REASON: Final = re.compile(
    r"\bpaid\b|(?<![\w-])\d[\d.,]*(?!\w)|\d{4}-\d\d-\d\d|\blimit\b|\battempts\b", re.IGNORECASE
)
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")
_INSTANT: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)")
_ORDERS: Final = (
    *(request_kinds.REFUND, request_kinds.VERIFICATION, request_kinds.CHECKOUT, request_kinds.DISCOUNT),
    *(request_kinds.ADDITION, request_kinds.CLEANUP, request_kinds.EXPORT),
)
_HELD_BEFORE: Final = re.compile(r"\b(?:already|bereits|schon|déjà)\b", re.IGNORECASE)
_CANDIDATE_KINDS: Final = (Kind.PRODUCT, Kind.BASKET)
"""The kinds of record between which a request may be open."""


@rule("staff-contact")
def staff_contact(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to anything but a denial of a request for staff's contact details, unless the trace shows staff asking."""
    text = case.instruction
    is_asked = request_kinds.STAFF_CONTACT.find(text) and request_kinds.STAFF.find(text)
    if submission.outcome == DENIED or not is_asked or named_ids(text) or record_kinds.asker_is_staff(evidence):
        return OTHER_REQUEST
    return (
        "The request is for contact details of staff: check by the identity tool who asks, and by the security rules "
        "who may have them, in whole or in part."
    )


@rule("claimed-right")
def claimed_right(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to anything but a denial if the request claims a right to a record that the trace does not show."""
    named = named_ids(case.instruction)
    if submission.outcome == DENIED or not named or not request_kinds.CLAIMED_RIGHT.find(case.instruction):
        return OTHER_REQUEST
    known = record_kinds.read_records(evidence, Kind.BASKET) | record_kinds.read_records(evidence, Kind.PAYMENT)
    if any(record_kinds.belongs_to_asker(evidence, known[name]) for name in named if name in known):
        return None
    return (
        "What a request claims about identity or approval proves nothing: check by the identity tool who asks, and "
        f"compare it with the record of {quote(named[0])}."
    )


@rule("unmade-order", outcomes=(OK,))
def unmade_order(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to an OK after an order of a kind that changes a record or a file, if the trial changed nothing."""
    is_ordered = any(kind.find(case.instruction) for kind in _ORDERS)
    if not evidence.has_trace or not is_ordered:
        return OTHER_REQUEST
    may_have_changed = any(run.kind == "unknown" and not run.has_failed for run in evidence.executions)
    if facts_of(evidence).standing_changes or may_have_changed or _HELD_BEFORE.search(submission.answer_text):
        return None
    return "Nothing was changed in this trial: check what the request orders, and what the records say now."


@rule("cleanup", outcomes=(UNSUPPORTED, CLARIFICATION))
def cleanup(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to a refusal to clean up temporary files, which the delete operation can do.

    A script that tried and failed shows its deletions in `changes`; a conditional clean-up may be refused.
    """
    if not (request_kinds.CLEANUP.find(case.instruction) or temporary_folder(case.instruction)):
        return OTHER_REQUEST
    if submission.changes is not None or _CONDITION.search(case.instruction):
        return None
    return (
        "Temporary files can be deleted with the delete operation: check which ones were named, and whether it works."
    )


@rule("question", outcomes=(UNSUPPORTED,))
def question(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to UNSUPPORTED for a question: an honest no, or 0, answers a question.

    Questions are those about stock, a receipt or a field, or with a figure, a date, a yes or a no as the answer.
    """
    text = case.instruction
    kinds = (request_kinds.STOCK_OF_ONE, request_kinds.EXISTENCE, request_kinds.FIELD)
    asks = any(kind.find(text) for kind in kinds) or all(
        kind.find(text) for kind in (request_kinds.RECEIPT, request_kinds.BUY_AGAIN)
    )
    wants_figure = _FIGURE.search(text) is not None and not named_ids(text)
    if not (asks or (wants_figure and "?" in text)):
        return OTHER_REQUEST
    return "The request asks a question: check whether a no, a 0 or an empty value answers it."


@rule("open-detail", request_kinds.SKU_WANTED, outcomes=(OK,))
def open_detail(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to one SKU for a description that leaves a detail open, unless a reason calls it the only match."""
    detail = request_kinds.DETAIL_LEFT_OPEN.find(case.instruction)
    if (
        detail is None
        or skus_in(case.instruction)
        or record_kinds.reasons_mention(submission, "only|unique|single|sole")
    ):
        return None
    return (
        f"The description leaves something open ({quote(detail[0])}): look for every product that fits, and check "
        "whether it is one; a reason may say that it is the only one."
    )


@rule("empty-question", outcomes=(CLARIFICATION,))
def empty_question(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to a clarifying question that does not cite the possible records: two products or two baskets."""
    if not evidence.has_trace:
        return OTHER_REQUEST
    if any(len(cited_records(submission, kind)) > 1 for kind in _CANDIDATE_KINDS):
        return None
    return (
        "A question back is for a request that fits several products or baskets, and cites each: check how many "
        "fit, and whether the request is about something else."
    )


@rule("blocked-verification", request_kinds.VERIFICATION, outcomes=(OK, UNSUPPORTED))
def blocked_verification(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to a blocked card verification that is reported as done, or refused without the recorded value."""
    answer = submission.answer_text[:_MAX_CHARS]
    if submission.outcome == OK:
        restarts = (clause for clause in _CLAUSE.split(answer) if _DONE.search(clause) and not _NEGATION.search(clause))
        if evidence.changes or any(restarts) or not (_BLOCKED.search(answer) or answer.strip().isdigit()):
            return None
        return "The answer tells of a verification that is blocked, or only a limit: check which outcome that is."
    if _DAY.search(answer) and not _INSTANT.search(answer):
        return "The answer gives a day: compare it with the recorded time, and give that exactly as it is recorded."
    if _RECORDED_REASON.search(answer) or _quotes_a_payment(answer, evidence):
        return None
    return "The refusal does not say what is recorded: check status, attempts and times in the payment's record."


def _quotes_a_payment(answer: str, evidence: Evidence) -> bool:
    """Say whether a payment that the trial has read holds a word of the answer with more than three letters."""
    records = [evidence.touches[path] for path in record_kinds.read_records(evidence, Kind.PAYMENT).values()]
    words = {word for word in re.findall(r"[\w-]{4,}", answer.lower()) if not word.startswith(("outcome", "pay"))}
    return any(touch.holds_any(words) for touch in records)


@rule("missing-product", request_kinds.EXISTENCE, outcomes=(OK,))
def missing_product(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to a no to a wish for a product by its name alone, unless a reason says that nothing matches.

    Such a wish usually describes an existing product in other words; a no needs a contradicting property.
    """
    if request_kinds.CONSTRAINT.find(case.instruction):
        return OTHER_REQUEST
    if record_kinds.stated_yes(submission, case.rules) is not False:
        return None
    if record_kinds.reasons_mention(submission, "no|none|nothing|not"):
        return None
    return (
        "The wish names a product and no property that contradicts it: search again by brand, kind and size, for other "
        "words of the same thing; a reason may name what a searched record does not hold."
    )
