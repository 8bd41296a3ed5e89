"""What a branch's rows of stock make of a question about units, and of an export."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Final

from benchmarks.shop.computed.expectation import Expectation
from benchmarks.shop.computed.questions.stated_answers import no_question, states_number, yes_no
from benchmarks.shop.computed.shop_workspace import ShopWorkspace
from benchmarks.shop.computed.stock import DAYS, bounds_in, count_fitting, stock_of, units_and_days
from benchmarks.shop.computed.stock_readings import Reading, any_readings_of, readings_of
from benchmarks.shop.computed.subjects import branch_named, products_described
from benchmarks.shop.language.record_kinds import skus_in
from benchmarks.shop.language.shop_evidence import OK
from gates.reading import DoesNotApply
from toolkit.stock import StockUnits

_FAMILY: Final = re.compile(r"`([^`\n]{1,60})`")


def stock_count_asked(text: str, shop: ShopWorkspace) -> Expectation:
    """Return what is expected of a count of listed SKUs by their units at a branch."""
    skus = skus_in(text)
    branch = branch_named(text, shop.stores)
    paths = frozenset(shop.product_paths(skus).values())
    readings, is_open = _readings_of(text)
    if not readings:
        basis = "The records of the branch and of the SKUs that the request lists"
        return Expectation(basis, OK, cited=paths | {branch.path})
    store = shop.at(branch.path)
    stock = stock_of(store.data)
    numbers = {count_fitting(stock, skus, each) for each in readings} | (_sums(stock, skus, text) if is_open else set())
    basis = f"The stock rows of {store.data['id']}"
    return Expectation(
        basis,
        OK,
        cited=paths | {store.path},
        states=lambda answer: any(states_number(each)(answer) for each in numbers),
    )


def _readings_of(text: str) -> tuple[list[Reading], bool]:
    """Return what the condition of a count may mean, and whether a sum of units may be meant as well.

    That is one reading if it is understood, and none if it may mean anything.
    """
    for readings, is_open in ((_understood, False), (readings_of, False), (any_readings_of, True)):
        try:
            return readings(text), is_open
        except DoesNotApply:
            continue
    return [], False


def _understood(text: str) -> list[Reading]:
    return [tuple(bounds_in(text))]


def _sums(stock: Mapping[str, StockUnits], skus: Iterable[str], text: str) -> set[int]:
    """Return the sums of the units of some SKUs, by each measure of stock."""
    rows = [stock.get(each, StockUnits()) for each in skus]
    days = [int(each) for each in DAYS.findall(text)]
    sums = {sum(each.available for each in rows), sum(each.on_hand for each in rows)}
    later = {sum(row.within(each) for row in rows) for each in days}
    return sums | later | {each - sum(row.available for row in rows) for each in later}


def stock_asked(text: str, rules: str, shop: ShopWorkspace) -> Expectation:
    """Return what is expected of a question whether a branch has so many units of one product."""
    asked = units_and_days(text)
    if asked is None or "`" in text:
        return no_question()
    units, days = asked
    products = products_described(re.sub(rf"\b{units} of\b", " ", text), shop.products)
    if len(products) != 1:
        msg = "several products fit"
        raise DoesNotApply(msg)
    store = shop.at(branch_named(text, shop.stores).path)
    stock = stock_of(store.data).get(str(products[0].data["sku"]), StockUnits())
    have = stock.within(days) if days else stock.available
    return Expectation(
        f"The stock rows of {store.data['id']}",
        OK,
        cited=frozenset({store.path, products[0].path}),
        states=yes_no(have >= units, rules),
    )


def export_asked(text: str, shop: ShopWorkspace) -> Expectation:
    """Return what is expected of an export of a family's stock at a branch."""
    paths = re.findall(r"/exports/[\w./-]*\w", text)
    families = [each for each in _FAMILY.findall(text) if any(p.data["family_id"] == each for p in shop.products)]
    headers = re.findall(r"\bSKU(?:,\d{4}-\d\d-\d\d)+", text)
    if len(paths) != 1 or len(families) != 1 or len(headers) != 1:
        msg = "the export is not certain"
        raise DoesNotApply(msg)
    store = shop.at(branch_named(text, shop.stores).path)
    products = [each for each in shop.products if each.data["family_id"] == families[0]]
    skus = sorted(str(each.data["sku"]) for each in products)
    wanted = export_table(stock_of(store.data), skus, date.fromisoformat(shop.now[:10]), headers[0])
    is_right = shop.text_or_nothing(paths[0]).strip() == wanted.strip()
    return Expectation(
        f"The rows of {paths[0]}, by the stock of {store.data['id']} and the dates of the columns,",
        OK,
        cited=frozenset((store.path, *(each.path for each in products))),
        tolerated=frozenset(paths),
        states=lambda answer: is_right and answer.strip() == paths[0],
    )


def export_table(stock: Mapping[str, StockUnits], skus: Iterable[str], today: date, header: str) -> str:
    """Return the table of an export: what is available today, and what arrives on each later date."""
    days = [(date.fromisoformat(each) - today).days for each in header.split(",")[1:]]
    rows = [header]
    for sku in skus:
        row = stock.get(sku, StockUnits())
        cells = [row.available if not day else sum(n for n, due in row.incoming if due == day) for day in days]
        rows.append(",".join([sku, *map(str, cells)]))
    return "\n".join(rows)
