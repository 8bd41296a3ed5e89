"""Stock: what a branch can sell today, and what it can sell within some days."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from benchmarks.ecom.player.answer_formats import in_format
from benchmarks.ecom.player.conclusions import OK, UNSUPPORTED, Conclusion, ask_which_product, cite_records
from benchmarks.ecom.player.customer_phrases import branch_named, products_meant, skus_in
from benchmarks.ecom.player.knowledge import Knowledge, Record
from benchmarks.ecom.player.read_policies import yes_or_no

DAYS: Final = re.compile(r"within (?:the next )?(\d+) days?|in the next (\d+) days?", re.IGNORECASE)
UNITS: Final = re.compile(
    r"(?:at least|fewer than|less than|reach|short of|under|below|quantity of) (\d+)|(\d+) or more", re.IGNORECASE
)
NONE_LEFT: Final = re.compile(r"not a single unit|no units?\b|nothing|sold out|zero units", re.IGNORECASE)
ON_HAND: Final = re.compile(r"physically|on hand|on the shelf", re.IGNORECASE)
SHORT: Final = re.compile(r"fewer than|less than|short of|(?:under|below) \d", re.IGNORECASE)
ASKED: Final = re.compile(
    r"(?:have|get|buy|sell|has|are there|got) (?:at least )?(?P<units>\d+|an?|one)? ?(?:units? )?(?:of )?(?:the |an? )?"
    r"(?P<phrase>.+?)(?: available| in stock| on hand| at |\?|$)",
    re.IGNORECASE,
)


def stock_by_sku(store: Record | None) -> dict[str, Record]:
    """Return a branch's stock rows by SKU."""
    return {row.text("sku"): row for row in store.rows("inventory")} if store else {}


def available(row: Record | None) -> int:
    """Return the units that can be sold today; 0 for a product without a row."""
    return max(row.number("on_hand") - row.number("reserved"), 0) if row else 0


def within(row: Record | None, days: int) -> int:
    """Return the units that can be sold once everything due within `days` has arrived."""
    due = row.rows("incoming") if row else []
    return available(row) + sum(each.number("quantity") for each in due if each.number("arrives_in_days") <= days)


def count_stock(known: Knowledge) -> Conclusion:
    """Count the named SKUs that meet a condition at a branch."""
    store, products = known.look_up_both(
        lambda: branch_named(known, known.instruction),
        lambda: known.records("products", skus_in(known.instruction)),
    )
    if store is None:
        return Conclusion("There is no such branch.", UNSUPPORTED, known.cite("stock"))
    here = stock_by_sku(store)
    holds = condition(known.instruction)
    count = sum(holds(here.get(sku)) for sku in products)
    return Conclusion(
        in_format(known.instruction, count),
        OK,
        {**cite_records(store, *products.values()), **known.cite("stock")},
    )


def condition(text: str) -> Callable[[Record | None], bool]:
    """Return the test of a stock row that a question describes."""
    units = max((int(each or other) for each, other in UNITS.findall(text)), default=1)
    days = DAYS.search(text)
    if days:
        span = int(days[1] or days[2])
        is_short = SHORT.search(text)
        return lambda row: within(row, span) >= units and not (is_short and available(row) >= units)
    if ON_HAND.search(text):
        is_short = SHORT.search(text)
        return lambda row: bool(row and row.number("on_hand") >= units and not (is_short and available(row) >= units))
    if NONE_LEFT.search(text):
        return lambda row: available(row) == 0
    if SHORT.search(text):
        return lambda row: available(row) < units
    return lambda row: available(row) >= units


def answer_stock(known: Knowledge) -> Conclusion:
    """Answer whether a branch has so many units of the described product."""
    asked = ASKED.search(known.instruction)
    store, products = known.look_up_both(
        lambda: branch_named(known, known.instruction),
        lambda: products_meant(known, _phrase(known.instruction)),
    )
    if store is None or not products:
        missing = "product" if store else "branch"
        return Conclusion(f"There is no such {missing}.", UNSUPPORTED, known.cite("stock", "catalogue"))
    if len(products) > 1:
        return ask_which_product(known, products)
    units = int(asked["units"]) if asked and (asked["units"] or "").isdigit() else 1
    days = DAYS.search(known.instruction)
    row = stock_by_sku(store).get(products[0].text("sku"))
    count = within(row, int(days[1] or days[2])) if days else available(row)
    if ON_HAND.search(known.instruction) and not days:
        count = row.number("on_hand") if row else 0
    word = yes_or_no(known, count >= units)
    citations = {**cite_records(store, *products), **known.cite("stock", "agents")}
    return Conclusion(word, OK, citations, tokens=(word,))


def _phrase(text: str) -> str:
    found = ASKED.search(text)
    ruled_out = re.search(r"\(?but not[^?)]*", text)
    return (found["phrase"] if found else text) + (f" {ruled_out[0]}" if ruled_out else "")
