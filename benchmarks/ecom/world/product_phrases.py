"""Customers' descriptions of products: a thing, with some details given, left open, or ruled out.

What a description fits follows from its parts: every detail names the variants of one line that it is true of.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import combinations, product

from pydantic import TypeAdapter

from benchmarks.ecom.world.product_lines import product_lines, twin_of

Codes = frozenset[str]


@dataclass(frozen=True, slots=True)
class Detail:
    """A detail that some variants of a line share. In its words, `_` stands for the thing."""

    codes: Codes
    words: tuple[str, ...]
    without: str
    """The words that rule these variants out."""


@dataclass(frozen=True, slots=True)
class LineWords:
    """The words for one product line: things that mean the line alone, and details by what they are about."""

    things: tuple[str, ...]
    absent: tuple[str, ...]
    """What no variant has."""
    dimensions: Mapping[str, tuple[Detail, ...]]


@cache
def line_words() -> Mapping[str, LineWords]:
    """Return the words for every line, by its code."""
    return TypeAdapter(dict[str, LineWords]).validate_json((files(__package__) / "phrases.json").read_bytes())


def _renamed(text: str, known: Mapping[str, str]) -> str:
    """Return the text with other words in the place of known ones."""
    return " ".join(known.get(each.casefold(), each) for each in text.split(" "))


@cache
def words_of(code: str) -> LineWords:
    """Return the words for a line, or for the twin of one, whose brand and model take the place of the line's own."""
    base, _, number = code.partition("~")
    words = line_words()[base]
    if not number:
        return words
    line = next(each for each in product_lines() if each.code == base)
    twin = twin_of(line, int(number))
    known = {line.brand.split()[0].casefold(): twin.brand, line.model.casefold(): twin.model}
    renamed = ((each, _renamed(each.replace(line.brand, twin.brand), known)) for each in words.things)
    things = tuple(after for before, after in renamed if after != before)
    return replace(words, things=things)


@cache
def targets(line: str, codes: Codes) -> list[Codes]:
    """Return the sets of a line's variants that some description fits, the line as a whole included."""
    details = [detail.codes & codes for detail in _details(words_of(line))]
    found = {codes, *details, *(codes - each for each in details), *(a & b for a, b in combinations(details, 2))}
    return sorted(found - {frozenset()}, key=sorted)


def _details(words: LineWords) -> Iterator[Detail]:
    for found in words.dimensions.values():
        yield from found


@cache
def phrases(line: str, codes: Codes, target: Codes) -> tuple[str, ...]:
    """Return the descriptions that fit exactly the variants of `target` among the `codes` of a line that are sold."""
    words = words_of(line)
    found: list[str] = []
    for given in _combinations(words):
        for ruled_out in (None, *_details(words)):
            if _fitting(codes, given, ruled_out) == target and _is_lean(codes, given, ruled_out):
                found += _spoken(words, given, ruled_out, target)
    return tuple(dict.fromkeys(found))


@cache
def confirmations(line: str, codes: Codes, target: Codes) -> tuple[str, ...]:
    """Return the descriptions of a target that add, with "and has", something true of it."""
    had = [each for detail in _details(words_of(line)) if target <= detail.codes for each in _had(detail)]
    return tuple(f"{text} and has {each}" for text in phrases(line, codes, target) for each in had if each not in text)


@cache
def contradictions(line: str, codes: Codes, target: Codes) -> tuple[str, ...]:
    """Return the descriptions of a target that add, with "and has", what no variant of the line has beside the rest.

    A detail contradicts only if the details about the same thing cover the whole line, so that none is left unsaid.
    """
    words = words_of(line)
    whole = [
        found for found in words.dimensions.values() if frozenset().union(*(each.codes for each in found)) >= codes
    ]
    others = [detail for found in whole for detail in found if not detail.codes & target]
    had = [*words.absent, *(each for detail in others for each in _had(detail))]
    return tuple(f"{text} and has {each}" for text in phrases(line, codes, target) for each in had)


def _had(detail: Detail) -> list[str]:
    """Return what a variant with this detail has, in the words that say so."""
    return [each.removeprefix("_ with ") for each in detail.words if each.startswith("_ with ")]


def _combinations(words: LineWords) -> Iterator[tuple[Detail, ...]]:
    """Yield no detail, single details, and pairs of details about different things."""
    yield ()
    for found in words.dimensions.values():
        yield from ((each,) for each in found)
    for first, second in combinations(words.dimensions.values(), 2):
        yield from product(first, second)


def _fitting(codes: Codes, given: Iterable[Detail], ruled_out: Detail | None) -> Codes:
    for each in given:
        codes &= each.codes
    return codes - ruled_out.codes if ruled_out else codes


def _is_lean(codes: Codes, given: tuple[Detail, ...], ruled_out: Detail | None) -> bool:
    """Say whether every part of a description narrows it down: nobody rules out what was not meant anyway."""
    parts = [_fitting(codes, [each for each in given if each is not one], ruled_out) for one in given]
    parts += [_fitting(codes, given, None)] if ruled_out else []
    return all(each != _fitting(codes, given, ruled_out) for each in parts)


def _spoken(words: LineWords, given: tuple[Detail, ...], ruled_out: Detail | None, target: Codes) -> Iterator[str]:
    for at, thing in enumerate(words.things):
        for turn in range(3):
            text = thing
            for place, each in enumerate(given):
                text = each.words[(at + turn + place) % len(each.words)].replace("_", text)
            text = f"{text}, {ruled_out.without}" if ruled_out else text
            yield text
            if turn == 0 and len(target) > 1 and not ruled_out:
                for label in _open(words, given, target):
                    yield f"{text}. The detail about {label} was not supplied"


def _open(words: LineWords, given: tuple[Detail, ...], target: Codes) -> list[str]:
    """Return what was not said although it would tell the variants of the target apart."""
    return [
        label
        for label, found in words.dimensions.items()
        if not any(each in found for each in given) and len({each.codes & target for each in found} - {frozenset()}) > 1
    ]
