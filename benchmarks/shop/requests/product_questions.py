"""Kinds of questions about a product that is described, and not named by its code.

"I need the article code of an LED lamp, colour not stated" is of two kinds: it wants a code
(`SKU_WANTED`), and leaves a detail open (`DETAIL_LEFT_OPEN`). A kind knows a question by the
patterns of its wordings, each with an example and a similar text that is not of the kind.
"""

from __future__ import annotations

from typing import Final

from controlplane.benchmarks.shop.requests.phrases import (
    any_phrase,
)
from controlplane.benchmarks.shop.requests.request_kind import RequestKind, Wording

EXISTENCE: Final = RequestKind(
    Wording(
        any_phrase(
            "Does such (?:a )?product exist",
            "a product like (?:this|that)",
            "do you sell (?:this|such)",
        ),
        example="Does such a product exist?",
        counterexample="Do you sell on Sundays?",
    )
)
"""A question about whether the shop sells a described product."""

SKU_WANTED: Final = RequestKind(
    Wording(
        any_phrase(
            "sku for",
            "SKU lookup",
            "Stock Keeping Unit",
            "need (?:the )?(?:article )?code",
            "product code",
            "SKU of",
            "sku only",
            "(?:the|item) code only",
            "Just the code",
        ),
        example="I need the article code.",
        counterexample="I need the LED lamp with SKU AB-1.",
    )
)
"""A request for the code of a described product, its SKU (stock keeping unit)."""

_PART: Final = (
    "(?:packs?|listing|set|bundle|body|kit|unit|adapter|accessories|batteries)"
)
"""A part that some variants of a product have and others do not: a drill, its kit and its bundle."""
_WITHOUT_PART: Final = (
    r"\b(?:without|outside|excluded|not) "
    r"(?:the |a |[a-z0-9]+ )?(?:\w+ ){0,2}?"  # up to three words: `the charging `
    rf"{_PART}"
)
"""`without the charging kit`"""
DETAIL_LEFT_OPEN: Final = RequestKind(
    Wording(
        any_phrase(
            "not (?:supplied|provided|specified|stated|given)",
            "(?:un|under)specified",
            "unstated",
            "detail missing",
        ),
        example="An LED lamp, colour not stated.",
        counterexample="An LED lamp, not the red one.",
    ),
    Wording(
        rf"{_WITHOUT_PART}\b",
        example="The drill without the charging kit.",
        counterexample="The drill without the charging kit with a case.",
    ),
    Wording(
        r"\bno (?:\w+ ){0,2}?(?:packs?|case|kit|adapter|accessories|batteries)\b",
        example="The drill, no extra batteries.",
        counterexample="The drill with batteries, no hurry.",
    ),
    # The variant is certain if the text says what the product has instead: `without the charging
    # kit with a case`. Such parts of the text are ignored.
    lookalikes=rf"{_WITHOUT_PART} (?:with|incl|plus)\w*\b",
)
"""A description that may fit several variants of a product, because a detail is left open.

For example, a drill without the charging kit may be the bare drill or a bundle with a case.
"""

CONSTRAINT: Final = RequestKind(
    Wording(
        any_phrase("must", "and has", "that has", "whose", "supports?"),
        example="An LED lamp that has a switch.",
        counterexample="An LED lamp in red.",
    ),
    Wording(
        "`",  # Requests put properties and their values in backticks.
        example="An LED lamp with `socket` `E27`.",
        counterexample="An LED lamp with socket E27.",
    ),
)
"""A request that requires a property of a product."""
