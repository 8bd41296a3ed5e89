"""Kinds of questions about what can be bought today: one product, or a receipt's items.

"Do you have 4 of the LED lamp?" is answered by the stock of one product, and "can I buy all
this again?" by the stock of a receipt's items. A kind knows a question by the patterns of its
wordings, each with an example and a similar text that is not of the kind. Parts of a text that
match `lookalikes` are ignored.
"""

from __future__ import annotations

from typing import Final

from controlplane.benchmarks.shop.requests.phrases import (
    any_phrase,
)
from controlplane.benchmarks.shop.requests.request_kind import RequestKind, Wording

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
