"""Judges refusals to restart a bank's check of a payment: a refusal has to give a recorded reason.

The payment's record says why the check is blocked: "3 of 3 attempts are used", or "the next
attempt is at 2027-03-01T08:00:00Z". A refusal such as "This is not possible" shows that the
agent has not looked there.
"""

from __future__ import annotations

from typing import Final

import re2

from controlplane.benchmarks.shop.rules.review import NO_OBJECTION, Review
from controlplane.benchmarks.shop.workspace.kinds import Kind
from controlplane.gates.opinions import Opinion

_RECORDED_REASON: Final = re2.compile(
    r"(?i)\bpaid\b"  # `The payment is paid.`
    r"|\blimit\b|\battempts\b"  # `No attempts are left.`
    r"|(?:^|[^\pL\pN_-])\d+(?:[^\pL\pN_]|$)"  # `3 of 3`: a number that is not part of an id
    r"|\d{4}-\d\d-\d\d"  # `The next attempt is possible on 2027-03-01.`
)
"""Reasons against a restart that a payment's record may give."""
_DAY: Final = re2.compile(r"\d{4}-\d\d-\d\d")
"""`2027-03-01`"""
_INSTANT: Final = re2.compile(
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)"
)
"""A day with a time of the day, as records give them: `2027-03-01T08:00:00Z`."""


def objection_to_refusal(answer: str, review: Review) -> Opinion:
    """Object to a refusal without a reason from the payment's record, such as "Not possible."

    Also object to a day alone ("try again on 2027-03-01"), because records give a day with a
    time, and the answer has to repeat both.
    """
    names_day = _DAY.search(answer) is not None
    names_instant = _INSTANT.search(answer) is not None
    if names_day and not names_instant:
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
