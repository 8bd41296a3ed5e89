"""Finds the names of records' fields from the shapes of values in samples.

Shops choose the names of their fields: a product's price may be `price_cents` or
`amount_ct`. The functions here return the names that this shop uses. They judge by values and,
if several fields have similar ones, by `marked`: the words that the shop's documents put in
backticks. Documents mention the fields that matter, "the price is in `amount_ct`", and no others.
An uncertain name is empty, or the whole result is None.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.benchmarks.shop.texts.text import normal_words
from controlplane.benchmarks.shop.workspace.field_shapes import (
    Data,
    Shape,
    every_row,
    first_key,
    keys_of,
    rows_of,
    shape_of,
)
from controlplane.benchmarks.shop.workspace.kinds import Kind

# The kind of a record ---------------------------------------------------------------------------

_SAMPLE_ROWS: Final = 8
"""The number of rows of a record that are looked at to find its kind."""


def kind_of_record(data: Data, file_name: str) -> Kind | None:
    """Return the kind of a record by the shapes of its values; None if it is unknown.

    `file_name` is the record's file name without its extension. The kinds are tried in
    this order, because later ones have fewer signs of their own. The examples show the signs:

    | kind     | example                                                                          |
    | -------- | -------------------------------------------------------------------------------- |
    | employee | `{"mail": "jan.vos@example.org", "roles": ["floor_lead"]}`                       |
    | payment  | `{"currency": "EUR", "created_at": "2027-03-01T10:00:00Z"}`                      |
    | product  | `{"sku": "AB-1", "properties": {"colour": "sand"}}`, in the file `AB-1.json`     |
    | branch   | `{"stock": [{"sku": "AB-1", "on_hand": 4, "reserved": 1}]}`                      |
    | basket   | `{"created_at": "2027-03-01T10:00:00Z", "lines": [{"sku": "AB-1", "count": 2}]}` |
    | return   | `{"id": "ret_1", "payment": "pay_7", "customer": "cust-4", "created_at": ...}`   |
    | branch   | `{"name": "Graz Centre", "is_open": true}`                                       |
    """
    shapes = Counter(shape_of(value) for value in data.values())
    has_time = shapes[Shape.INSTANT] > 0
    has_rows = shapes[Shape.ROWS] > 0
    has_mapping = shapes[Shape.MAPPING] > 0
    ids = shapes[Shape.ID]
    if shapes[Shape.MAIL]:
        # Customers have mail addresses, too, but no roles.
        has_roles = shapes[Shape.WORDS] > 0
        return Kind.EMPLOYEE if has_roles else None
    if shapes[Shape.CURRENCY] and has_time:
        return Kind.PAYMENT
    if file_name in data.values() and has_mapping and not has_time:
        return Kind.PRODUCT
    if has_rows and not has_time and _rows_count_stock(data):
        return Kind.BRANCH
    if has_rows and has_time:
        return Kind.BASKET
    if has_time and ids >= 3:  # ids of the return, its payment and its customer
        return Kind.RETURN
    if shapes[Shape.FLAG] and ids == 0 and not has_mapping:
        return Kind.BRANCH  # a branch without stock, which is open or closed
    return None


def _rows_count_stock(data: Data) -> bool:
    """Return True if each row of a record has at least two numbers: units on hand and reserved."""
    rows = [row.data for row in every_row([data])][:_SAMPLE_ROWS]
    if not rows:
        return False
    return all(len(keys_of(row, Shape.NUMBER)) > 1 for row in rows)


# Products ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ProductFields:
    """The names of products' fields. A name that is not certain is empty."""

    code: str
    name: str
    brand: str
    price: str
    """The field with the price in cents."""
    properties: str
    """The field with a mapping of further properties: `{"colour": "sand"}`."""


def product_fields(
    samples: Sequence[Data], codes: Collection[str], marked: Collection[str]
) -> ProductFields:
    """Return the names of products' fields.

    `codes` are the names of the products' files, which are their codes. `marked` are the
    words that documents put in backticks.
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
    """Return the first field whose text is a product's code; empty if there is none."""
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
    """Return the field with a product's brand; empty if it is not certain."""
    # 1. Names of products begin with the brand: `Osier` of `Osier Lea tarp`.
    name_words = normal_words(texts.get(name_key, "")).split()
    other_keys = [key for key in texts if key != name_key]
    for key in other_keys:
        brand_words = normal_words(texts[key]).split()
        if brand_words and name_words[: len(brand_words)] == brand_words:
            return key

    # 2. Otherwise it is the first field with a text that documents mention.
    for key in other_keys:
        if key in marked:
            return key
    return ""


_MONEY: Final = re.compile(r"price|amount|cents?$|_ct$|cost|sum", re.IGNORECASE)
"""Names of fields that are probably an amount of money: `unit_price`, `amount_ct`."""


