"""Finds the names of records' fields from the shapes of values in samples.

Shops choose the names of their fields: a product's price may be `price_cents` or `amount_ct`. The
functions here return the names that this shop uses. An uncertain name is empty, or the whole result
is None.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

from controlplane.benchmarks.shop.field_shapes import (
    Data,
    Shape,
    every_row,
    first_key,
    keys_of,
    rows_of,
    shape_of,
)
from controlplane.benchmarks.shop.kinds import Kind
from controlplane.benchmarks.shop.text import normal_words

# The kind of a record ---------------------------------------------------------------------------

_SAMPLE_ROWS: Final = 8
"""The number of rows of a record that are looked at to find its kind."""


def kind_of_record(data: Data, file_name: str) -> Kind | None:
    """Return the kind of a record by the shapes of its values; None if it is unknown.

    `file_name` is the record's file name without its extension.
    """
    shapes = Counter(shape_of(value) for value in data.values())
    has_time = shapes[Shape.INSTANT] > 0
    has_rows = shapes[Shape.ROWS] > 0
    if shapes[Shape.MAIL]:
        return Kind.EMPLOYEE if shapes[Shape.WORDS] else None
    if shapes[Shape.CURRENCY] and has_time:
        return Kind.PAYMENT
    if file_name in data.values() and shapes[Shape.MAPPING] and not has_time:
        return Kind.PRODUCT
    if has_rows and not has_time and _rows_count_stock(data):
        return Kind.BRANCH
    if has_rows and has_time:
        return Kind.BASKET
    if has_time and shapes[Shape.ID] > 2:  # ids of the return, its payment and its customer
        return Kind.RETURN
    if shapes[Shape.FLAG] and not shapes[Shape.ID] and not shapes[Shape.MAPPING]:
        return Kind.BRANCH  # a branch without stock, which is open or closed
    return None


def _rows_count_stock(data: Data) -> bool:
    """Return True if each row of a record has at least two numbers, such as units on hand and
    reserved."""
    rows = [row for _, row in every_row([data])][:_SAMPLE_ROWS]
    if not rows:
        return False
    return all(len(keys_of(row, Shape.NUMBER)) > 1 for row in rows)


# Products ---------------------------------------------------------------------------------------

_MONEY: Final = re.compile(r"price|amount|cents?$|_ct$|cost|sum", re.IGNORECASE)
"""Names of fields with an amount of money. Used only if the documents do not mark exactly one
number."""


@dataclass(frozen=True, slots=True)
class ProductFields:
    """The names of products' fields. A name that is not certain is empty."""

    code: str
    name: str
    brand: str
    price: str
    """In cents."""
    properties: str


def product_fields(
    samples: Sequence[Data], codes: Collection[str], marked: Collection[str]
) -> ProductFields:
    """Return the names of products' fields.

    `codes` are the names of the products' files. `marked` are the words that documents put in code
    marks.
    """
    data = samples[0]
    code_key = _code_key(data, codes)
    texts = {key: value for key, value in data.items() if isinstance(value, str)}
    texts.pop(code_key, None)
    name_key = _longest_text_key(texts)
    return ProductFields(
        code=code_key,
        name=name_key,
        brand=_brand_key(texts, name_key, marked),
        price=_price_key(data, marked),
        properties=first_key(data, Shape.MAPPING),
    )


def _code_key(data: Data, codes: Collection[str]) -> str:
    for key, value in data.items():
        if isinstance(value, str) and value in codes:
            return key
    return ""


def _longest_text_key(texts: dict[str, str]) -> str:
    """Return the field with a product's name: the longest text of several words."""
    longest_key = ""
    for key, text in texts.items():
        is_longer = not longest_key or len(text) > len(texts[longest_key])
        if " " in text and is_longer:
            longest_key = key
    return longest_key


def _brand_key(texts: dict[str, str], name_key: str, marked: Collection[str]) -> str:
    """Return the field whose text begins the product's name, else the first text that documents
    mark."""
    name = normal_words(texts.get(name_key, ""))
    for key, text in texts.items():
        if key != name_key and f"{name} ".startswith(f"{normal_words(text)} "):
            return key
    for key in texts:
        if key != name_key and key in marked:
            return key
    return ""


