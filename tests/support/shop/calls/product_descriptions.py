"""Words that describe some products of a line, and none of the other products of this line.

    Fathoow bag, 30 l, orange     described by {"colour": "orange"}
    Fathoow bag, 60 l, orange     described by {"colour": "orange"}
    Fathoow bag, 30 l, green      not meant

A *line* has one product for each size and colour.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from controlplane.benchmarks.ecom.world.records import Product

MOST_PROPERTIES = 3
"""How many properties a request names at most to describe a product."""


def distinguishing_properties(
    described: Sequence[Product], others: Sequence[Product]
) -> dict[str, Any] | None:
    """Return as few properties as tell the described products from others of their line.

    `{"colour": "orange"}`: all described products have it, and none of the others. None if more
    than `MOST_PROPERTIES` would be needed.
    """
    shared: dict[str, Any] = {}
    for key, value in described[0].properties.items():
        if all(product.properties.get(key) == value for product in described):
            shared[key] = value

    largest_count = min(len(shared), MOST_PROPERTIES)
    for count in range(largest_count + 1):
        for keys in combinations(shared, count):
            properties = {key: shared[key] for key in keys}
            if not any(_has_properties(product, properties) for product in others):
                return properties
    return None


def _has_properties(product: Product, properties: Mapping[str, Any]) -> bool:
    return all(product.properties.get(key) == properties[key] for key in properties)


def common_name(names: Sequence[str]) -> str:
    """Return the words with which all names begin.

    `["Fathoow bag 20 l", "Fathoow bag 30 l"]` -> "Fathoow bag"
    """
    common_words: list[str] = []
    for words in zip(*(name.split() for name in names), strict=False):
        if len(set(words)) > 1:
            break
        common_words.append(words[0])
    return " ".join(common_words)


def property_text(value: str | int | bool) -> str:
    """Return a property's value as requests write it: `True` is `true`."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)
