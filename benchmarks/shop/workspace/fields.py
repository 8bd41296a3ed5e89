"""The names that a shop gives to the fields of its records, found from samples of the records."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, NamedTuple, TypeAlias

from controlplane.benchmarks.shop.texts import normal_words

# The shapes of values in JSON records: a number, a time, an id, a list of rows, and so on.
#
# Shops choose the names of their fields, so a field is recognized by the shape of its value. For
# example, a basket is a record with an instant (its creation) and rows (its lines):
# `{"made": "2027-03-01T10:00:00Z", "lines": [{"sku": "AB-1", "count": 2}]}`.

Data: TypeAlias = Mapping[str, Any]
"""The content of a record, or of a row in it."""


class Shape(StrEnum):
    """The form of a value."""

    FLAG = "flag"
    """`true`"""
    NUMBER = "number"
    """`12.5`"""
    INSTANT = "instant"
    """A date, perhaps with a time: `2027-03-01T10:00:00Z`."""
    CURRENCY = "currency"
    """`EUR`"""
    MAIL = "mail"
    """An address: `jan.vos@example.org`."""
    ID = "id"
    """A prefix and a number: `cust-0174`."""
    WORD = "word"
    """One word in lower case, such as a state: `checked_out`."""
    TEXT = "text"
    """Any other text."""
    WORDS = "words"
    """A list of texts: `["floor_lead", "cashier"]`."""
    ROWS = "rows"
    """A list of mappings: `[{"sku": "AB-1", "count": 2}]`. An empty list counts, too."""
    MAPPING = "mapping"
    """`{"colour": "sand"}`"""
    NOTHING = "nothing"
    """Null, or any other list."""


_TEXT: Final = re.compile(
    r"(?P<instant>\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?)"
    r"|(?P<currency>[A-Z]{3})"
    r"|(?P<mail>[^@\s]+@[^@\s]+\.[^@\s]+)"
    r"|(?P<id>[A-Za-z]+[-_]\d+)"
    r"|(?P<word>[a-z]+(?:[-_][a-z]+)*\d*)"
)
"""The shapes of texts. Each group of the pattern has the name of a shape, such as `currency`."""


def shape_of(value: object) -> Shape:
    """Return the shape of a value: `"EUR"` -> `Shape.CURRENCY`, `"basket_12"` -> `Shape.ID`."""
    match value:
        case str():
            text_match = _TEXT.fullmatch(value)
            # Exactly one named group has matched, and `lastgroup` is its name.
            if text_match is None or text_match.lastgroup is None:
                return Shape.TEXT
            return Shape(text_match.lastgroup)
        case bool():  # must come before int, because bool is a subclass of it
            return Shape.FLAG
        case int() | float():
            return Shape.NUMBER
        case dict():
            return Shape.MAPPING
        case list():
            return _shape_of_list(value)
    return Shape.NOTHING


def _shape_of_list(values: list[object]) -> Shape:
    """Return the shape of a list. An empty one counts as rows: a basket may have no lines."""
    types = {type(value) for value in values}
    if types == {str}:
        return Shape.WORDS
    if types <= {dict}:
        return Shape.ROWS
    return Shape.NOTHING


def keys_of(data: Data, shape: Shape) -> list[str]:
    """Return the fields whose values have this shape, in the order of the record.

    `{"id": "b_1", "count": 2, "sum": 9}`, `Shape.NUMBER` -> `["count", "sum"]`
    """
    return [key for key, value in data.items() if shape_of(value) is shape]


def _first_key(data: Data, shape: Shape) -> str:
    """Return the first field whose value has this shape; empty if there is none."""
    keys = keys_of(data, shape)
    return keys[0] if keys else ""


def rows_of(data: Data, key: str) -> list[Data]:
    """Return the rows in a field; an empty list if the field contains no rows."""
    rows = data.get(key)
    if isinstance(rows, list) and shape_of(rows) is Shape.ROWS:
        return list(rows)
    return []


class _Row(NamedTuple):
    """A row in a record: one of the mappings in a list, such as a line of a basket."""

    key: str
    """The field of the record whose value is the list: `lines`."""
    data: Data


def every_row(samples: Iterable[Data]) -> Iterator[_Row]:
    """Yield all rows in some records, whatever fields list them.

    `{"id": "b_1", "lines": [{"sku": "AB-1"}]}` -> `_Row("lines", {"sku": "AB-1"})`
    """
    for data in samples:
        for key in data:
            for row in rows_of(data, key):
                yield _Row(key, row)


# Finds the names of the fields of baskets' lines: `items`, `sku` and `count`, or others.
#
# Shops choose these names, so the fields are found by their values: a basket's line has one text,
# the code of a product, and one number, the quantity.


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

    They are those of the first row in a basket that has exactly one text and one number.
    """
    for line in every_row(baskets):
        texts = [key for key, value in line.data.items() if isinstance(value, str)]
        numbers = keys_of(line.data, Shape.NUMBER)
        if len(texts) == 1 and len(numbers) == 1:
            return LineFields(line.key, texts[0], numbers[0])
    return None


