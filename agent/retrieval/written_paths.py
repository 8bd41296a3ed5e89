"""Finds the paths that a text names, such as a request, or the workspace's rules.

"Cars may stand there (see `/docs/parking.md`)." names `/docs/parking.md`. Punctuation around a
path does not belong to it.
"""

from __future__ import annotations

from typing import Final

PUNCTUATION_TO_BLANKS: Final = str.maketrans(
    dict.fromkeys("`'\"()[]{}<>,;:!?*#|=+&%$@~^\\", " ")
)
"""Translates the punctuation around paths and names to blanks."""


def paths_in(text: str) -> list[str]:
    """Return the absolute paths that a text names, in order.

    "Loans: see /docs/loans.md. Fees: /docs/fees.md." -> `/docs/loans.md`, `/docs/fees.md`
    """
    paths: list[str] = []
    for token in text.translate(PUNCTUATION_TO_BLANKS).split():
        if token.startswith("/") and token[1:2].isalnum():
            paths.append(token.rstrip("./-"))
    return paths
