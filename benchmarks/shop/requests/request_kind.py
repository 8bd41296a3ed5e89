"""A kind of request, such as a refund, and how requests of this kind are recognized.

The agent's answers are judged by the kind of the request: an answer about a refund has to cite a
payment. "Please refund my payment" asks for a refund. "How do I get a refund?" and "I need no
refund" only mention one, and must not be taken for such requests.
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
    """A kind of request. Its wordings find the requests of the kind, and some others by mistake.

    REFUND = RequestKind(Wording(...), ignores_negations=True, ignores_questions=True)
    REFUND.find("Please refund my payment.")   -> "Please refund my payment"
    REFUND.find("I need no refund.")           -> ""
    """

    def __init__(
        self,
        *wordings: Wording,
        lookalikes: str = "",
        ignores_negations: bool = False,
        ignores_questions: bool = False,
    ) -> None:
        self.wordings = wordings
        any_wording = "|".join(wording.pattern for wording in wordings)
        self.pattern = re2.compile(f"(?i){any_wording}")
        """Finds any of the wordings."""
        self.lookalikes = re2.compile(f"(?i){lookalikes}") if lookalikes else None
        """Finds words that only look like such a request. They are removed before the search.

        For example, "send it by e-mail" does not ask for an e-mail address.
        """
        self.ignores_negations = ignores_negations
        """True if a wording with a negation does not count: `I need no refund`."""
        self.ignores_questions = ignores_questions
        """True if a wording in a question about the action does not count: `how do I get a refund?`

        Both are true for a kind of requests that order an action.
        """

    def find(self, instruction: str) -> str:
        """Return the words that make a request of this kind; empty if there are none."""
        return _find(self, instruction[: bounds.MOST_REQUEST_CHARS])


# The results are kept, because all rules ask about the same instruction. A `RequestKind` can be a
# key of them, because it equals only itself.
@lru_cache(maxsize=2_048)
def _find(kind: RequestKind, instruction: str) -> str:
    """Return the first words that count as a request of a kind; empty if there are none."""
    text = with_plain_signs(instruction)
    if kind.lookalikes is not None:
        text = kind.lookalikes.sub(" ", text)
    for match in kind.pattern.finditer(text):
        if kind.ignores_negations and _is_negated(text, match):
            continue
        if kind.ignores_questions and _is_asked_about(text, match):
            continue
        return str(match[0])
    return ""


_NEGATED: Final = re2.compile(r"(?i)\b(?:no|not|never|nobody)\b|n't\b")
"""`I need no refund`, `don't refund`"""
_HOW_OR_WHY: Final = (
    r"how (?:do|does|can|could|may|should|would|is|are|to)|why|do (?:I|we|you|they)|does"
    r"|(?:explain|describe|say|know|tell (?:me|us)) how"
)
"""The start of a question about how or why something is done: `how do I`, `tell me how`."""
_WHO_MAY: Final = (
    r"(?:who|what) (?:may|can|must|does?|(?:is|are) (?:allowed|needed|required))"
)
"""The start of a question about who may do something, or what it takes: `what is needed`."""
_IS_IT_POSSIBLE: Final = (
    r"(?:can|could|may|should) (?:I|we|they|anyone|anybody|an?|customers?|employees?)"
)
"""The start of a question about whether something is possible: `can I`.

`Can you` is missing, because it begins an order: `can you refund my payment?`
"""
_ASKED_ABOUT: Final = re2.compile(
    rf"(?i)\b(?:{_HOW_OR_WHY}|{_WHO_MAY}|{_IS_IT_POSSIBLE})\b"
)
"""The start of any question about an action."""
_CLAUSE_END: Final = re2.compile(r"[.!?;\n]")
_MAX_CLAUSE_CHARS: Final = 300
"""A clause is taken to begin at most this many characters before a match in it."""


def _is_negated(text: str, match: re2._Match) -> bool:
    """Return True if a negation is before a match in its clause, or inside the match.

    In `I don't need a refund`, it is before the match `need a refund`. In `I need no refund`, it
    is inside the match `need no refund`.
    """
    clause = _last_clause(text, match.start(), match.end())
    return _NEGATED.search(clause) is not None


def _is_asked_about(text: str, match: re2._Match) -> bool:
    """Return True if the clause of a match begins a question about it: `how do I get a refund?`

    Inside the match, words such as "can I" belong to the order itself.
    """
    clause_before_match = _last_clause(text, match.start(), match.start())
    return _ASKED_ABOUT.search(clause_before_match) is not None


def _last_clause(text: str, match_start: int, end: int) -> str:
    """Return the last clause of a text up to a position, which is the start or end of a match.

    `Thanks. I need no refund` -> ` I need no refund`
    """
    text_before = text[max(0, match_start - _MAX_CLAUSE_CHARS) : end]
    return str(_CLAUSE_END.split(text_before)[-1])
