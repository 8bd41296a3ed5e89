"""Reasons against buying a basket: its owner, its state, and lines that the branch cannot supply.

A line of a basket is a product and a number of units. Before `/bin/checkout basket_1` is run, the
model is told that "line 1 of basket_1 asks for 4 of AB-1, and store_graz has 3 available today".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from controlplane.benchmarks.shop.products.basket_check import (
    BasketLine,
    CheckedBasket,
    checked_basket,
)
from controlplane.benchmarks.shop.products.catalogue import catalogue_of
from controlplane.benchmarks.shop.workspace.record_ids import is_same_id
from controlplane.benchmarks.shop.workspace.records.record import Record
from controlplane.benchmarks.shop.workspace.stock_notes import stock_notes
from controlplane.benchmarks.shop.workspace.workspace import ShopLayout


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
    checked = basket_with_stock(layout, basket.path)
    short_lines = [line for line in checked.lines if line.is_short]
    # A page may correct the stock in the records, such as a day book of deliveries. Then lines
    # that are short by the records may be in stock, so there is no certain fault.
    if short_lines and stock_notes(layout.documents):
        return
    for number, line in enumerate(checked.lines, 1):
        if line.is_short and not _may_suffice(layout, line, checked.notes):
            yield (
                f"line {number} of {basket.id} asks for {line.quantity} of {line.code}, and "
                f"{checked.branch.id} has {line.available} available today"
            )


def _may_suffice(layout: ShopLayout, line: BasketLine, notes: Sequence[str]) -> bool:
    """Return True if the branch may have enough although a line looks short.

    A line with 4 of AB-1, of which 0 are available, may have enough if

    - a note on the product says so: "AB-1 has `replaced_by` AB-2";
    - AB-1 may be a download, which needs no units. This is possible only if no policy of the
      shop says how downloads are marked.
    """
    has_note = any(note.startswith(line.code) for note in notes)
    if has_note:
        return True
    knows_downloads = catalogue_of(layout).stockless_mark is not None
    return line.available == 0 and not knows_downloads


@lru_cache(maxsize=1)
def basket_with_stock(layout: ShopLayout, path: str) -> CheckedBasket:
    """Return the basket at a path beside the stock of its branch.

    The last basket is kept, because the checks of stock and of limits both need it.
    """
    return checked_basket(layout, path)
