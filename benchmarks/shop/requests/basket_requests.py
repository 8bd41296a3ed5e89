"""Kinds of requests about a basket: to buy it, or to give it a discount.

"Please check out everything" is a request to buy. "How do I complete my order?" is a question,
and "don't apply the discount" has a negation. So each kind has patterns of its wordings, and
`ignores_negations` and `ignores_questions` say that such texts are not of the kind.
"""

from __future__ import annotations

from typing import Final

from controlplane.benchmarks.shop.requests.phrases import (
    ORDER_START,
    any_phrase,
    in_one_sentence,
    then_ordered,
)
from controlplane.benchmarks.shop.requests.request_kind import RequestKind, Wording

_DETERMINER: Final = "(?:(?:the|my|this|that|our) )?"
_PURCHASE: Final = (
    f"(?:it|that|this|everything|{_DETERMINER}(?:basket|cart|order|purchase))"
)
"""What is bought: `it`, `my basket`, `order`"""
CHECKOUT: Final = RequestKind(
    Wording(
        any_phrase(
            "(?:complete|submit|finish|finali[sz]e|proceed with) "
            f"{_DETERMINER}(?:checkout|order|purchase)"
        ),
        example="Complete my order.",
        counterexample="How do I complete my order?",
    ),
    Wording(
        rf"{ORDER_START}check ?out {_PURCHASE}",
        example="Please check out everything.",
        counterexample="Is the self-checkout it?",
    ),
    Wording(
        any_phrase(f"check out {_DETERMINER}(?:basket|cart|order)"),
        example="Let me check out my basket.",
        counterexample="Let me check out your lamps.",
    ),
    Wording(
        rf"\bcheck {_PURCHASE}(?: basket[-_]\d+)? out\b",
        example="Check my basket basket_12 out.",
        counterexample="Check my basket basket_12.",
    ),
    Wording(
        then_ordered("checkout", "complete", "finish", "submit"),
        example="My checkout is stuck. Please finish it.",
        counterexample="My checkout is stuck. When did I finish it?",
    ),
    Wording(
        any_phrase("(?:buy|purchase) (?:everything|what(?:'s| is)) in"),
        example="Buy what's in my cart.",
        counterexample="What did I buy in May?",
    ),
    ignores_negations=True,  # "don't check out my basket" does not count
    ignores_questions=True,  # "How do I check out my basket?" does not count
)
"""A request to buy a basket."""

_DISCOUNT_VERBS: Final = (
    "apply",
    "add",
    "put",
    "give",
    "gets?",
    "grant",
    "issue",
    "replace",
    "renew",
    "needs?",
    "want",
)

DISCOUNT: Final = RequestKind(
    # A verb, and later in the same sentence the noun. The verbs are patterns: `gets?` is `get`
    # or `gets`.
    Wording(
        in_one_sentence(any_phrase(*_DISCOUNT_VERBS), any_phrase("discount")),
        example="Apply a discount of 10 % to my basket.",
        counterexample="Who may apply a discount?",
    ),
    # The noun, and in the next sentence an order with `it`: `apply it`, `add it` or `put it`.
    Wording(
        then_ordered("discount", "apply", "add", "put"),
        example="The manager promised a discount. Please apply it.",
        counterexample="The manager promised a discount. Is it in my basket?",
    ),
    ignores_negations=True,  # "don't apply the discount" does not count
    ignores_questions=True,  # "Who may apply a discount?" does not count
)
"""A request to give a basket a discount."""
