"""What a customer's description of a product means, by a lexicon of customers' words over fields of records."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

Product = Mapping[str, Any]
"""A product by plain names: sku, name, brand, kind, family, price, is_digital, properties, path."""
OPEN = re.compile(r"\. The detail about [a-z ]+ was not supplied")


@dataclass(frozen=True)
class Meaning:
    """What a word says of a product."""

    key: str
    value: str

    def holds(self, product: Product) -> bool | None:
        """Say whether it is true of a product, None if its record does not tell."""
        if self.key == "name":
            return self.value in product["name"]
        if self.key not in product["properties"]:
            return None
        recorded = product["properties"][self.key]
        return (json.dumps(recorded) if isinstance(recorded, bool) else str(recorded)) == self.value


@dataclass(frozen=True)
class Words:
    """The words for one kind of product."""

    things: tuple[str, ...]
    before: Mapping[str, Meaning]
    behind: Mapping[str, Meaning]
    excluding: Mapping[str, Meaning]
    having: Mapping[str, Meaning]


@cache
def lexicon() -> Mapping[str, Words]:
    """Return the words by kind of product."""
    found: dict[str, Words] = {}
    for line in (Path(__file__).parent / "lexicon.txt").read_text("utf-8").splitlines():
        if line.startswith("["):
            kind = line.strip("[]")
            found[kind] = Words((), {}, {}, {}, {})
        elif line.startswith("things: "):
            found[kind] = Words(tuple(line.removeprefix("things: ").split(" | ")), {}, {}, {}, {})
        elif not line.startswith("#"):
            said, _, forms = line.partition(": ")
            meaning = Meaning(*said.split("=", 1))
            words: Any = found[kind]
            for form in forms.split(" | "):
                place, text = _place(words, form)
                place[text.casefold()] = meaning
    return found


def _place(words: Any, form: str) -> tuple[dict[str, Meaning], str]:
    if form.startswith(("-", "+")):
        return (words.excluding if form[0] == "-" else words.having), form[1:]
    return (words.before, form.removesuffix(" _")) if form.endswith("_") else (words.behind, form.removeprefix("_"))


@dataclass(frozen=True)
class Reading:
    """A description that was found in a text: the products that it fits, and where it stands."""

    products: tuple[Product, ...]
    start: int
    end: int


def read_description(text: str, products: Iterable[Product]) -> Reading | None:
    """Return the reading of the longest description that a text holds, None if it holds none."""
    families: dict[str, list[Product]] = {}
    for product in products:
        families.setdefault(product["family"], []).append(product)
    found = [reading for family in families.values() for reading in _readings(text, family)]
    return max(found, key=lambda reading: reading.end - reading.start, default=None)


def _readings(text: str, family: list[Product]) -> Iterator[Reading]:
    first = family[0]
    words = lexicon()[first["kind"]]
    brand, model = first["brand"], first["name"].removeprefix(first["brand"]).split()[0]
    names = {"b": brand, "s": brand.split()[0], "m": model}
    low = text.casefold()
    for thing in words.things:
        pattern = " ".join(names.get(word, word) for word in thing.split()).casefold()
        for match in re.finditer(rf"(?<!\w){re.escape(pattern)}(?!\w)", low):
            yield _grown(text, match.start(), match.end(), family, words)


def _grown(text: str, start: int, end: int, family: list[Product], words: Words) -> Reading:
    """Take in what stands around a thing as far as it is understood."""
    low, tests = text.casefold(), list[Callable[[Product], bool]]()

    def is_true(meaning: Meaning) -> Callable[[Product], bool]:
        return lambda product: meaning.holds(product) is True

    def is_not(meaning: Meaning) -> Callable[[Product], bool]:
        return lambda product: meaning.holds(product) is not True

    def behind(forms: Mapping[str, Meaning], lead: str = "") -> str:
        fitting = [form for form in forms if re.match(rf"{re.escape(lead + form)}(?!\w)", low[end:])]
        return max(fitting, key=len, default="")

    while True:
        before = [form for form in words.before if re.search(rf"(?<!\w){re.escape(form)} $", low[:start])]
        if before:
            form = max(before, key=len)
            start -= len(form) + 1
            tests.append(is_true(words.before[form]))
        elif form := behind(words.behind):
            end += len(form)
            tests.append(is_true(words.behind[form]))
        elif form := behind(words.excluding, ", "):
            end += len(form) + 2
            tests.append(is_not(words.excluding[form]))
        elif form := behind(words.having, " and has "):
            end += len(form) + 9
            tests.append(is_true(words.having[form]))
        elif match := OPEN.match(text, end):
            end = match.end()
        else:
            break
    return Reading(tuple(product for product in family if all(test(product) for test in tests)), start, end)
