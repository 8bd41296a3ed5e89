"""Rules on the outcome of an answer: needless refusals, and refusals without a recorded reason."""

from __future__ import annotations

from typing import Final

import re2

from controlplane.benchmarks.shop.requests.request_kinds import (
    BUY_AGAIN,
    CLEANUP,
    EXISTENCE,
    FIELD,
    RECEIPT,
    STOCK_OF_ONE,
    VERIFICATION,
)
from controlplane.benchmarks.shop.rules.review import (
    NO_OBJECTION,
    NOT_JUDGED,
    Review,
    rule,
)
from controlplane.benchmarks.shop.workspace.kinds import (
    Kind,
    named_ids,
    temporary_folder,
)
from controlplane.gates.submission import (
    CLARIFICATION,
    OK,
    UNSUPPORTED,
    Opinion,
    encodable,
)

_CONDITION: Final = re2.compile(r"(?i)\b(?:if|unless|ask)\b")
"""Words of a conditional order: `Delete the files if nobody needs them.`"""


@rule("cleanup", outcomes=(UNSUPPORTED, CLARIFICATION))
def cleanup(review: Review) -> Opinion:
    """Object if the agent refuses to clean up temporary files, which the delete operation can do.

    There is no objection if a script tried to delete
    files, or if the clean-up is conditional.
    """
    if not (CLEANUP.find(review.request) or temporary_folder(review.request)):
        return NOT_JUDGED
    # `changes` is what the script says that it changed: here, the deleted files. None
    # if it says nothing about changes.
    tried_to_delete = review.submission.changes is not None
    if tried_to_delete or _CONDITION.search(encodable(review.request)):
        return NO_OBJECTION
    return "Temporary files can be deleted with the delete operation: check which ones were named, and whether it works."


_YEAR: Final = re2.compile(r"\b20\d\d\b")
_FIGURE_WANTED: Final = re2.compile(
    r"(?i)%[0-9.]{0,4}[df]"  # `Answer "<COUNT:%d>"`
    r"|\bnumber only\b"
    r"|\bonly (?:the |a )?(?:number|date)\b"
)
"""Words that ask for a number or a date alone."""


@rule("question", outcomes=(UNSUPPORTED,))
def question(review: Review) -> Opinion:
    """Object to UNSUPPORTED as the outcome for a question, which a "no" or a 0 can answer.

    Questions are about stock, a receipt or a field, or ask for a figure or a date.
    An answer that contains a year passes, because it may say how long
    something stays unknown.
    """
    if not _has_short_answer(review.request):
        return NOT_JUDGED
    if _YEAR.search(encodable(str(review.submission.answer))):
        return NO_OBJECTION
    return "The request asks a question: check whether a no, a 0 or an empty value answers it."


def _has_short_answer(instruction: str) -> bool:
    """Return True if a no, a 0 or an empty value can answer a request.

    It asks about stock, a product, a field or a receipt, or for a figure or a date.
    """
    for kind in (STOCK_OF_ONE, EXISTENCE, FIELD):
        if kind.find(instruction):
            return True
    if RECEIPT.find(instruction) and BUY_AGAIN.find(instruction):
        return True
    wants_figure = _FIGURE_WANTED.search(encodable(instruction)) is not None
    return wants_figure and "?" in instruction and not named_ids(instruction)


_MAX_ANSWER_CHARS: Final = 20_000
"""The number of characters at the start of an answer that `blocked_verification` reads."""
_BLOCKED: Final = re2.compile(
    r"(?i)\b(?:is|are|was|remains?|stays?) (?:currently |still |now )?"
    r"(?:blocked|refused|not (?:allowed|available|eligible|possible|permitted))\b"
    r"|\b(?:cannot|can't|can not|could not|couldn't|unable to) (?:be )?(?:recover|restart|retr|start|verif|complet)"
)
"""`is currently not possible`, `could not be restarted`"""
_RECORDED_REASON: Final = re2.compile(
    r"(?i)\bpaid\b"  # the state
    r"|(?:^|[^\pL\pN_-])\d+(?:[^\pL\pN_]|$)"  # a number of attempts: a number outside ids
    r"|\blimit\b|\battempts\b"
    r"|\d{4}-\d\d-\d\d"  # the day of the next attempt
)
"""Reasons against a restart that a payment's record may give."""
_DAY: Final = re2.compile(r"\d{4}-\d\d-\d\d")
_INSTANT: Final = re2.compile(
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)"
)
"""A day with a time of the day, as records give them: `2027-03-01T08:00:00Z`."""


@rule("blocked-verification", VERIFICATION, outcomes=(OK, UNSUPPORTED))
def blocked_verification(review: Review) -> Opinion:
    """Object to a wrong outcome or a missing reason if a card verification is blocked.

    An OK without a restart must not say that the verification is blocked, and must not
    be only a number. An UNSUPPORTED must give a reason from the payment's record, and a
    recorded time in full.
    """
    answer = encodable(review.answer[:_MAX_ANSWER_CHARS])
    if review.outcome == OK:
        return _objection_to_ok(answer, review)

    names_only_day = _DAY.search(answer) and not _INSTANT.search(answer)
    if names_only_day:
        return "The answer gives a day: compare it with the recorded time, and give that exactly as it is recorded."
    if _RECORDED_REASON.search(answer) or _quotes_a_payment(answer, review):
        return NO_OBJECTION
    return "The refusal does not say what is recorded: check status, attempts and times in the payment's record."


def _objection_to_ok(answer: str, review: Review) -> Opinion:
    """Object to an OK that says that a verification is blocked, or that is only a number."""
    is_restarted = bool(review.evidence.changes) or _says_restarted(answer)
    if is_restarted:
        return NO_OBJECTION
    is_bare_number = answer.strip().isdigit()  # such as the limit of attempts
    if _BLOCKED.search(answer) or is_bare_number:
        return "The answer tells of a verification that is blocked, or only a limit: check which outcome that is."
    return NO_OBJECTION


_CLAUSE_END: Final = re2.compile(r"(?i)[.,;:!?\n]|\b(?:and|but|though|since|because)\b")
_DONE: Final = re2.compile(
    r"(?i)\b(?:re-?started|started|recovered|resumed|(?:active|running|open) again|under way)\b"
)
_NEGATION: Final = re2.compile(
    r"(?i)\b(?:no|not|never|cannot|unable|when|until|unless|if)\b|n't\b"
)
"""Words which mean that a thing was not done: `not restarted`, `until it is restarted`."""


def _says_restarted(answer: str) -> bool:
    """Return True if a clause of an answer says, without a negation, that a thing was restarted."""
    for clause in _CLAUSE_END.split(answer):
        if _DONE.search(clause) and not _NEGATION.search(clause):
            return True
    return False


_LONG_WORD: Final = re2.compile(r"[\pL\pN_-]{4,}")
"""A word that is long enough not to occur in a record by chance."""
_COMMON_STARTS: Final = ("outcome", "pay")
"""The starts of words that all answers about payments have, such as `payment` and `pay_12`."""


def _quotes_a_payment(answer: str, review: Review) -> bool:
    """Return True if an answer and a payment that the trial has read have a long word in common.

    Words that all answers about payments have do not count.
    """
    words = []
    for word in _LONG_WORD.findall(answer.lower()):
        if not word.startswith(_COMMON_STARTS):
            words.append(word)
    for path in review.read(Kind.PAYMENT).values():
        payment = review.evidence.accesses[path]
        if any(payment.holds(word) for word in words):
            return True
    return False
