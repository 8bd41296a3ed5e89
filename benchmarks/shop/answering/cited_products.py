"""Finds the products that an answer is about, by the codes in the request and in the message.

"How many units of AB-1 do you have?" is about AB-1, which the answer has to cite. "How many
lamps do you sell?" is about no product by name. The type of the task, such as `stock_lookup`,
says which codes count.
"""

from __future__ import annotations

import re
from typing import Final

from controlplane.benchmarks.shop.answering.draft import Answer
from controlplane.benchmarks.shop.products.product_codes import product_codes
from controlplane.benchmarks.shop.workspace.named_ids import excluded_codes
from controlplane.benchmarks.shop.workspace.records.workspace_records import (
    WorkspaceRecords,
)

# A solver sorts requests into types of tasks, such as `refund` or `stock_lookup`.
COUNT: Final = "count"
"""The type of tasks that count products.

Their answers cite only what they count, not other records that the request names.
"""
_ABOUT_PRODUCTS: Final = frozenset(
    {"stock_count", "stock_lookup", "receipt_price", "checkout"}
)
"""The types of tasks whose answers cite each product that the request names by its code."""


def named_products(answer: Answer, workspace: WorkspaceRecords) -> list[str]:
    """Return the products whose codes an answer is about, without those that the request excludes.

    A request may say "any lamp but AB-1".
    """
    excluded = excluded_codes(answer.request)
    paths = []
    for code in _codes_of(answer):
        path = workspace.files.path_of(code)
        if path is not None and code not in excluded:
            paths.append(path)
    return paths


_UNITS: Final = re.compile(r"\b(?:units?|stock|on hand|available)\b", re.IGNORECASE)
"""Words of a request to count units: "how many units of AB-1 do you have?"."""


def _codes_of(answer: Answer) -> list[str]:
    """Return the codes of the products that an answer is about.

    A count of products is about none of them, unless it counts units of those in the
    request. Any other answer is about the products in its message, and often about
    those in the request, too.
    """
    if answer.task_type == COUNT:
        if not _UNITS.search(answer.request):
            return []
        return product_codes(answer.request)
    if answer.task_type in _ABOUT_PRODUCTS:
        return [*product_codes(answer.request), *product_codes(answer.message)]
    return product_codes(answer.message)
