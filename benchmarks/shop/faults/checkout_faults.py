"""Reasons against buying a basket: its owner, its state, and lines that the branch cannot supply.

A line of a basket is a product and a number of units. Before `/bin/checkout basket_1` is run, the
model is told that "line 1 of basket_1 asks for 4 of AB-1, and store_graz has 3 available today".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from controlplane.benchmarks.shop.products.basket_check import check_basket_by_records
from controlplane.benchmarks.shop.products.catalogue import catalogue_of
from controlplane.benchmarks.shop.workspace.record_ids import is_same_id
from controlplane.benchmarks.shop.workspace.records.record import Record
from controlplane.benchmarks.shop.workspace.stock_notes import stock_notes
from controlplane.benchmarks.shop.workspace.workspace import ShopLayout
from controlplane.sandbox.functions import FunctionResult


def checkout_faults(layout: ShopLayout, basket: Record) -> Iterator[str]:
    """Yield the reasons why a basket cannot be bought: "basket_1 is `paid`, and not `open`"."""
    if not is_same_id(basket.owner, layout.asker.user):
        yield f"the basket {basket.id} does not belong to whoever is signed in"
    yield from state_and_stock_faults(layout, basket)


def state_and_stock_faults(layout: ShopLayout, basket: Record) -> Iterator[str]:
    """Yield a fault if a basket is not open, or else one for each line that cannot be supplied."""
    if basket.state != layout.open_state:
        yield f"{basket.id} is `{basket.state}`, and not `{layout.open_state}`"
        return
    checked = checked_basket(layout, basket.path)
    short_codes = checked.value["short"]
    # A page may correct the stock in the records, such as a day book of deliveries. Then lines
    # that are short by the records may be in stock, so there is no certain fault.
    if short_codes and stock_notes(layout.documents):
        return
    for number, line in enumerate(checked.value["lines"], 1):
        code = line["sku"]
        if code in short_codes and not _may_suffice(layout, line, checked.notes):
            yield (
                f"line {number} of {basket.id} asks for {line['quantity']} of {code}, and "
                f"{checked.value['branch']} has {line['available']} available today"
            )


def _may_suffice(
    layout: ShopLayout, line: Mapping[str, Any], notes: Sequence[str]
) -> bool:
    """Return True if the branch may have enough although a line looks short.

    The line `{"sku": "AB-1", "quantity": 4, "available": 0}` may have enough if

    - a note on the product says so: "AB-1 has `replaced_by` AB-2";
    - AB-1 may be a download, which needs no units. This is possible only if no policy of the
      shop says how downloads are marked.
    """
    has_note = any(note.startswith(line["sku"]) for note in notes)
    if has_note:
        return True
    knows_downloads = catalogue_of(layout).stockless_mark is not None
    return line["available"] == 0 and not knows_downloads


@lru_cache(maxsize=1)
def checked_basket(layout: ShopLayout, path: str) -> FunctionResult[dict[str, Any]]:
    """Return the result of `check_basket` for the basket at a path.

    `{"branch": "store_graz", "subtotal_cents": 7139, "lines": [...], "short": ["AB-1"]}`, in
    which `short` are the products with too few units. The last result is kept, because the
    checks of stock and of limits both need it.
    """
    return check_basket_by_records(layout, path)
