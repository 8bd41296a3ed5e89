"""Kinds of requests about a payment: to refund it, or to restart the bank's check of it.

"Please refund my payment" is a request. Three texts that only mention a refund:

- "My last refund went well" fits no pattern of a request's wordings.
- "I need no refund" has a negation (`ignores_negations`).
- "How do I get a refund?" is a question about the action (`ignores_questions`).
"""

from __future__ import annotations

from typing import Final

from controlplane.benchmarks.shop.requests.basket_requests import (
    ORDER_START,
    any_phrase,
    in_one_sentence,
    on_one_line,
)
from controlplane.benchmarks.shop.requests.request_kind import RequestKind, Wording

# Kinds of questions about what the shop's records say: one field, or several records.
#
# "What is the `status` of pay_0012?" has one answer, from one record (`FIELD`). "What is the
# cheapest lamp?" compares several records (`SEVERAL`). A kind knows a question by the patterns of
# its wordings, each with an example and a similar text that is not of the kind.

SEVERAL: Final = RequestKind(
    Wording(
        any_phrase(
            "both",
            "each",
            "compared?",
            "difference",
            "respectively",
            "cheaper",
            "(?:cheap|dear|low|high|light|heavi|small|larg|strong)est",
        ),
        example="What is the cheapest lamp?",
        counterexample="What does the lamp cost?",
    ),
    Wording(
        r"\bof [^,.?!\n]{3,40} and of\b",
        example="The price of basket_1 and of basket_2?",
        counterexample="The price of basket_1 and its date?",
    ),
)
"""A request about several records of a kind, such as a comparison."""

FIELD: Final = RequestKind(
    Wording(
        r"\bwhat (?:exact )?`[\w.]+`",
        example="With what exact `status` is pay_0012 recorded?",
        counterexample="With what date is `pay_0012` recorded?",
    ),
    Wording(
        r"\bexact (?:value (?:of|does) )?`[\w.]+`",
        example="Give the exact value of `status` of pay_0012.",
        counterexample="Give the exact price of the `LED` lamp.",
    ),
    Wording(
        r"\bWhat is the (?:exact )?`",
        example="What is the `status` of pay_0012?",
        counterexample="What is the status of `pay_0012`?",
    ),
)
"""A question for the value of a recorded field, whose name is in backticks."""


# Kinds of questions about what can be bought today: one product, or a receipt's items.
#
# "Do you have 4 of the LED lamp?" is answered by the stock of one product, and "can I buy all
# this again?" by the stock of a receipt's items. A kind knows a question by the patterns of its
# wordings, each with an example and a similar text that is not of the kind. Parts of a text that
# match `lookalikes` are ignored.

STOCK_OF_ONE: Final = RequestKind(
    Wording(
        r"\bdo you have \d+ of\b",
        example="Do you have 4 of the LED lamp?",
        counterexample="Do you have 4 of AB-1 and 2 of AB-2?",
    ),
    # These ask about several products: `do you have 4 of each`, `do you have 4 of AB-1 and 2 of`.
    lookalikes=r"\bdo you have \d+ of (?:(?:each|both|these|those|them)\b|[^.?!\n]*\band \d+ of\b)",
)
"""A question about whether the shop has a number of pieces of one product."""

RECEIPT: Final = RequestKind(
    Wording(
        any_phrase("receipt", "last (?:ocr )?upload", "See upload"),
        example="See upload 12.",
        counterexample="Can I upload a photo?",
    )
)
"""A request that mentions a receipt, which customers upload as a scanned file."""

BUY_AGAIN: Final = RequestKind(
    Wording(
        any_phrase("(?:can|could) I (?:buy|get)"),
        example="Can I buy all this again?",
        counterexample="Can I buy a lamp?",
    ),
    Wording(
        any_phrase("If I bought", "would the current catalogue subtotal"),
        example="If I bought all this again, what would it cost?",
        counterexample="What did it cost when I bought it?",
    ),
    # These do not ask for all items of a receipt: `can I buy a lamp`, `could I get my money`.
    lookalikes=r"\b(?:can|could) I (?:buy|get) (?:an?|one|some|any|my)\b",
)
"""A question about whether everything can be bought again, or what it would cost today.

Together with `RECEIPT`, it is about the items of a receipt.
"""


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
