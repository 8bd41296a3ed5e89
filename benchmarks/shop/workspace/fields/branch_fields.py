"""Finds the names of the fields with a branch's name and city, and with a person's name.

Shops choose these names. In `{"title": "Veerhaven Utrecht", "town": "Utrecht"}`, the field
`title` has the name, because it contains the other text.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.benchmarks.shop.texts.text import normal_words
from controlplane.benchmarks.shop.workspace.field_shapes import (
    Data,
    Shape,
    first_key,
    keys_of,
)


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
