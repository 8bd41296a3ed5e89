"""A rule on answers to requests to restart a card verification, the bank's check of a payment.

A verification is blocked if it cannot be restarted (yet). The right answers are:

- OK if it was restarted: "The verification is running again."
- UNSUPPORTED if it is blocked, with the reason from the payment's record: "The
  verification is blocked: 3 of 3 attempts are used."
"""

from __future__ import annotations

from typing import Final

import re2

from controlplane.benchmarks.shop.requests.request_kinds import VERIFICATION
from controlplane.benchmarks.shop.rules.review import NO_OBJECTION, Review, rule
from controlplane.benchmarks.shop.workspace.kinds import Kind
from controlplane.gates.opinions import Opinion
from controlplane.gates.submission import OK, UNSUPPORTED
from controlplane.gates.surrogates import encodable

_MAX_ANSWER_CHARS: Final = 20_000
"""The number of characters at the start of an answer that the rule reads."""


@rule("blocked-verification", VERIFICATION, outcomes=(OK, UNSUPPORTED))
def blocked_verification(review: Review) -> Opinion:
    """Object to an OK that looks like a refusal, and to a refusal without a recorded reason."""
    answer = encodable(review.answer[:_MAX_ANSWER_CHARS])
    if review.outcome == OK:
        is_restarted = bool(review.evidence.changes) or _says_restarted(answer)
        return NO_OBJECTION if is_restarted else _objection_to_success(answer)
    return _objection_to_refusal(answer, review)


# Success without a restart ----------------------------------------------------------------------

_IS_BLOCKED: Final = (
    r"\b(?:is|are|was|remains?|stays?) (?:currently |still |now )?"
    r"(?:blocked|refused|not (?:allowed|available|eligible|possible|permitted))\b"
)
"""`is currently not possible`"""
_CANNOT_RESTART: Final = (
    r"\b(?:cannot|can't|can not|could not|couldn't|unable to) (?:be )?"
    r"(?:recover|restart|retr|start|verif|complet)"  # beginnings of verbs: `retr` of `retry` and `retried`
)
"""`could not be restarted`"""
_BLOCKED: Final = re2.compile(f"(?i){_IS_BLOCKED}|{_CANNOT_RESTART}")


def _objection_to_success(answer: str) -> Opinion:
    """Object to an OK without a restart if it says that the verification is blocked.

    A bare number says so, too: it is the limit of attempts, which was reached.
    """
    is_bare_number = answer.strip().isdigit()
    if _BLOCKED.search(answer) or is_bare_number:
        return "The answer tells of a verification that is blocked, or only a limit: check which outcome that is."
    return NO_OBJECTION


_CLAUSE_END: Final = re2.compile(r"(?i)[.,;:!?\n]|\b(?:and|but|though|since|because)\b")
_RESTARTED: Final = re2.compile(
    r"(?i)\b(?:re-?started|started|recovered|resumed|(?:active|running|open) again|under way)\b"
)
_NOT_DONE_YET: Final = re2.compile(
    r"(?i)\b(?:no|not|never|cannot|unable|when|until|unless|if)\b|n't\b"
)
"""Words by which a clause does not say that a thing was done: `not restarted`, `if restarted`."""


def _says_restarted(answer: str) -> bool:
    """Return True if a clause of an answer says that the verification was restarted.

    "Your card was not charged, and the check is running again." says so in its second clause.
    """
    for clause in _CLAUSE_END.split(answer):
        if _RESTARTED.search(clause) and not _NOT_DONE_YET.search(clause):
            return True
    return False


# Refusals ---------------------------------------------------------------------------------------

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


def _objection_to_refusal(answer: str, review: Review) -> Opinion:
    """Object to a refusal without a reason from the payment's record.

    Also object to a day alone, because records give a day with a time, and the answer has
    to repeat both.
    """
    names_only_day = _DAY.search(answer) and not _INSTANT.search(answer)
    if names_only_day:
        return "The answer gives a day: compare it with the recorded time, and give that exactly as it is recorded."
    if _RECORDED_REASON.search(answer) or _quotes_a_payment(answer, review):
        return NO_OBJECTION
    return "The refusal does not say what is recorded: check status, attempts and times in the payment's record."


_LONG_WORD: Final = re2.compile(r"[\pL\pN_-]{4,}")
"""A word that is long enough not to occur in a record by chance."""
_COMMON_STARTS: Final = ("outcome", "pay")
"""The starts of words that answers have whatever they say: `OUTCOME_OK`, `payment`, `pay_12`."""


def _quotes_a_payment(answer: str, review: Review) -> bool:
    """Return True if an answer and a payment that the trial has read have a long word in common.

    For example, the answer says `locked`, which is the state of the payment's check.
    """
    words = []
    for word in _LONG_WORD.findall(answer.lower()):
        if not word.startswith(_COMMON_STARTS):
            words.append(word)
    for path in review.read(Kind.PAYMENT).values():
        read_payment = review.evidence.accesses[path]
        if any(read_payment.holds(word) for word in words):
            return True
    return False
