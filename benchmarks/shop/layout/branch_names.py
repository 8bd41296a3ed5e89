"""Which branch a name means, by the words that this branch alone is called by."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Final

from benchmarks.shop.layout.record_shapes import Kind
from benchmarks.shop.layout.shop_layout import ShopLayout
from toolkit import CannotRead
from toolkit.layout import Data, Shape, keys_of
from toolkit.records import Record, id_of, is_same_id
from toolkit.text import called_by_own_words, normal_words

_STRING: Final = r'"(?:[^"\\]|\\.)*"'


@dataclass(frozen=True, slots=True)
class NamedBranch:
    """A branch as its name and city show it, before its record is read."""

    path: str
    name: str
    city: str

    @property
    def words(self) -> frozenset[str]:
        """The words of its name that its city does not have."""
        return frozenset(normal_words(self.name).split()) - frozenset(normal_words(self.city).split())


def named_branches(layout: ShopLayout) -> list[NamedBranch]:
    """Return all branches with name and city, which one search shows."""
    sample = layout.samples(Kind.BRANCH)[0]
    name_key, city_key = _name_and_city(sample)
    group = layout.group(Kind.BRANCH)
    fields: dict[str, dict[str, str]] = {}
    keys = "|".join(re.escape(each) for each in (name_key, city_key) if each)
    field = re.compile(rf'"({keys})":\s*({_STRING})')
    for path, line in layout.reader.search(rf'"({keys})":\s*"', group.root):
        for key, value in field.findall(line):
            fields.setdefault(path, {}).setdefault(key, str(json.loads(value)))
    return [NamedBranch(path, each.get(name_key, ""), each.get(city_key, "")) for path, each in fields.items()]


def _name_and_city(data: Data) -> tuple[str, str]:
    """The fields of a branch's name and of its city, whose words the name holds. Raises `CannotRead`."""
    texts = {key: str(data[key]) for key in data if isinstance(data[key], str)}
    spoken = {key: value for key, value in texts.items() if not any(each.isdigit() for each in value) and key != "id"}
    pairs = [
        (name, city)
        for name in spoken
        for city in spoken
        if name != city and f" {normal_words(spoken[city])} " in f" {normal_words(spoken[name])} "
    ]
    if pairs:
        return pairs[0]
    names = [key for key in keys_of(data, Shape.TEXT) if key in spoken]
    if not names:
        msg = "it is not certain which field of a branch is its name"
        raise CannotRead(msg)
    return names[0], ""


def branch_called(layout: ShopLayout, name: str) -> Record:
    """Return the branch that a name, a nickname or an id means. Raises `CannotRead` for none or several."""
    if name.strip() and (found := layout.records.record(id_of(name))) and layout.kind_of(found.path) is Kind.BRANCH:
        return found
    asked = set(normal_words(name).split())
    every = named_branches(layout)
    exact = [each for each in every if normal_words(each.name) == normal_words(name) or is_same_id(each.name, name)]
    fitting = exact or called_by_own_words({each: each.words for each in every}, asked)
    if len(fitting) != 1:
        told = ", ".join(each.name for each in fitting) or "none"
        msg = f"no single branch is called {name!r}: {told} of {', '.join(each.name for each in every)}"
        raise CannotRead(msg)
    return layout.records.read([fitting[0].path])[0]


def branches_around(layout: ShopLayout, place: str) -> list[Record]:
    """Return the branches of a city, or of the city in which a named branch lies, by name. Raises `CannotRead`."""
    every = named_branches(layout)
    cities = {normal_words(each.city): each.city for each in every if each.city}
    city = cities.get(normal_words(place))
    if city is None:
        path = branch_called(layout, place).path
        city = next((each.city for each in every if each.path == path), "")
    found = layout.records.read([each.path for each in every if each.city == city])
    names = {each.path: each.name for each in every}
    return sorted(found, key=lambda each: names[each.path])
