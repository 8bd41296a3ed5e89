"""Computes a cross list from a customer's request and the shop's records.

A customer wants products like those of a competitor, and uploads a scanned request: a table
with the competitor's code, the shop's product that may replace it, and the properties that it
must have. The cross list answers it: a table that says for each item if the shop's product has
these properties, and how many units a branch can sell. The list that a model writes is
compared with the computed one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from controlplane.benchmarks.shop.products.catalogue import catalogue_of, products_named
from controlplane.benchmarks.shop.products.product import Product
from controlplane.benchmarks.shop.stock_functions import BranchStock, is_open
from controlplane.benchmarks.shop.texts.documents import marked_words
from controlplane.benchmarks.shop.texts.text import normal_words, require
from controlplane.benchmarks.shop.workspace.branches import branch_called
from controlplane.benchmarks.shop.workspace.workspace import ShopLayout
from controlplane.sandbox.functions import CannotRead, FunctionResult, Reference

# The request ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RequestedItem:
    """One item of a scanned request."""

    code: str
    """The competitor's code."""
    description: str
    """The name of the shop's product that may replace it."""
    specs: Mapping[str, str]
    """The required values by property, both in normal words: `{"colour": "sand"}`."""
    count: int
    """The number of units that the customer wants."""

    def fits(self, product: Product) -> bool:
        """Return True if a product has every required value."""
        properties = {}
        for key, value in product.property_texts.items():
            properties[normal_words(key)] = normal_words(value)
        return all(properties.get(key) == value for key, value in self.specs.items())


_ITEM: Final = re.compile(
    r"^ *\d{1,3} +(?P<count>\d{1,5}) +(?P<code>[A-Z]+-\w+) +(?P<name_and_specs>\S.*)$"
)
"""` 1   20  HX-4711  Lea tarp specs: colour=sand`"""
_CONTINUATION: Final = re.compile(r"^ {6,}(?!note:)(\S.*)$", re.IGNORECASE)
"""A further line of an item. It is indented more than any number, and is not a note."""
_SPECS: Final = re.compile(r"\bspecs:", re.IGNORECASE)
_BRANCH: Final = re.compile(r"\bbranch: *(\S.*)$", re.IGNORECASE | re.MULTILINE)
"""`branch: Graz Centre`"""


def requested_items(text: str) -> list[RequestedItem]:
    """Return the items of a scanned request.

    An item has its number, the quantity, the competitor's code, the shop's product and the
    properties that it must have. Long items go on below, indented:

        branch: Graz Centre
         1   20  HX-4711  Lea tarp specs: colour=sand;
                          waterproof_mm=3000
    """
    joined_lines: list[str] = []
    for line in text.splitlines():
        continuation = _CONTINUATION.match(line)
        if _ITEM.match(line):
            joined_lines.append(line)
        elif continuation is not None and joined_lines:
            joined_lines[-1] += f" {continuation[1]}"

    items = []
    for line in joined_lines:
        match = _ITEM.match(line)
        assert match is not None
        description, *specs_texts = _SPECS.split(match["name_and_specs"])
        specs = _specs_of(" ".join(specs_texts))
        items.append(
            RequestedItem(
                match["code"], description.strip(), specs, int(match["count"])
            )
        )
    return items


def _specs_of(text: str) -> dict[str, str]:
    """Return the values by property in `colour=sand; waterproof_mm=3000`, in normal words."""
    specs = {}
    for pair in text.split(";"):
        key, equals_sign, value = pair.partition("=")
        if equals_sign:
            specs[normal_words(key)] = normal_words(value)
    return specs


# The page on cross lists ------------------------------------------------------------------------

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
_COLUMNS_ON_PAGE: Final = " ".join(COLUMNS)
"""The columns as the page on cross lists has them: all in one pair of backticks."""
FIRST_COLUMN: Final = COLUMNS[0]


@dataclass(frozen=True, slots=True)
class _ResultWords:
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
"""A pattern for each field of `_ResultWords`."""


