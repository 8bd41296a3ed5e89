"""Reads the shop's page that says how a cross list is written: its columns and words.

A cross list says for each product of a competitor which one of the shop can replace it. The
shop chooses the words of its cells, such as `exact` or `branch is closed`. So they are read
from the page, by the sentences in which they stand in backticks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from controlplane.benchmarks.shop.certain_values import require
from controlplane.benchmarks.shop.texts.documents import marked_words

# One of the shop's documents, the page on cross lists, says how such a list is written. It puts
# the columns and the words for the possible results in backticks: "If the branch is closed, the
# `reason` is `branch is closed`." The columns are the same in all shops, the words are not.

COLUMNS: Final = (
    "line_no",
    "competitor_code",
    "requested_description",
    "requested_qty",
    "branch_id",
    "branch_open",
    "match_status",
    "matched_sku",
    "matched_product_name",
    "available_today",
    "fulfillable_qty",
    "short_qty",
    "reason",
)
COLUMNS_ON_PAGE: Final = " ".join(COLUMNS)
"""The columns as the page on cross lists has them: all in one pair of backticks."""
FIRST_COLUMN: Final = COLUMNS[0]


@dataclass(frozen=True, slots=True)
class ResultWords:
    """The words of a page on cross lists for the possible values of `match_status` and `reason`."""

    exact: str
    """The status of a product that has the required properties."""
    mismatch: str
    """The status of a product that does not have them."""
    differs: str
    """The reason if the product does not have them."""
    closed: str
    """The reason if the branch is closed."""
    enough: str
    """The reason if the branch has as many units as were requested."""
    short: str
    """The reason if the branch has fewer units than were requested."""


_WORD_PATTERNS: Final = {
    "exact": r"^exact$",
    "mismatch": r"^\w*mismatch$",  # `property_mismatch`
    "differs": r"\bnot\b.* match",  # `properties do not match`
    "closed": r"\w .*\bclosed\b",  # `branch is closed`, but not the bare state `closed`
    "enough": r" .*\bquantity available\b",  # `requested quantity available`
    "short": r"\binsufficient\b",  # `insufficient stock`
}
"""A pattern for each field of `ResultWords`."""


def result_words(page: str) -> ResultWords:
    """Return the words of a page for the values of `match_status` and `reason`.

    Raises `CannotRead` unless exactly one text in backticks matches each pattern.
    """
    marked = {text for text in marked_words(page) if text != COLUMNS_ON_PAGE}
    words = {}
    for name, pattern in _WORD_PATTERNS.items():
        candidates = [text for text in marked if re.search(pattern, text)]
        is_clear = len(candidates) == 1
        require(
            is_clear,
            "the page on cross lists does not name each state and each reason once",
        )
        words[name] = candidates[0]
    return ResultWords(**words)
