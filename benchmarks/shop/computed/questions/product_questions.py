"""What the catalogue makes of a question."""

from __future__ import annotations

import re
from typing import Final

from benchmarks.shop.computed.expectation import Expectation
from benchmarks.shop.computed.questions.branch_questions import FURTHER_CONDITION
from benchmarks.shop.computed.questions.stated_answers import (
    in_order,
    is_value,
    no_question,
    states_number,
    yes_no,
)
from benchmarks.shop.computed.shop_workspace import Record, ShopWorkspace
from benchmarks.shop.computed.subjects import products_described, words_of
from benchmarks.shop.language import request_kinds
from benchmarks.shop.language.record_kinds import named_ids
from benchmarks.shop.language.shop_evidence import CLARIFICATION, OK
from gates.reading import DoesNotApply

PROPERTY: Final = re.compile(r"`(\w+)`\s*(?:is|=|must be|of|being|equals)\s*`([^`\n]{1,60})`", re.IGNORECASE)
_PRICE: Final = re.compile(r"(?:\bEUR|€) ?(\d{1,3}(?:,\d{3})*|\d+)(?:\.(\d\d))?(?![\d,.]*\d)")
_BELOW: Final = re.compile(r"\b(?:less than|below|under|cheaper than)\b", re.IGNORECASE)


def existence_asked(text: str, rules: str, shop: ShopWorkspace) -> Expectation:
    """Return what is expected of a question whether a product with some properties exists."""
    wanted = PROPERTY.findall(text)
    fitting = [
        each
        for each in products_described(text, shop.products)
        if all(key in each.data["properties"] for key, _ in wanted)
        and all(_spelled(each.data["properties"][key]) == value.casefold() for key, value in wanted)
    ]
    return Expectation(
        "The properties of the products that fit the request",
        OK,
        cited=frozenset(each.path for each in fitting),
        states=yes_no(bool(fitting), rules),
    )


def _spelled(value: object) -> str:
    return str(value).casefold()


def price_count_asked(text: str, shop: ShopWorkspace) -> Expectation:
    """Return what is expected of a count of a line's products below a price."""
    prices = set(_PRICE.findall(text))
    if len(prices) != 1 or not _BELOW.search(text) or FURTHER_CONDITION.search(text):
        msg = "the price is not certain"
        raise DoesNotApply(msg)
    euros, cents = prices.pop()
    limit = int(euros.replace(",", "")) * 100 + int(cents or 0)
    lines = {tuple(words_of(each.data["brand"] + " " + _line_of(each))) for each in shop.products}
    meant = [each for each in lines if in_order(each, words_of(text))]
    if len(meant) != 1:
        msg = "the line of products is not certain"
        raise DoesNotApply(msg)
    counted = [
        each
        for each in shop.products
        if words_of(each.data["name"])[: len(meant[0])] == meant[0] and int(each.data["price_cents"]) < limit
    ]
    return Expectation(
        "The prices of the products of that line",
        OK,
        cited=frozenset(each.path for each in counted),
        states=states_number(len(counted)),
    )


def _line_of(product: Record) -> str:
    """Return the word of a product's name that follows its brand."""
    rest = str(product.data["name"]).removeprefix(str(product.data["brand"])).split()
    return rest[0] if rest else ""


def sku_asked(text: str, shop: ShopWorkspace) -> Expectation:
    """Return what is expected of a request for the SKU of what it describes."""
    if named_ids(text) or "`" in text or request_kinds.SEVERAL.find(text):
        return no_question()
    products = products_described(text, shop.products)
    cited = frozenset(each.path for each in products)
    if len(products) == 1:
        basis = "The words of the request and the products' names"
        return Expectation(basis, OK, cited=cited, states=is_value(str(products[0].data["sku"])))
    skus = [str(each.data["sku"]) for each in products]
    return Expectation(
        "The products that fit the request",
        CLARIFICATION,
        cited=cited,
        states=lambda answer: all(each in answer for each in skus),
    )
