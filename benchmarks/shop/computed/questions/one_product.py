"""What each product that may be meant makes of a question about one, where not all words of the request are understood.

A brand in full, or a line's name with a capital, says which products may be meant. An answer rests on one of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from benchmarks.shop.computed.expectation import Expectation
from benchmarks.shop.computed.questions.stated_answers import is_value, yes_no
from benchmarks.shop.computed.shop_workspace import Record, ShopWorkspace
from benchmarks.shop.computed.stock import stock_of, units_and_days
from benchmarks.shop.computed.subjects import branch_named, products_called
from benchmarks.shop.language import request_kinds
from benchmarks.shop.language.record_kinds import skus_ruled_out
from gates.reading import DoesNotApply
from toolkit.stock import StockUnits

_FIELD: Final = re.compile(r"`(\w+)`")


def about_one_product(text: str, rules: str, expected: Expectation, shop: ShopWorkspace) -> Expectation:
    """Return what is expected of a question for the code, one field or the units of one product it describes.

    Of any other question `expected` is returned as it is.
    """
    ruled_out = set(skus_ruled_out(text))
    called = [each for each in products_called(text, shop.products) if each.data["sku"] not in ruled_out]
    fields = _FIELD.findall(text)
    if (asked := units_and_days(text)) is not None:
        return _about_units(asked, text, rules, expected, called, shop)
    if request_kinds.SKU_WANTED.find(text) and not (fields or request_kinds.SEVERAL.find(text)):
        return replace(expected, by_record={each.path: is_value(str(each.data["sku"])) for each in called})
    if len(fields) == 1 and all(_is_plain(each, fields[0]) for each in called):
        return replace(expected, by_record={each.path: is_value(_text_of(each, fields[0])) for each in called})
    return expected


def _about_units(
    asked: tuple[int, int], text: str, rules: str, expected: Expectation, called: list[Record], shop: ShopWorkspace
) -> Expectation:
    try:
        branch = branch_named(text, shop.stores)
    except DoesNotApply:
        return expected
    strange = frozenset(each.path for each in shop.stores if each.path != branch.path)
    if not called or "`" in text:
        return replace(expected, strange=strange)
    stock = stock_of(shop.at(branch.path).data)
    return replace(
        expected,
        strange=strange,
        cited=frozenset({branch.path}),
        by_record={each.path: _supplies(each, stock, asked, rules) for each in called},
    )


def _supplies(
    product: Record, stock: Mapping[str, StockUnits], asked: tuple[int, int], rules: str
) -> Callable[[str], bool]:
    units, days = asked
    have = stock.get(str(product.data["sku"]), StockUnits())
    return yes_no((have.within(days) if days else have.available) >= units, rules)


def _is_plain(product: Record, field: str) -> bool:
    return isinstance(product.shown.get(field), str | int)


def _text_of(product: Record, field: str) -> str:
    held = product.shown[field]
    return str(held).lower() if isinstance(held, bool) else str(held)
