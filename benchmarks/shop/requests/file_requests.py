"""Kinds of requests about files: to delete temporary ones, or to write a list of stock.

"Empty /tmp/scan-3" is a request. "Do not delete /tmp/scan-3" has a negation, and "how do I empty
/tmp/scan-3?" is a question. So each kind has patterns of its wordings, and `ignores_negations`
and `ignores_questions` say that such texts are not of the kind.
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
    ignores_negations=True,
    ignores_questions=True,
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
    ignores_negations=True,
    ignores_questions=True,
)
"""A request to write a list of stock."""