def _price_key(data: Data, marked: Collection[str]) -> str:
    """Return the field with a product's price; empty if it is not certain."""
    # 1. It is the only number that documents mention.
    numbers = keys_of(data, Shape.NUMBER)
    marked_numbers = [key for key in numbers if key in marked]
    if len(marked_numbers) == 1:
        return marked_numbers[0]

    # 2. Otherwise it is the only one with a name for money: of the numbers that documents mention
    #    or, if they mention none, of all.
    possible_prices = marked_numbers or numbers
    prices = [key for key in possible_prices if _MONEY.search(key)]
    return prices[0] if len(prices) == 1 else ""


# Stock of branches ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DeliveryFields:
    """The names of the fields of a branch's expected deliveries.

    For a row of its stock `{"sku": "AB-1", ..., "incoming": [{"quantity": 20,
    "arrival_in_days": 3}]}`, they are `incoming`, `quantity` and `arrival_in_days`.
    """

    rows: str
    """The field of a stock row that lists the deliveries."""
    quantity: str
    """The field of a delivery with its units."""
    days: str
    """The field of a delivery with the days until it arrives."""


@dataclass(frozen=True, slots=True)
class StockFields:
    """The names of the fields of a branch's stock.

    For the branch `{"stock": [{"sku": "AB-1", "on_hand": 4, "reserved": 1}]}`, they are
    `stock`, `sku`, `on_hand` and `reserved`.
    """

    rows: str
    """The field of the branch that lists its stock, one row a product."""
    code: str
    """The field of a row with the product's code."""
    on_hand: str
    reserved: str
    deliveries: DeliveryFields | None = None
    """None if the branch has no deliveries, or if their fields are not certain."""


def stock_fields(branch: Data, marked: Collection[str]) -> StockFields | None:
    """Return the names of the fields of a branch's stock; None if the counts are not certain.

    `marked` are the words that the policy on stock puts in backticks.
    """
    rows_key = first_key(branch, Shape.ROWS)
    rows = rows_of(branch, rows_key)
    if not rows:
        return None
    counts = _count_keys(rows)
    if counts is None:
        return None
    return StockFields(
        rows=rows_key,
        code=_first_text_key(rows[0]),
        on_hand=counts.on_hand,
        reserved=counts.reserved,
        deliveries=_delivery_fields(rows, marked),
    )


def _first_text_key(row: Data) -> str:
    """Return the first field with a text. In a row of stock, only the product's code is one."""
    for key, value in row.items():
        if isinstance(value, str):
            return key
    return ""


_DAYS: Final = re.compile(r"(?:^|_)days?(?:_|$)")
"""Names of fields with a number of days: `arrival_in_days`."""


def _delivery_fields(
    stock_rows: Sequence[Data], marked: Collection[str]
) -> DeliveryFields | None:
    """Return the fields of deliveries; None if there are none, or if one is not certain.

    A delivery is a row inside a row of the stock, with two numbers: `{"quantity": 20,
    "arrival_in_days": 3}`. The days are in the field that the policy mentions (`marked`)
    or, if it mentions none, in the one with `days` in its name.
    """
    first_delivery = next(every_row(stock_rows), None)
    if first_delivery is None:
        return None
    numbers = keys_of(first_delivery.data, Shape.NUMBER)
    days = [key for key in numbers if key in marked]
    if not days:
        days = [key for key in numbers if _DAYS.search(key)]
    units = [key for key in numbers if key not in days]
    if len(units) == 1 and len(days) == 1:
        return DeliveryFields(first_delivery.key, units[0], days[0])
    return None


@dataclass(frozen=True, slots=True)
class _CountKeys:
    """The fields for the units on hand and for the reserved units."""

    on_hand: str
    reserved: str


_LEAST_RATIO: Final = 4
"""How many times as often as the other one a count must be the larger of the two.

Of 10 rows, 9 to 1 is enough, and 8 to 2 is not.
"""


def _count_keys(rows: Sequence[Data]) -> _CountKeys | None:
    """Return the fields of a stock's rows that count units; None if they are not certain.

    Each row has exactly two numbers: the units on hand, and those of them that are reserved
    for customers. So the number that is larger in almost all rows counts the units on hand.
    """
    # 1. Find the two fields.
    number_keys: set[str] = set()
    for row in rows:
        number_keys.update(key for key, value in row.items() if _is_count(value))
    if len(number_keys) != 2:
        return None

    # 2. Count the rows in which each is larger.
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

    # 3. One of them must be larger in almost all rows.
    if first_larger > _LEAST_RATIO * second_larger:
        return _CountKeys(on_hand=first, reserved=second)
    if second_larger > _LEAST_RATIO * first_larger:
        return _CountKeys(on_hand=second, reserved=first)
    return None


def _is_count(value: object) -> bool:
    """Return True for a number that may count units."""
    return shape_of(value) is Shape.NUMBER


# Lines of baskets, bank checks of payments --------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LineFields:
    """The names of the fields of a basket's lines.

    For the basket `{"items": [{"sku": "AB-1", "count": 2}]}`, they are `items`, `sku` and
    `count`.
    """

    lines: str
    """The field of the basket that lists its lines."""
    code: str
    """The field of a line with the product's code."""
    quantity: str
    """The field of a line with the number of units."""

    def lines_of(self, basket: Data) -> list[Data]:
        """Return the lines of a basket."""
        return rows_of(basket, self.lines)

    def counts_in(self, basket: Data) -> dict[str, int]:
        """Return the units in a basket by the product's code. Each product has one line."""
        counts = {}
        for line in self.lines_of(basket):
            counts[str(line[self.code])] = int(line[self.quantity])
        return counts


