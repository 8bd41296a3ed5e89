"""Receipts that were read from a scan, and what their goods cost today: compared with another solver.

A case is what another solver for the shop was recorded to do. `@answers_part` marks the function
that answers the cases of one part: it takes `input` by its keys, and should return `expect`.

    {"part": "sku_repair",
     "input": {"read": "MAT-36OWMOZT", "catalogue": ["MAT-360WMOZT"]},
     "expect": {"sku": "MAT-360WMOZT"}}  # The scan had an O for a zero.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from controlplane.benchmarks.shop.receipts.coded_receipts import read_coded_lines
from controlplane.benchmarks.shop.receipts.repaired_codes import repaired_code
from controlplane.benchmarks.shop.receipts.repricing import reprice
from tests.exoskeleton.answering_functions import Output, answers_part

RECEIPT_PATH = "/uploads/r.txt"
"""The file of the receipt in all cases about prices."""


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


@answers_part("receipt_price")
def reprice_receipt(
    lines: Sequence[Mapping[str, Any]],
    resolved: Mapping[str, str],
    subtotal_cents: int,
    prices_cents: Mapping[str, int],
    tolerance_cents: int,
) -> Output:
    """Tell what the goods of a receipt cost today: "yes" if that is within a tolerance.

    - `lines` are what `read_receipt` returns as items: `{"sku": "MAT-36OWMOZT", "quantity": 2}`
    - `resolved` has the right code for each code in them: `{"MAT-36OWMOZT": "MAT-360WMOZT"}`
    """
    counts = [(resolved[line["sku"]], line["quantity"]) for line in lines]

    repriced = reprice(counts, subtotal_cents, prices_cents)

    cited = [RECEIPT_PATH]
    for code, _ in counts:
        if code not in cited:
            cited.append(code)
    return {
        "yes": repriced.difference_cents <= tolerance_cents,
        "current_cents": repriced.today_cents,
        "difference_cents": repriced.difference_cents,
        "cited": cited,
    }
