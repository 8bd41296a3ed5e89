"""What the goods of a receipt cost today: compared with another solver.

A case is what another solver for the shop was recorded to do. `@answers_part` marks the function
that answers the cases of one part: it takes `input` by its keys, and should return `expect`.

    {"part": "receipt_price",
     "input": {"lines": [{"sku": "MAT-1", "quantity": 2}], "resolved": {"MAT-1": "MAT-1"},
               "subtotal_cents": 12400, "prices_cents": {"MAT-1": 6300}, "tolerance_cents": 100},
     "expect": {"yes": False, "current_cents": 12600, "difference_cents": 200,
                "cited": ["/uploads/r.txt", "MAT-1"]}}
"""

from collections.abc import Mapping, Sequence
from typing import Any

from controlplane.benchmarks.shop.products import BasketLine, Product
from tests.exoskeleton.answering_functions import Output, answers_part


@answers_part("receipt_price")
def reprice_receipt(
    lines: Sequence[Mapping[str, Any]],
    resolved: Mapping[str, str],
    subtotal_cents: int,
    prices_cents: Mapping[str, int],
    tolerance_cents: int,
) -> Output:
    """Tell what the goods of a receipt cost today: "yes" if that is within a tolerance.

    - `lines` are the items of the receipt: `{"sku": "MAT-36OWMOZT", "quantity": 2}`
    - `resolved` has the right code for each code in them: `{"MAT-36OWMOZT": "MAT-360WMOZT"}`
    """
    current_cents = 0
    cited = ["/uploads/r.txt"]  # the receipt in all cases
    for line in lines:
        code = resolved[line["sku"]]
        product = Product("", code, "", "", prices_cents[code], properties={})
        receipt_line = BasketLine(code, line["quantity"], product, available=0)
        current_cents += receipt_line.total_cents
        if code not in cited:
            cited.append(code)
    difference_cents = abs(current_cents - subtotal_cents)
    return {
        "yes": difference_cents <= tolerance_cents,
        "current_cents": current_cents,
        "difference_cents": difference_cents,
        "cited": cited,
    }
