"""Computes a cross list from a customer's request and the shop's records.

A customer uploads a scanned request: "20 HX-4711 Lea tarp, specs: colour=sand" asks for 20 tarps
in sand, like the competitor's HX-4711. The cross list answers it, with a row for each item:

    line_no  competitor_code  ...  match_status  matched_sku  ...  short_qty  reason
    1        HX-4711          ...  exact         VH-TRP-3     ...  8          insufficient stock

The list that a model writes is compared with the one computed here.
"""

from __future__ import annotations

from controlplane.benchmarks.shop.branches.branch_searches import branch_called, is_open
from controlplane.benchmarks.shop.branches.branch_stock import stock_of
from controlplane.benchmarks.shop.faults.cross_list_items import BRANCH, requested_items
from controlplane.benchmarks.shop.faults.cross_list_matches import match_cells
from controlplane.benchmarks.shop.faults.cross_list_page import (
    COLUMNS,
    page_on_cross_lists,
)
from controlplane.benchmarks.shop.products.catalogue import catalogue_of, products_named
from controlplane.benchmarks.shop.workspace.workspace import ShopLayout
from controlplane.sandbox.functions import CannotRead, FunctionResult, Reference


def cross_list(layout: ShopLayout, upload: str) -> FunctionResult[str]:
    """Return the cross list for the request in an uploaded file, in the words of the shop's page.

    The result cites the page and the upload. Raises `CannotRead` if the page, the branch or
    a product is not certain.
    """
    # 1. Read the request, the page, the products and the branch.
    page = page_on_cross_lists(layout)
    request = layout.files.text_of(upload)
    items = requested_items(request)
    branch_names = BRANCH.findall(request)
    if page is None or len(branch_names) != 1 or not items:
        msg = f"there is no single page on cross lists, or {upload} has no items for a single branch"
        raise CannotRead(msg)
    names = [item.description for item in items]
    products = products_named(catalogue_of(layout), names)
    words = page.result_words()
    branch = branch_called(layout, branch_names[0])
    stock = stock_of(layout, branch)
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
        Reference(page.path, f"the columns and reasons, such as {words.reason_closed}"),
    )
    return FunctionResult(table, references)
