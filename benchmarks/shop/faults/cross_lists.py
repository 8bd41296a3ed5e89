"""Computes a cross list from a customer's request and the shop's records.

A customer wants products like those of a competitor, and uploads a scanned request: a table
with the competitor's code, the shop's product that may replace it, and the properties that it
must have. The cross list answers it: a table that says for each item if the shop's product has
these properties, and how many units a branch can sell. The list that a model writes is
compared with the computed one.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.benchmarks.shop.branches.branch_searches import branch_called, is_open
from controlplane.benchmarks.shop.branches.branch_stock import BranchStock
from controlplane.benchmarks.shop.faults.cross_list_items import (
    BRANCH,
    requested_items,
)
from controlplane.benchmarks.shop.faults.cross_list_matches import match_cells
from controlplane.benchmarks.shop.faults.cross_list_page import (
    COLUMNS,
    COLUMNS_ON_PAGE,
    result_words,
)
from controlplane.benchmarks.shop.products.catalogue import catalogue_of, products_named
from controlplane.benchmarks.shop.texts.documents import marked_words
from controlplane.benchmarks.shop.workspace.workspace import ShopLayout
from controlplane.sandbox.functions import CannotRead, FunctionResult, Reference


def cross_list(layout: ShopLayout, upload: str) -> FunctionResult[str]:
    """Return the cross list for the request in an uploaded file, in the words of the shop's page.

    The result cites the page and the upload. Raises `CannotRead` if the page, the branch or
    a product is not certain.
    """
    # 1. Read the request, the page, the products and the branch.
    page = _page_on_cross_lists(layout)
    request = layout.files.text_of(upload)
    items = requested_items(request)
    branch_names = BRANCH.findall(request)
    if page is None or len(branch_names) != 1 or not items:
        msg = f"there is no single page on cross lists, or {upload} has no items for a single branch"
        raise CannotRead(msg)
    names = [item.description for item in items]
    products = products_named(catalogue_of(layout), names)
    words = result_words(page.one_line)
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
        row |= match_cells(item, product, stock, words, is_branch_open=is_branch_open)
        lines.append("\t".join(str(row[column]) for column in COLUMNS))
    table = "\n".join(lines) + "\n"
    references = (
        Reference(upload, f"the request for {branch.name}"),
        Reference(page.path, f"the columns and reasons, such as {words.closed}"),
    )
    return FunctionResult(table, references)


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
        if COLUMNS_ON_PAGE in marked_words(one_line):
            pages.append(_Page(path, one_line))
    return pages[0] if len(pages) == 1 else None
