"""The names and cities of all branches of a shop, read by one search instead of many reads.

"The Lombok branch" can only be found if the names of all branches are known. A shop may have
hundreds of them, and to read a record each would take long. So one search returns the lines with
these two fields, such as `"city": "Utrecht",`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from controlplane.benchmarks.shop.certain_values import value_or_raise
from controlplane.benchmarks.shop.texts.names import normal_words
from controlplane.benchmarks.shop.workspace.fields.product_fields import (
    BranchFields,
    branch_fields,
)
from controlplane.benchmarks.shop.workspace.kinds import Kind
from controlplane.benchmarks.shop.workspace.word_search import text_field_pattern
from controlplane.benchmarks.shop.workspace.workspace import ShopLayout

_JSON_STRING: Final = r'"(?:[^"\\]|\\.)*"'
"""`"Utrecht"`, also with escapes in it."""


@dataclass(frozen=True, slots=True)
class NamedBranch:
    """The name and city of a branch, before its record is read."""

    path: str
    name: str
    city: str

    @property
    def own_words(self) -> frozenset[str]:
        """The words of the branch's name that are not in the name of its city.

        `Veerhaven Utrecht Lombok` in `Utrecht` -> `veerhaven`, `lombok`
        """
        city_words = normal_words(self.city).split()
        return frozenset(normal_words(self.name).split()).difference(city_words)


def named_branches(layout: ShopLayout) -> list[NamedBranch]:
    """Return all branches with their names and cities.

    The records are not read. One search through the folder of branches finds the lines
    with these two fields in all of them, such as `  "city": "Utrecht",`.
    """
    fields = _fields_of_branches(layout)
    keys = [key for key in (fields.name, fields.city) if key]
    any_key = "|".join(re.escape(key) for key in keys)
    # The search finds whole lines. This pattern takes the field and its text out of them.
    key_and_text = re.compile(rf'"({any_key})":\s*({_JSON_STRING})')
    texts_by_path: dict[str, dict[str, str]] = {}
    folder = layout.kinds.group(Kind.BRANCH).root
    for path, line in layout.reader.search(text_field_pattern(keys), folder):
        for key, json_text in key_and_text.findall(line):
            texts = texts_by_path.setdefault(path, {})
            texts.setdefault(key, str(json.loads(json_text)))
    branches = []
    for path, texts in texts_by_path.items():
        branches.append(
            NamedBranch(path, texts.get(fields.name, ""), texts.get(fields.city, ""))
        )
    return branches


@lru_cache(maxsize=2)
def _fields_of_branches(layout: ShopLayout) -> BranchFields:
    """Return what the shop calls the name and the city of a branch, learned from one branch."""
    fields = branch_fields(layout.kinds.samples(Kind.BRANCH)[0])
    return value_or_raise(
        fields, "it is not certain which field of a branch is its name"
    )
