"""The cells of a cross list that say if the shop's product can replace a competitor's.

A customer wants 20 tarps in sand, at least as good as the competitor's. If the shop's tarp is
green, the item is a mismatch. If it fits and the branch has 12, then 12 can be sold, and 8 are
short. The shop's page says in which words.
"""

from __future__ import annotations

from controlplane.benchmarks.shop.branches.branch_stock import BranchStock
from controlplane.benchmarks.shop.faults.cross_list_items import RequestedItem
from controlplane.benchmarks.shop.faults.cross_list_page import ResultWords
from controlplane.benchmarks.shop.products.product import Product


def match_cells(
    item: RequestedItem,
    product: Product,
    stock: BranchStock,
    words: ResultWords,
    *,
    is_branch_open: bool,
) -> dict[str, object]:
    """Return the cells that say if a product fits an item, and how many units a branch can sell.

    For 20 tarps, of which an open branch has 12: `{"match_status": "exact", "matched_sku":
    "VH-TRP-3", ..., "available_today": 12, "fulfillable_qty": 12, "short_qty": 8, ...}`
    """
    if not item.fits(product):
        return {
            "match_status": words.status_of_mismatch,
            "matched_sku": "",
            "matched_product_name": "",
            "available_today": 0,
            "fulfillable_qty": 0,
            "short_qty": item.count,
            "reason": words.reason_mismatch,
        }

    available = stock.units(product.code).available
    if not is_branch_open:
        fulfillable = 0
        reason = words.reason_closed
    elif available >= item.count:
        fulfillable = item.count
        reason = words.reason_enough
    else:
        fulfillable = available
        reason = words.reason_short
    return {
        "match_status": words.status_of_match,
        "matched_sku": product.code,
        "matched_product_name": product.name,
        "available_today": available,
        "fulfillable_qty": fulfillable,
        "short_qty": item.count - fulfillable,
        "reason": reason,
    }
