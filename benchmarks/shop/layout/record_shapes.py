"""Tells the kinds of a shop's records by what they hold, and the names of their fields by the forms of the values.

No folder, field or state is known by its name; where several fields have one form, documents or other records decide.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from toolkit.layout import Data, Shape, every_row, keys_of, rows_of
from toolkit.stock import count_fields, delivery_fields
from toolkit.text import normal_words

_MONEY: Final = re.compile(r"price|amount|cents?$|_ct$|cost|sum", re.IGNORECASE)
_MOST: Final = re.compile(r"max|limit|allowed|most", re.IGNORECASE)


class Kind(StrEnum):
    """A kind of record, by the word that findings and answers use."""

    PRODUCT = "product"
    BRANCH = "branch"
    BASKET = "basket"
    PAYMENT = "payment"
    RETURN = "return"
    EMPLOYEE = "employee"


def kind_of_record(data: Data, code: str) -> Kind | None:
    """Return the kind of a record by what it holds; `code` is its file's name. None for any other."""
    if keys_of(data, Shape.MAIL):
        return Kind.EMPLOYEE if keys_of(data, Shape.WORDS) else None
    if keys_of(data, Shape.CURRENCY) and keys_of(data, Shape.INSTANT):
        return Kind.PAYMENT
    if code in data.values() and keys_of(data, Shape.MAPPING) and not keys_of(data, Shape.INSTANT):
        return Kind.PRODUCT
    rows = [row for _, row in every_row([data])]
    if rows and not keys_of(data, Shape.INSTANT) and min(len(keys_of(row, Shape.NUMBER)) for row in rows) > 1:
        return Kind.BRANCH
    if keys_of(data, Shape.ROWS) and keys_of(data, Shape.INSTANT):
        return Kind.BASKET
    if keys_of(data, Shape.INSTANT) and len(keys_of(data, Shape.ID)) > 2:
        return Kind.RETURN
    return Kind.BRANCH if keys_of(data, Shape.FLAG) and not keys_of(data, Shape.ID, Shape.MAPPING) else None


@dataclass(frozen=True, slots=True)
class ProductFields:
    """The fields of products. Empty: not told."""

    code: str
    name: str
    brand: str
    price: str
    """In cents."""
    properties: str


def product_fields(samples: Sequence[Data], codes: Collection[str], marked: Collection[str]) -> ProductFields:
    """Return the fields of products. `codes` are their files' names, `marked` what the documents mark."""
    data = samples[0]
    code = next((key for key, value in data.items() if isinstance(value, str) and value in codes), "")
    texts = {key: value for key, value in data.items() if isinstance(value, str) and key != code}
    name = max((key for key in texts if " " in texts[key]), key=lambda key: len(texts[key]), default="")
    start = normal_words(texts.get(name, ""))
    brands = [key for key in texts if key != name and f"{start} ".startswith(f"{normal_words(texts[key])} ")]
    numbers = keys_of(data, Shape.NUMBER)
    marks = [key for key in numbers if key in marked]
    prices = marks if len(marks) == 1 else [key for key in marks or numbers if _MONEY.search(key)]
    brand = next(iter(brands), next((key for key in texts if key in marked and key != name), ""))
    return ProductFields(code, name, brand, prices[0] if len(prices) == 1 else "", _first(data, Shape.MAPPING))


@dataclass(frozen=True, slots=True)
class StockFields:
    """The fields of a branch's stock. Empty: not told."""

    rows: str
    code: str
    on_hand: str
    reserved: str
    incoming: str = ""
    quantity: str = ""
    days: str = ""
    """In how many days a delivery arrives."""


def stock_fields(data: Data, marked: Collection[str]) -> StockFields | None:
    """Return the fields of a branch's stock; None if it is not certain which field counts what.

    `marked` is what the policy on stock marks: of a delivery, in how many days it arrives.
    """
    rows_key = _first(data, Shape.ROWS)
    rows = rows_of(data, rows_key)
    counts = count_fields(rows) if rows else None
    if counts is None:
        return None
    code = next((key for key, value in rows[0].items() if isinstance(value, str)), "")
    deliveries = [(key, one) for row in rows for key, one in every_row([row])]
    if not deliveries:
        return StockFields(rows_key, code, *counts)
    incoming, one = deliveries[0]
    told = delivery_fields(one, marked)
    return StockFields(rows_key, code, *counts, *(() if told is None else (incoming, *told)))


@dataclass(frozen=True, slots=True)
class LineFields:
    """The fields of a basket's lines."""

    rows: str
    code: str
    quantity: str


def line_fields(samples: Sequence[Data]) -> LineFields | None:
    """Return the fields of baskets' lines: a text and a number."""
    for rows, row in every_row(samples):
        texts = [key for key, value in row.items() if isinstance(value, str)]
        numbers = keys_of(row, Shape.NUMBER)
        if len(texts) == len(numbers) == 1:
            return LineFields(rows, texts[0], numbers[0])
    return None


@dataclass(frozen=True, slots=True)
class CheckFields:
    """The fields of a payment's bank check."""

    check: str
    state: str
    attempts: str
    most: str
    retry: str


def check_fields(payments: Sequence[Data]) -> CheckFields | None:
    """Return the fields of the bank check, if a payment holds one: a mapping with an instant and two counts."""
    for data in payments:
        for key in keys_of(data, Shape.MAPPING):
            check = data[key]
            counts, instants = keys_of(check, Shape.NUMBER), keys_of(check, Shape.INSTANT)
            states = [each for each in check if isinstance(check[each], str) and each not in instants]
            if len(counts) == 2 and len(instants) == 1 and states:
                every = [other[key] for other in payments if isinstance(other.get(key), dict)]
                most = max(counts, key=lambda each: (_total(every, each), bool(_MOST.search(each))))
                return CheckFields(key, states[0], next(each for each in counts if each != most), most, instants[0])
    return None


def _total(checks: Sequence[Data], key: str) -> int:
    return sum(int(each.get(key, 0)) for each in checks)


def _first(data: Data, shape: Shape) -> str:
    return next(iter(keys_of(data, shape)), "")
