"""The rule `blocked-verification`, on requests to restart a bank's check of a payment.

Such a check is called a verification. If it cannot be restarted (yet), it is blocked. The right
answers are:

- OK if it was restarted: "The verification is running again."
- UNSUPPORTED if it is blocked, with the reason in the payment's record: "The verification is
  blocked: 3 of 3 attempts are used."
"""

from __future__ import annotations

from typing import Final

import re2

from controlplane.benchmarks.shop.requests.payment_requests import VERIFICATION
from controlplane.benchmarks.shop.rules.review import NO_OBJECTION, Review, rule
from controlplane.benchmarks.shop.rules.verification_refusals import (
    objection_to_refusal,
)
from controlplane.gates.opinions import Opinion
from controlplane.gates.submission import OK, UNSUPPORTED
from controlplane.gates.surrogates import encodable

_MAX_ANSWER_CHARS: Final = 20_000
"""The number of characters at the start of an answer that the rule reads."""


@rule("blocked-verification", VERIFICATION, outcomes=(OK, UNSUPPORTED))
def blocked_verification(review: Review) -> Opinion:
    """Object to an OK that looks like a refusal, and to a refusal without a recorded reason.

    A refusal with the outcome UNSUPPORTED is judged by `objection_to_refusal`. An OK looks like a
    refusal if nothing was changed and the answer says "It cannot be restarted."
    """
    answer = encodable(review.answer[:_MAX_ANSWER_CHARS])
    if review.outcome == UNSUPPORTED:
        return objection_to_refusal(answer, review)
    if review.evidence.changes or _says_restarted(answer):
        return NO_OBJECTION
    if _tells_of_block(answer):
        return "The answer tells of a verification that is blocked, or only a limit: check which outcome that is."
    return NO_OBJECTION


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
"""Words that tell of a blocked verification, in either way."""


def _tells_of_block(answer: str) -> bool:
    """Return True if an answer says that the verification is blocked.

    "It cannot be restarted." says so. A bare number such as `3` does, too: it is the limit of
    attempts, which was reached.
    """
    is_bare_number = answer.strip().isdigit()
    return is_bare_number or _BLOCKED.search(answer) is not None


_CLAUSE_END: Final = re2.compile(r"(?i)[.,;:!?\n]|\b(?:and|but|though|since|because)\b")
"""A sign or word at which a clause ends: `,`, `but`."""
_RESTARTED: Final = re2.compile(
    r"(?i)\b(?:re-?started|started|recovered|resumed|(?:active|running|open) again|under way)\b"
)
"""`restarted`, `running again`"""
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
