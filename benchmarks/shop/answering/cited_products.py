"""Finds the products that an answer has to cite, by the codes in the request and in the message.

"How many units of AB-1 do you have?" is about AB-1, so its record is cited. "How many lamps do you
sell?" names no product. Which text counts depends on the type of the task (`_codes_of`).
"""

from __future__ import annotations

import re
from typing import Final

from controlplane.benchmarks.shop.answering.draft import Draft
from controlplane.benchmarks.shop.products.product_codes import product_codes
from controlplane.benchmarks.shop.workspace.named_ids import excluded_codes
from controlplane.benchmarks.shop.workspace.records.workspace_records import (
    WorkspaceRecords,
)

# A solver sorts requests into types of tasks, such as `refund` or `stock_lookup`.
COUNT: Final = "count"
"""The type of tasks that count products: "How many lamps do you sell?" """
_ABOUT_NAMED_PRODUCTS: Final = frozenset(
    {"stock_count", "stock_lookup", "receipt_price", "checkout"}
)
"""The types of tasks that are about the products in the request."""
_UNITS: Final = re.compile(r"\b(?:units?|stock|on hand|available)\b", re.IGNORECASE)
"""Words of a request that counts units: `how many units of AB-1`."""


def named_products(draft: Draft, workspace: WorkspaceRecords) -> list[str]:
    """Return the paths of the products that the draft of an answer is about.

    Products that the request excludes are left out: "any lamp but AB-1".
    """
    excluded = excluded_codes(draft.request)
    paths = []
    for code in _codes_of(draft):
        path = workspace.files.path_of(code)
        if path is not None and code not in excluded:
            paths.append(path)
    return paths


def _codes_of(draft: Draft) -> list[str]:
    """Return the codes of the products that a draft is about.

    | type of task | example | the codes in |
    |---|---|---|
    | `count` | "How many units of AB-1 are there?" | the request |
    | `count`, but not of units | "How many lamps like AB-1 do you sell?" | no text |
    | `checkout`, `stock_lookup`, ... | "Buy AB-1." -> "AB-1 is sold out." | both texts |
    | any other | "Which lamp is the cheapest?" -> "AB-1." | the message |
    """
    if draft.task_type == COUNT:
        counts_units = _UNITS.search(draft.request) is not None
        return product_codes(draft.request) if counts_units else []
    if draft.task_type in _ABOUT_NAMED_PRODUCTS:
        return [*product_codes(draft.request), *product_codes(draft.message)]
    return product_codes(draft.message)
