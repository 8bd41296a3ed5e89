"""Reads the shop's page that says how a cross list is written.

A cross list is a table that says for each product of a competitor which one of the shop can
replace it. Its columns are the same in all shops, but each shop chooses the words of its cells. The
page gives them in backticks: "If the branch is closed, the `reason` is `branch is closed`."
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from controlplane.benchmarks.shop.certain_values import require
from controlplane.benchmarks.shop.texts.documents import marked_words
from controlplane.benchmarks.shop.workspace.workspace import ShopLayout

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
FIRST_COLUMN: Final = COLUMNS[0]
_COLUMNS_ON_PAGE: Final = " ".join(COLUMNS)
"""The columns as the page has them: all in one pair of backticks."""


@dataclass(frozen=True, slots=True)
class ResultWords:
    """The shop's words for the cells `match_status` and `reason` of a cross list."""

    status_of_match: str
    """If the shop's product has the required properties: `exact`."""
    status_of_mismatch: str
    """If it does not have them: `property_mismatch`."""
    reason_mismatch: str
    """`properties do not match`"""
    reason_closed: str
    """`branch is closed`"""
    reason_enough: str
    """If the branch has as many units as were requested: `requested quantity available`."""
    reason_short: str
    """If it has fewer: `insufficient stock`."""


_WORD_PATTERNS: Final = {
    "status_of_match": r"^exact$",
    "status_of_mismatch": r"^\w*mismatch$",
    "reason_mismatch": r"\bnot\b.* match",
    "reason_closed": r"\w .*\bclosed\b",  # not `closed` alone, which is a state of branches
    "reason_enough": r" .*\bquantity available\b",  # after other words
    "reason_short": r"\binsufficient\b",
}
"""For each field of `ResultWords`, the pattern of the text in backticks that it holds."""


@dataclass(frozen=True, slots=True)
class CrossListPage:
    """The page that says how a cross list is written."""

    path: str
    marked_texts: frozenset[str]
    """The texts in backticks, such as `branch is closed`."""

    def result_words(self) -> ResultWords:
        """Return the shop's words for results.

        Raises `CannotRead` unless exactly one text in backticks matches each pattern.
        """
        words = {}
        for name, pattern in _WORD_PATTERNS.items():
            matching = [text for text in self.marked_texts if re.search(pattern, text)]
            require(
                len(matching) == 1,
                "the page on cross lists does not name each state and each reason once",
            )
            words[name] = matching[0]
        return ResultWords(**words)


def page_on_cross_lists(layout: ShopLayout) -> CrossListPage | None:
    """Return the only document that names the columns of a cross list; None for none or several."""
    pages = []
    for path, text in layout.documents.texts.items():
        marked = frozenset(marked_words(" ".join(text.split())))
        if _COLUMNS_ON_PAGE in marked:
            pages.append(CrossListPage(path, marked - {_COLUMNS_ON_PAGE}))
    return pages[0] if len(pages) == 1 else None
