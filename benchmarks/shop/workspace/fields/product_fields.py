"""Finds the names of a product's fields: code, name, brand, price.

Shops choose the names of their fields, so the fields are found by their values. If several fields
have similar values, documents of the shop tell which one is meant, because they put the names
that matter in backticks (`marked`): "the price is in `amount_ct`".
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.benchmarks.shop.texts.names import normal_words
from controlplane.benchmarks.shop.workspace.field_shapes import (
    Data,
    Shape,
    first_key,
    keys_of,
)

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
    mail = str(data[first_key(data, Shape.MAIL)]).casefold()
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