# Finds the names of the fields of the bank checks of payments: `tries`, `max_tries` and others.
#
# A bank check asks the customer to confirm a payment, and allows some attempts. Shops choose the
# names of its fields, so these are found by the values in several payments: `{"state": "locked",
# "tries": 2, "max_tries": 3, "retry_at": "2027-03-01T10:00:00Z"}`.


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

    A bank check is a mapping with a state, two counts and one instant. For the payment
    `{"id": "pay_7", "secure": {"state": "locked", "tries": 2, ...}}`, the field `check` is `secure`.
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

    `check` is the mapping, and `check_key` the field of the payment that holds it. `all_checks`
    are the mappings in this field of all payments.
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

    Attempts never exceed their limit, so the limit has the larger sum over all checks. If the
    sums are equal, it is the field with a name such as `max_tries`, or else the first one.
    """
    first, second = counts
    sum_of_first = sum(int(check.get(first, 0)) for check in checks)
    sum_of_second = sum(int(check.get(second, 0)) for check in checks)
    if sum_of_first > sum_of_second:
        return first
    if sum_of_second > sum_of_first:
        return second
    if _LIMIT.search(second) and not _LIMIT.search(first):
        return second
    return first


# Finds the names of a product's fields: code, name, brand, price.
#
# Shops choose the names of their fields, so the fields are found by their values. If several fields
# have similar values, documents of the shop tell which one is meant, because they put the names
# that matter in backticks (`marked`): "the price is in `amount_ct`".

# Finds the names of the fields with a branch's name and city, and with a person's name.
#
# Shops choose these names. In `{"title": "Veerhaven Utrecht", "town": "Utrecht"}`, the field
# `title` has the name, because it contains the other text.


@dataclass(frozen=True, slots=True)
class BranchFields:
    """The names of branches' fields."""

    name: str
    city: str
    """Empty if no field's text is part of the branch's name."""


def branch_fields(data: Data) -> BranchFields | None:
    """Return the names of the fields for a branch's name and city; None without a name.

    `{"title": "Veerhaven Utrecht", "town": "Utrecht"}` -> `title`, `town`, because the name
    contains the city
    """
    # 1. Collect the texts that may be one of the two. Addresses and ids have digits.
    texts = {}
    for key, value in data.items():
        if not isinstance(value, str) or key == "id":
            continue
        has_digit = any(char.isdigit() for char in value)
        if not has_digit:
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
    mail = str(data[_first_key(data, Shape.MAIL)]).casefold()
    for key in keys_of(data, Shape.TEXT):
        if all(word in mail for word in str(data[key]).casefold().split()):
            return key
    return "name"


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
        properties=_first_key(data, Shape.MAPPING),
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


# Finds the names of the fields with a branch's stock: units on hand, and units reserved.
#
# Shops choose the names of their fields, so these are found by the values. A row of stock has two
# counts, `{"sku": "AB-1", "on_hand": 4, "reserved": 1}`. Only units on hand can be reserved, so the
# count that is larger in almost all rows is that of the units on hand.

# Finds the names of the fields with the deliveries that a branch expects.
#
# Shops choose these names. A delivery has two numbers, `{"quantity": 20, "arrival_in_days": 3}`,
# and either could be the days. The shop's policy usually mentions that field in backticks: "they
# arrive in `arrival_in_days`".


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


_DAYS: Final = re.compile(r"(?:^|_)days?(?:_|$)")
"""Names of fields with a number of days: `arrival_in_days`."""


def _delivery_fields(
    stock_rows: Sequence[Data], marked: Collection[str]
) -> DeliveryFields | None:
    """Return the fields of deliveries; None if there are none, or if one is not certain.

    A delivery is a row inside a row of the stock. Of its two numbers, the days are the one whose
    field the policy mentions or, if it mentions none, the one with `days` in its name. `marked`
    are the words that the policy puts in backticks.
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

    `marked` are the words that the policy on stock puts in backticks. They tell the fields of
    expected deliveries.
    """
    rows_key = _first_key(branch, Shape.ROWS)
    rows = rows_of(branch, rows_key)
    if not rows:
        return None
    counts = _count_keys(rows)
    if counts is None:
        return None
    on_hand, reserved = counts
    return StockFields(
        rows=rows_key,
        code=_first_text_key(rows[0]),
        on_hand=on_hand,
        reserved=reserved,
        deliveries=_delivery_fields(rows, marked),
    )


def _first_text_key(row: Data) -> str:
    """Return the first field with a text. In a row of stock, only the product's code is one."""
    for key, value in row.items():
        if isinstance(value, str):
            return key
    return ""


_LEAST_RATIO: Final = 4
"""In more than this many times as many rows, one count must be larger than the other.

It is enough if it is larger in 9 rows of 10, and not in 8.
"""


def _count_keys(rows: Sequence[Data]) -> tuple[str, str] | None:
    """Return the fields of stock rows that count units on hand and reserved units, in this order.

    The result is None if that is not certain: the rows must have exactly two numbers, and one of
    these must be larger in almost all rows.
    """
    # 1. Find the two fields.
    number_keys: set[str] = set()
    for row in rows:
        number_keys.update(keys_of(row, Shape.NUMBER))
    if len(number_keys) != 2:
        return None

    # 2. Count the rows in which each is larger.
    first, second = sorted(number_keys)
    first_larger = 0
    second_larger = 0
    for row in rows:
        if not number_keys.issubset(keys_of(row, Shape.NUMBER)):
            return None
        if row[first] > row[second]:
            first_larger += 1
        elif row[first] < row[second]:
            second_larger += 1

    # 3. One of them must be larger in almost all rows.
    if first_larger > _LEAST_RATIO * second_larger:
        return first, second
    if second_larger > _LEAST_RATIO * first_larger:
        return second, first
    return None