def _result_words(page: str) -> _ResultWords:
    """Return the words of a page for the values of `match_status` and `reason`.

    Raises `CannotRead` unless exactly one text in backticks matches each pattern.
    """
    marked = {text for text in marked_words(page) if text != _COLUMNS_ON_PAGE}
    words = {}
    for name, pattern in _WORD_PATTERNS.items():
        candidates = [text for text in marked if re.search(pattern, text)]
        is_clear = len(candidates) == 1
        require(
            is_clear,
            "the page on cross lists does not name each state and each reason once",
        )
        words[name] = candidates[0]
    return _ResultWords(**words)


# The cross list ---------------------------------------------------------------------------------


def cross_list(layout: ShopLayout, upload: str) -> FunctionResult[str]:
    """Return the cross list for the request in an uploaded file, in the words of the shop's page.

    The result cites the page and the upload. Raises `CannotRead` if the page, the branch or
    a product is not certain.
    """
    # 1. Read the request, the page, the products and the branch.
    page = _page_on_cross_lists(layout)
    request = layout.files.text_of(upload)
    items = requested_items(request)
    branch_names = _BRANCH.findall(request)
    if page is None or len(branch_names) != 1 or not items:
        msg = f"there is no single page on cross lists, or {upload} has no items for a single branch"
        raise CannotRead(msg)
    names = [item.description for item in items]
    products = products_named(catalogue_of(layout), names)
    words = _result_words(page.one_line)
    branch = branch_called(layout, branch_names[0])
    stock = BranchStock(layout, branch)
    is_branch_open = is_open(layout, branch)

    # 2. Write a row for each item.
    lines = ["\t".join(COLUMNS)]
    for number, (item, product) in enumerate(zip(items, products, strict=True), 1):
        row = {
            "line_no": number,
            "competitor_code": item.code,
            "requested_description": product.name,
            "requested_qty": item.count,
            "branch_id": branch.id,
            "branch_open": "true" if is_branch_open else "false",
        }
        row |= _match_cells(item, product, stock, words, is_branch_open=is_branch_open)
        lines.append("\t".join(str(row[column]) for column in COLUMNS))
    table = "\n".join(lines) + "\n"
    references = (
        Reference(upload, f"the request for {branch.name}"),
        Reference(page.path, f"the columns and reasons, such as {words.closed}"),
    )
    return FunctionResult(table, references)


def _match_cells(
    item: RequestedItem,
    product: Product,
    stock: BranchStock,
    words: _ResultWords,
    *,
    is_branch_open: bool,
) -> dict[str, object]:
    """Return the cells that say if a product fits an item, and how many units a branch can sell."""
    if not item.fits(product):
        return {
            "match_status": words.mismatch,
            "matched_sku": "",
            "matched_product_name": "",
            "available_today": 0,
            "fulfillable_qty": 0,
            "short_qty": item.count,
            "reason": words.differs,
        }

    available = stock.units(product.code).available
    if not is_branch_open:
        fulfillable = 0
        reason = words.closed
    elif available >= item.count:
        fulfillable = item.count
        reason = words.enough
    else:
        fulfillable = available
        reason = words.short
    return {
        "match_status": words.exact,
        "matched_sku": product.code,
        "matched_product_name": product.name,
        "available_today": available,
        "fulfillable_qty": fulfillable,
        "short_qty": item.count - fulfillable,
        "reason": reason,
    }


@dataclass(frozen=True, slots=True)
class _Page:
    """The document that says how a cross list is written."""

    path: str
    one_line: str
    """The page's text without line breaks."""


def _page_on_cross_lists(layout: ShopLayout) -> _Page | None:
    """Return the only document with the columns of a cross list in backticks.

    The result is None if there is none, or several.
    """
    pages = []
    for path, text in layout.documents.texts.items():
        one_line = " ".join(text.split())
        if _COLUMNS_ON_PAGE in marked_words(one_line):
            pages.append(_Page(path, one_line))
    return pages[0] if len(pages) == 1 else None
