"""Kinds of requests about a payment: to refund it, or to restart the bank's check of it.

"Please refund my payment" is a request. Three texts that only mention a refund:

- "My last refund went well" fits no pattern of a request's wordings.
- "I need no refund" has a negation (`ignores_negations`).
- "How do I get a refund?" is a question about the action (`ignores_questions`).
"""

from __future__ import annotations

from typing import Final

from controlplane.benchmarks.shop.requests.phrases import (
    ORDER_START,
    any_phrase,
    in_one_sentence,
    on_one_line,
)
from controlplane.benchmarks.shop.requests.request_kind import RequestKind, Wording

# The patterns consist of these parts:
#
#     any_phrase("retry", "redo")    one of these phrases, as whole words
#     in_one_sentence(a, b)          a, and later in the same sentence b
#     on_one_line(a, b, ...)         a, and at most some characters later on the same line b
#     ORDER_START                    the start of the text or of a sentence, or a word like `please`

_STEMS: Final = (
    "approv|clos|finish|complet|handl|process|mov|issu|start|grant|"
    "giv|mak|want|need|get"
)
_REFUND_VERB: Final = any_phrase(f"(?:{_STEMS})(?:e|es|ing)?")
"""A stem, perhaps with an ending: `want`, `approve`, `moves`, `giving`."""
REFUND: Final = RequestKind(
    Wording(
        in_one_sentence(_REFUND_VERB, any_phrase("refund", "refunded")),
        example="I want this refunded.",
        counterexample="I need no refund.",
    ),
    Wording(
        in_one_sentence(
            any_phrase("refund"),
            any_phrase(
                "(?:may|can|should|must) be (?:approved|closed|finished|made|paid)"
            ),
        ),
        example="The refund can be closed.",
        counterexample="Why can the refund be closed?",
    ),
    Wording(
        rf"{ORDER_START}refund (?:my|the|it|me|this|that|pay)",
        example="Please refund my payment.",
        counterexample="My last refund went well.",
    ),
    ignores_negations=True,
    ignores_questions=True,
)
"""A request to do something about a refund."""

_RESTART: Final = any_phrase(
    "recover",
    "restart(?:ed)?",
    "start it again",
    "retry",
    "redo",
    "(?:re)?try (?:it|the|again)",
    "fix it",
    "help me finish",
    "get (?:it|this|that|my checkout) (?:moving|going|started|restarted|done)",
    "make it work",
)
_BANK_CHECK: Final = any_phrase(
    "3-?D ?S(?:ecure)?",
    "(?:card|bank|payment) (?:verification|security|approval)",
    "issuer challenge",
    r"verification of pay[-_\w]*",  # verification of pay_12
)
VERIFICATION: Final = RequestKind(
    Wording(
        on_one_line(_BANK_CHECK, _RESTART, max_chars_between=200),
        example="My card verification failed. Please retry.",
        counterexample="My card verification failed.",
    ),
    Wording(
        on_one_line(_RESTART, _BANK_CHECK, max_chars_between=120),
        example="Retry the card verification.",
        counterexample="Don't retry the card verification.",
    ),
    ignores_negations=True,
    ignores_questions=True,
)
"""A request to restart the bank's check of a payment, such as 3-D Secure."""