def _price_key(data: Data, marked: Collection[str]) -> str:
    """Return the only number that documents mark, else the only number with a name for money."""
    numbers = keys_of(data, Shape.NUMBER)
    marked_numbers = [key for key in numbers if key in marked]
    if len(marked_numbers) == 1:
        return marked_numbers[0]
    prices = [key for key in marked_numbers or numbers if _MONEY.search(key)]
    if len(prices) == 1:
        return prices[0]
    return ""


# Stock of branches ------------------------------------------------------------------------------

_DAYS: Final = re.compile(r"(?:^|_)days?(?:_|$)")
"""Names of fields with a number of days: `arrival_in_days`."""
_ROWS_PER_EXCEPTION: Final = 4
"""Units on hand exceed reserved units in almost all rows: in more than this many rows for each
row in which it is the other way round."""


@dataclass(frozen=True, slots=True)
class StockFields:
    """The names of the fields of a branch's stock. Those of deliveries are empty if they are not
    certain."""

    rows: str
    code: str
    on_hand: str
    reserved: str
    incoming: str = ""
    """The field of a row that lists its expected deliveries."""
    quantity: str = ""
    """The field of a delivery with its units."""
    days: str = ""
    """The field of a delivery with the days until it arrives."""


def stock_fields(data: Data, marked: Collection[str]) -> StockFields | None:
    """Return the names of the fields of a branch's stock; None if the counts are not certain.

    `marked` are the words that the policy on stock puts in code marks, such as the field with the
    days until a delivery arrives.
    """
    rows_key = first_key(data, Shape.ROWS)
    rows = rows_of(data, rows_key)
    if not rows:
        return None
    counts = _count_keys(rows)
    if counts is None:
        return None
    code_key = _first_text_key(rows[0])
    fields = StockFields(rows_key, code_key, counts.on_hand, counts.reserved)

    # The rows inside a row are its deliveries. The first one shows the names of their fields.
    first_delivery = next(every_row(rows), None)
    if first_delivery is None:
        return fields
    incoming_key, delivery = first_delivery
    keys = _delivery_keys(delivery, marked)
    if keys is None:
        return fields
    return replace(fields, incoming=incoming_key, quantity=keys.quantity, days=keys.days)


def _first_text_key(row: Data) -> str:
    for key, value in row.items():
        if isinstance(value, str):
            return key
    return ""


@dataclass(frozen=True, slots=True)
class _DeliveryKeys:
    """The fields of a delivery: its units, and the days until it arrives."""

    quantity: str
    days: str


def _delivery_keys(delivery: Data, marked: Collection[str]) -> _DeliveryKeys | None:
    """Return the fields of a delivery; None if one of them is not certain.

    A delivery has two numbers. The number of days is in the field that the documents mark or, if
    they mark none, in the field with `days` in its name.
    """
    numbers = keys_of(delivery, Shape.NUMBER)
    days = [key for key in numbers if key in marked]
    if not days:
        days = [key for key in numbers if _DAYS.search(key)]
    units = [key for key in numbers if key not in days]
    if len(units) == 1 and len(days) == 1:
        return _DeliveryKeys(units[0], days[0])
    return None


@dataclass(frozen=True, slots=True)
class _CountKeys:
    """The fields for the units on hand and for the reserved units."""

    on_hand: str
    reserved: str


def _count_keys(rows: Sequence[Data]) -> _CountKeys | None:
    """Return the fields that count units; None if they are not certain.

    Each row has exactly two numbers. The one that is larger in almost all rows counts the units on
    hand. If rows have other numbers, or neither count is mostly larger, the fields are not certain.
    """
    number_keys: set[str] = set()
    for row in rows:
        number_keys.update(key for key, value in row.items() if _is_count(value))
    if len(number_keys) != 2:
        return None
    first, second = sorted(number_keys)
    first_larger = 0
    second_larger = 0
    for row in rows:
        if not _is_count(row.get(first)) or not _is_count(row.get(second)):
            return None
        if row[first] > row[second]:
            first_larger += 1
        elif row[first] < row[second]:
            second_larger += 1
    if first_larger > _ROWS_PER_EXCEPTION * second_larger:
        return _CountKeys(on_hand=first, reserved=second)
    if second_larger > _ROWS_PER_EXCEPTION * first_larger:
        return _CountKeys(on_hand=second, reserved=first)
    return None


