"""Reads the items of a scanned request, each about a product of a competitor.

The line ` 1   20  HX-4711  Lea tarp specs: colour=sand` asks for 20 units of the shop's Lea tarp in
place of the competitor's HX-4711, if it has the colour sand. The answer to such a request is a table
that says so for each item, a cross list.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from controlplane.benchmarks.shop.products.product import Product
from controlplane.benchmarks.shop.texts.text import normal_words


@dataclass(frozen=True, slots=True)
class RequestedItem:
    """One item of a scanned request."""

    code: str
    """The competitor's code."""
    description: str
    """The name of the shop's product that may replace it."""
    specs: Mapping[str, str]
    """The required values by property, both in normal words: `{"colour": "sand"}`."""
    count: int
    """The number of units that the customer wants."""

    def fits(self, product: Product) -> bool:
        """Return True if a product has every required value."""
        properties = {}
        for key, value in product.property_texts.items():
            properties[normal_words(key)] = normal_words(value)
        return all(properties.get(key) == value for key, value in self.specs.items())


_ITEM: Final = re.compile(
    r"^ *\d{1,3} +(?P<count>\d{1,5}) +(?P<code>[A-Z]+-\w+) +(?P<name_and_specs>\S.*)$"
)
"""` 1   20  HX-4711  Lea tarp specs: colour=sand`"""
_CONTINUATION: Final = re.compile(r"^ {6,}(?!note:)(\S.*)$", re.IGNORECASE)
"""A further line of an item. It is indented more than any number, and is not a note."""
_SPECS: Final = re.compile(r"\bspecs:", re.IGNORECASE)
BRANCH: Final = re.compile(r"\bbranch: *(\S.*)$", re.IGNORECASE | re.MULTILINE)
"""`branch: Graz Centre`"""


def requested_items(text: str) -> list[RequestedItem]:
    """Return the items of a scanned request. Long items go on in indented lines:

        branch: Graz Centre
         1   20  HX-4711  Lea tarp specs: colour=sand;
                          waterproof_mm=3000

    -> `RequestedItem("HX-4711", "Lea tarp", {"colour": "sand", "waterproof mm": "3000"}, 20)`
    """
    items = []
    for line in _whole_lines(text):
        match = _ITEM.match(line)
        if match is None:
            continue
        description, *specs_texts = _SPECS.split(match["name_and_specs"])
        specs = _specs_of(" ".join(specs_texts))
        count = int(match["count"])
        items.append(RequestedItem(match["code"], description.strip(), specs, count))
    return items


def _whole_lines(text: str) -> list[str]:
    """Return the line of each item, with the lines in which the item goes on joined to it."""
    whole_lines: list[str] = []
    for line in text.splitlines():
        continuation = _CONTINUATION.match(line)
        if _ITEM.match(line):
            whole_lines.append(line)
        elif continuation is not None and whole_lines:
            whole_lines[-1] += f" {continuation[1]}"
    return whole_lines


def _specs_of(text: str) -> dict[str, str]:
    """Return the values by property in `colour=sand; waterproof_mm=3000`, in normal words."""
    specs = {}
    for pair in text.split(";"):
        key, equals_sign, value = pair.partition("=")
        if equals_sign:
            specs[normal_words(key)] = normal_words(value)
    return specs
