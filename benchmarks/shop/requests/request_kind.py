"""A kind of request, such as a refund, and how texts of this kind are recognized.

"Please refund my payment" is one. "How do I get a refund?" and "I need no refund" only
mention the action. The agent's answers are judged by the kind of the request: one about a
refund has to cite a payment. So a mention must not be taken for a request.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import re2

from controlplane.gates.request_text import with_plain_signs
from controlplane.sandbox.interface import bounds


@dataclass(frozen=True, slots=True)
class Wording:
    """One way to word a kind of request. Upper and lower case are the same."""

    pattern: str
    example: str
    """A request in this wording: `Please refund my payment.`"""
    counterexample: str
    """A similar request that is not of this kind: `My last refund went well.`"""


class RequestKind:
    """A kind of request, recognized by its wordings. Compared by identity, so that results are cached.

    `lookalikes` is a pattern of words that only look like such a request. They are removed
    before the search. For example, "send it by e-mail" does not ask for an e-mail address.

    `is_order` is True if the request orders an action. Then a negation does not count ("I need
    no refund"), nor does a question about the action ("how do I get a refund?").

    `may_be_question` is True for an order that may also be a question: "what is the e-mail of
    the manager?" Then only negations do not count.
    """

    def __init__(
        self,
        *wordings: Wording,
        lookalikes: str = "",
        is_order: bool = False,
        may_be_question: bool = False,
    ) -> None:
        self.wordings = wordings
        any_wording = "|".join(wording.pattern for wording in wordings)
        self.pattern = re2.compile(f"(?i){any_wording}")
        self.lookalikes = re2.compile(f"(?i){lookalikes}") if lookalikes else None
        self.is_order = is_order
        self.may_be_question = may_be_question

    def find(self, instruction: str) -> str:
        """Return the words that make a request of this kind; empty if there are none."""
        return _find(self, instruction[: bounds.MOST_REQUEST_CHARS])


@lru_cache(maxsize=2_048)
def _find(kind: RequestKind, instruction: str) -> str:
    """Return the first match that is not a mention; empty if there is none.

    Results are kept, because all rules ask about the same instruction.
    """
    text = with_plain_signs(instruction)
    if kind.lookalikes is not None:
        text = kind.lookalikes.sub(" ", text)
    for match in kind.pattern.finditer(text):
        only_mentions_action = kind.is_order and _is_mention(kind, text, match)
        if not only_mentions_action:
            return str(match[0])
    return ""


_NEGATED: Final = re2.compile(r"(?i)\b(?:no|not|never|nobody)\b|n't\b")
"""`I need no refund`, `don't refund`"""
_HOW_OR_WHY: Final = (
    r"how (?:do|does|can|could|may|should|would|is|are|to)|why|do (?:I|we|you|they)|does"
    r"|(?:explain|describe|say|know|tell (?:me|us)) how"
)
"""A question how or why something is done: `how do I`, `tell me how`."""
_WHO_MAY: Final = (
    r"(?:who|what) (?:may|can|must|does?|(?:is|are) (?:allowed|needed|required))"
)
"""A question who may do something, or what it takes: `who may`, `what is needed`."""
_IS_IT_POSSIBLE: Final = (
    r"(?:can|could|may|should) (?:I|we|they|anyone|anybody|an?|customers?|employees?)"
)
"""A question if something is possible: `can I`.

`Can you` is not one, because it begins an order.
"""
_ASKED_ABOUT: Final = re2.compile(
    rf"(?i)\b(?:{_HOW_OR_WHY}|{_WHO_MAY}|{_IS_IT_POSSIBLE})\b"
)
"""A question about an action."""
_CLAUSE_END: Final = re2.compile(r"[.!?;\n]")
_MAX_CLAUSE_CHARS: Final = 300
"""A clause is taken to begin at most this many characters before a match in it."""


def _is_mention(kind: RequestKind, text: str, match: re2._Match) -> bool:
    """Return True if a match only mentions the action: "I need no refund", "how do I get a refund?"

    Its clause has a negation, or asks how or if the action is done.
    """
    start, end = match.span()
    search_start = max(0, start - _MAX_CLAUSE_CHARS)

    # A negation may be inside the match: "give me no refund".
    clause_with_match = _CLAUSE_END.split(text[search_start:end])[-1]
    if _NEGATED.search(clause_with_match):
        return True

    # A question begins before the match. Inside it, "can I" is part of the order.
    if kind.may_be_question:
        return False
    clause_before_match = _CLAUSE_END.split(text[search_start:start])[-1]
    return _ASKED_ABOUT.search(clause_before_match) is not None
