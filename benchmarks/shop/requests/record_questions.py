"""Kinds of questions about what the shop's records say: one field, or several records.

"What is the `status` of pay_0012?" has one answer, from one record (`FIELD`). "What is the
cheapest lamp?" compares several records (`SEVERAL`). A kind knows a question by the patterns of
its wordings, each with an example and a similar text that is not of the kind.
"""

from __future__ import annotations

from typing import Final

from controlplane.benchmarks.shop.requests.phrases import (
    any_phrase,
)
from controlplane.benchmarks.shop.requests.request_kind import RequestKind, Wording

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