def _is_count(value: object) -> bool:
    return shape_of(value) is Shape.NUMBER


# Lines of baskets, bank checks of payments --------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LineFields:
    """The names of the fields of a basket's lines."""

    rows: str
    """The field of the basket that lists its lines."""
    code: str
    quantity: str


def line_fields(samples: Sequence[Data]) -> LineFields | None:
    """Return the names of the fields of baskets' lines; None if they are not certain.

    A line has exactly one text and one number.
    """
    for rows_key, row in every_row(samples):
        texts = [key for key, value in row.items() if isinstance(value, str)]
        numbers = keys_of(row, Shape.NUMBER)
        if len(texts) == 1 and len(numbers) == 1:
            return LineFields(rows_key, texts[0], numbers[0])
    return None


_LIMIT: Final = re.compile(r"max|limit|allowed|most", re.IGNORECASE)
"""Names for a limit. Used if two counts are equal in all samples."""


@dataclass(frozen=True, slots=True)
class CheckFields:
    """The names of the fields of a payment's bank check."""

    check: str
    """The field of the payment that holds the bank check."""
    state: str
    attempts: str
    max_attempts: str
    retry_at: str


def check_fields(payments: Sequence[Data]) -> CheckFields | None:
    """Return the names of the fields of bank checks; None if no payment has a bank check.

    A bank check is a mapping with one instant, two counts and a state.
    """
    for data in payments:
        for check_key in keys_of(data, Shape.MAPPING):
            check = data[check_key]
            counts = keys_of(check, Shape.NUMBER)
            instants = keys_of(check, Shape.INSTANT)
            states = []
            for key, value in check.items():
                if isinstance(value, str) and key not in instants:
                    states.append(key)
            if len(counts) == 2 and len(instants) == 1 and states:
                checks = [
                    payment[check_key]
                    for payment in payments
                    if isinstance(payment.get(check_key), dict)
                ]
                limit = _limit_among(counts, checks)
                attempts = counts[1] if limit == counts[0] else counts[0]
                return CheckFields(check_key, states[0], attempts, limit, instants[0])
    return None


def _limit_among(counts: Sequence[str], checks: Sequence[Data]) -> str:
    """Return the one of two count fields that holds the limit of attempts.

    It has the larger sum over all checks. If the sums are equal, it has a name for a limit.
    """

    def sum_and_name(key: str) -> tuple[int, bool]:
        total = sum(int(check.get(key, 0)) for check in checks)
        return total, _LIMIT.search(key) is not None

    return max(counts, key=sum_and_name)


# Branches and people ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BranchFields:
    """The names of branches' fields."""

    name: str
    city: str
    """Empty if no field's text is part of the branch's name."""


def branch_fields(data: Data) -> BranchFields | None:
    """Return the names of the fields for a branch's name and city; None if no field can be the
    name.

    The city is part of the name: `Veerhaven Utrecht`, `Utrecht`.
    """
    texts = {}
    for key, value in data.items():
        if isinstance(value, str) and key != "id" and not any(char.isdigit() for char in value):
            texts[key] = normal_words(value)
    for name_key, name in texts.items():
        for city_key, city in texts.items():
            if name_key != city_key and f" {city} " in f" {name} ":
                return BranchFields(name_key, city_key)
    for key in keys_of(data, Shape.TEXT):
        if key in texts:
            return BranchFields(key, "")
    return None


def person_name_key(data: Data) -> str:
    """Return the field with a person's name: the text whose words all occur in the mail address.

    `Jan Vos`, `jan.vos@example.org`
    """
    mail = str(data[first_key(data, Shape.MAIL)]).casefold()
    for key in keys_of(data, Shape.TEXT):
        if all(word in mail for word in str(data[key]).casefold().split()):
            return key
    return "name"
