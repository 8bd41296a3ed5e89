"""Kinds of requests about files: to delete temporary ones, or to write a list of stock.

"Empty /tmp/scan-3" is a request, and "do not delete /tmp/scan-3" is not. So a kind has patterns
of its wordings and, as an order (`is_order`), does not count in a clause that negates it or
asks about it.
"""

from __future__ import annotations

from typing import Final

from controlplane.benchmarks.shop.requests.phrases import (
    any_phrase,
    in_one_sentence,
)
from controlplane.benchmarks.shop.requests.request_kind import RequestKind, Wording

_UP_TO_DOT: Final = r"(?:[^.]|\.\w)"
"""One character before the dot that ends a sentence. The sentence may span several lines."""
CLEANUP: Final = RequestKind(
    Wording(
        any_phrase("delete", "clean", "empty", "remove") + rf"{_UP_TO_DOT}*/tmp/",
        example="Delete these files:\n/tmp/scan-3/a.txt",
        counterexample="Delete my basket. The receipt is in /tmp/scan-3.",
    ),
    Wording(
        rf"/tmp/{_UP_TO_DOT}*" + any_phrase("delete", "remove"),
        example="In /tmp/scan-3, please remove all logs.",
        counterexample="In /tmp/scan-3, how many logs are there?",
    ),
    is_order=True,
)
"""A request to delete temporary files."""

EXPORT: Final = RequestKind(
    Wording(
        in_one_sentence(
            any_phrase("create", "write", "make", "generate", "prepare", "save"),
            any_phrase("inventory (?:CSV )?export"),
        ),
        example="Create an inventory export for the Graz branch.",
        counterexample="When was the last inventory export?",
    ),
    is_order=True,
)
"""A request to write a list of stock."""