def line_fields(baskets: Sequence[Data]) -> LineFields | None:
    """Return the names of the fields of baskets' lines; None if they are not certain.

    A line has exactly one text and one number.
    """
    for line in every_row(baskets):
        texts = [key for key, value in line.data.items() if isinstance(value, str)]
        numbers = keys_of(line.data, Shape.NUMBER)
        if len(texts) == 1 and len(numbers) == 1:
            return LineFields(line.key, texts[0], numbers[0])
    return None


@dataclass(frozen=True, slots=True)
class CheckFields:
    """The names of the fields of a payment's bank check."""

    check: str
    """The field of the payment that holds the bank check."""
    state: str
    attempts: str
    """The number of attempts that were made."""
    max_attempts: str
    """The limit of attempts."""
    retry_at: str
    """The time from which another attempt is allowed."""


def check_fields(payments: Sequence[Data]) -> CheckFields | None:
    """Return the names of the fields of bank checks; None if no payment has a bank check.

    A bank check, in which the bank asks the customer to confirm a payment, is a mapping
    with a state, two counts and one instant: `{"state": "locked", "tries": 2,
    "max_tries": 3, "retry_at": "2027-03-01T10:00:00Z"}`.
    """
    for payment in payments:
        for possible_key in keys_of(payment, Shape.MAPPING):
            # More checks than one help to tell the limit of attempts from their number.
            all_checks = _mappings_at(possible_key, payments)
            fields = _fields_of_check(possible_key, payment[possible_key], all_checks)
            if fields is not None:
                return fields
    return None


def _mappings_at(key: str, payments: Sequence[Data]) -> list[Data]:
    """Return the mappings that payments have in a field."""
    mappings = []
    for payment in payments:
        if isinstance(payment.get(key), dict):
            mappings.append(payment[key])
    return mappings


def _fields_of_check(
    check_key: str, check: Data, all_checks: Sequence[Data]
) -> CheckFields | None:
    """Return the names of a mapping's fields; None if the mapping is not a bank check.

    `all_checks` are the mappings in the same field of all payments.
    """
    counts = keys_of(check, Shape.NUMBER)
    instants = keys_of(check, Shape.INSTANT)
    states = []
    for key, value in check.items():
        if isinstance(value, str) and key not in instants:
            states.append(key)
    if len(counts) != 2 or len(instants) != 1 or not states:
        return None
    limit = _limit_among(counts, all_checks)
    first, second = counts
    attempts = second if limit == first else first
    return CheckFields(check_key, states[0], attempts, limit, instants[0])


_LIMIT: Final = re.compile(r"max|limit|allowed|most", re.IGNORECASE)
"""Names of fields with a limit: `max_tries`."""


def _limit_among(counts: Sequence[str], checks: Sequence[Data]) -> str:
    """Return the one of two count fields that holds the limit of attempts.

    Attempts never exceed their limit, so the limit has the larger sum over all checks. If
    the sums are equal, the names decide.
    """
    first, second = counts
    sum_of_first = sum(int(check.get(first, 0)) for check in checks)
    sum_of_second = sum(int(check.get(second, 0)) for check in checks)
    if sum_of_first != sum_of_second:
        return first if sum_of_first > sum_of_second else second
    is_only_second_named = _LIMIT.search(second) and not _LIMIT.search(first)
    return second if is_only_second_named else first


# Branches and people ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BranchFields:
    """The names of branches' fields."""

    name: str
    city: str
    """Empty if no field's text is part of the branch's name."""


def branch_fields(data: Data) -> BranchFields | None:
    """Return the names of the fields for a branch's name and city.

    The name contains the city: `Veerhaven Utrecht`, `Utrecht`. The result is None if no field
    can be the name.
    """
    # 1. Collect the texts that may be one of the two. Addresses and ids have digits.
    texts = {}
    for key, value in data.items():
        if (
            isinstance(value, str)
            and key != "id"
            and not any(char.isdigit() for char in value)
        ):
            texts[key] = normal_words(value)

    # 2. Look for a text that contains another one.
    for name_key, name in texts.items():
        for city_key, city in texts.items():
            if name_key != city_key and f" {city} " in f" {name} ":  # whole words
                return BranchFields(name_key, city_key)

    # 3. Otherwise the first text that is not just one word in lower case (a state) is the name.
    for key in keys_of(data, Shape.TEXT):
        if key in texts:
            return BranchFields(key, "")
    return None


def person_name_key(data: Data) -> str:
    """Return the field with a person's name: the text whose words all occur in the mail address.

    `Jan Vos`, `jan.vos@example.org`. If no text does, the field is taken to be called
    `name`. Raises `KeyError` for a record without a mail address.
    """
    mail = str(data[first_key(data, Shape.MAIL)]).casefold()
    for key in keys_of(data, Shape.TEXT):
        if all(word in mail for word in str(data[key]).casefold().split()):
            return key
    return "name"
