"""Receipts that were read from a scan: compared with another solver.

A case is what another solver for the shop was recorded to do. `@answers_part` marks the function
that answers the cases of one part: it takes `input` by its keys, and should return `expect`.

    {"part": "sku_repair",
     "input": {"read": "MAT-36OWMOZT", "catalogue": ["MAT-360WMOZT"]},
     "expect": {"sku": "MAT-360WMOZT"}}  # The scan had an O for a zero.
"""

from collections.abc import Sequence
from typing import Any

from controlplane.benchmarks.shop.stock_functions import read_coded_lines, repaired_code
from tests.exoskeleton.answering_functions import Output, answers_part


@answers_part("sku_repair")
def repair_sku(read: str, catalogue: Sequence[str]) -> Output:
    """Correct a product code that was `read` from a scan by the codes in the catalogue."""
    return {"sku": repaired_code(read, catalogue)}


@answers_part("receipt_lines")
def read_receipt(lines: Sequence[str]) -> Output:
    """Tell what a receipt lists, in cents; an error if its sums do not add up.

    `["MAT-360WMOZT 2 x 62.00 124.00", "Subtotal 124.00"]` -> two of a code, for 12400 cents
    """
    receipt = read_coded_lines(lines)
    if receipt is None:
        return {"error": True}
    items: list[dict[str, Any]] = []
    for item in receipt.items:
        items.append(
            {
                "sku": item.code,
                "quantity": item.count,
                "unit_cents": item.unit_cents,
                "line_cents": item.total_cents,
            }
        )
    return {"subtotal_cents": receipt.subtotal_cents, "items": items}
