"""Finds the branch or product that a phrase means, by comparing its words with those of the records."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from benchmarks.ecom.player.knowledge import Knowledge, Record

SKU: Final = re.compile(r"\b[A-Z]{2,}(?:-[A-Z0-9]+){2,}\b")
WORD: Final = re.compile(r"(?<![\w.])[+-]?\d+(?:\.\d+)?(?!\w)|\w+(?:\.\d+)?")
RULED_OUT: Final = re.compile(r"\b(?:but not|not the|except|other than|excluding)\b([^.?!]*)", re.IGNORECASE)
WITHOUT: Final = re.compile(r"\b(?:without|no|lacking)\s+(?:a |an |any )?(\w+)")
NUMERALS: Final = {
    "one": "1",
    "two": "2",
    "three": "3",
    "four": "4",
    "five": "5",
    "six": "6",
    "seven": "7",
    "eight": "8",
}
STOP_WORDS: Final = frozenset(
    re.findall(
        r"\w+",
        "a an and any at by do does for from have has i in is it me my of on or our please s such that the this to we "
        "what which with you your",
    )
)
"""Words that do not describe a product."""


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case, with numerals as digits and signs kept."""
    return [NUMERALS.get(each, each) for each in WORD.findall(text.casefold())]


def phrase_in(instruction: str, *patterns: str) -> str:
    """Return the group that the first matching pattern captures, or the whole instruction if none matches."""
    found = (re.search(pattern, instruction, re.IGNORECASE) for pattern in patterns)
    return next((each[1] for each in found if each), instruction)


def skus_in(text: str) -> list[str]:
    """Return the SKUs that a text names, in order."""
    return list(dict.fromkeys(SKU.findall(text)))


def branch_names(known: Knowledge) -> dict[str, set[str]]:
    """Return the words of every branch's name, by the path of its record."""
    return {path: set(words_of(line)) - {"name"} for path, line in known.matching_lines("branches", '^  "name":')}


def branch_named(known: Knowledge, text: str) -> Record | None:
    """Return the branch of whose distinctive words, which no other branch's name has, `text` holds the most."""
    names = branch_names(known)
    said = set(words_of(text))
    own = {
        path: len((name - set().union(*(each for other, each in names.items() if other != path))) & said)
        for path, name in names.items()
    }
    path = max(own, key=lambda each: own[each], default="")
    return known.record("branches", path.rsplit("/", 1)[1].removesuffix(".json")) if own.get(path) else None


def products_meant(known: Knowledge, phrase: str) -> list[Record]:
    """Return the products that fit a phrase best, without those that it rules out."""
    ruled_out = {sku for tail in RULED_OUT.findall(phrase) for sku in skus_in(tail)}
    phrase = RULED_OUT.sub(" ", phrase).replace("()", " ")
    named = [sku for sku in skus_in(phrase) if sku not in ruled_out]
    if named:
        return [each for each in known.records("products", named).values() if each is not None]
    found = products_like(known, phrase)
    scores = {each.path: fit_score(phrase, each) for each in found}
    best = max(scores.values(), default=0)
    return [each for each in found if best and scores[each.path] == best and each.text("sku") not in ruled_out]


def products_like(known: Knowledge, phrase: str) -> list[Record]:
    """Return the products whose records hold the most of a phrase's longer words."""
    words = [word for word in words_of(phrase) if len(word) > 2 and word not in STOP_WORDS]
    return known.records_like("products", words) if words else []


def fit_score(phrase: str, product: Record) -> int:
    """Return how many words of the phrase are true of the product, those behind "without" included."""
    absent: list[str] = WITHOUT.findall(phrase.casefold())
    present = [word for word in words_of(WITHOUT.sub(" ", phrase.casefold())) if word not in STOP_WORDS]
    held = vocabulary(product)
    return sum(word in held for word in present) + sum(word not in held for word in absent)


def misfits(phrase: str, product: Record) -> list[str]:
    """Return the words of a phrase that are not true of the product."""
    absent: list[str] = WITHOUT.findall(phrase.casefold())
    present = [word for word in words_of(WITHOUT.sub(" ", phrase.casefold())) if word not in STOP_WORDS]
    held = vocabulary(product)
    return [word for word in present if word not in held] + [f"without {word}" for word in absent if word in held]


def vocabulary(product: Record) -> set[str]:
    """Return every word that describes a product: those of its name, brand, kind and properties."""
    held: set[str] = set()
    for value in product.data.values():
        if isinstance(value, str):
            held.update(words_of(value))
    properties = product.part("properties")
    for key, value in properties.data.items() if properties else ():
        if value is not False:
            held.update(_property_words(key, value))
    return held | {word.removesuffix("s") for word in held}


def _property_words(key: str, value: object) -> Iterable[str]:
    yield from words_of(key.replace("_", " "))
    if value is not True:
        yield from words_of(str(value))


def stems_of(text: str) -> set[str]:
    """Return the prefixes of the words of a text, which inflected forms share."""
    return {word[:4] for word in re.findall(r"[a-z]+", text.casefold())} - {"the", "of", "as", "a", "is"}


def quantities_by_sku(rows: Sequence[Record]) -> Mapping[str, int]:
    """Return the quantities of a basket's lines by SKU."""
    return {row.text("sku"): row.number("quantity") for row in rows}
