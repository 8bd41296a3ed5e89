"""Which branch, and which products, an instruction describes, by the words of the records."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from benchmarks.shop.computed.shop_workspace import Record
from benchmarks.shop.language.record_kinds import skus_in, skus_ruled_out
from gates.reading import DoesNotApply
from toolkit.text import called_by_own_words

_WORD: Final = re.compile(r"[+-]?\w+(?:[-.]\w+)*|[,&]")
_TOKEN: Final = re.compile(rf"{_WORD.pattern}|[^\w\s]")
_JOINING: Final = frozenset(("with", "without", "and", "&", "of", ",", "in"))
_BEFORE: Final = frozenset(("the", "a", "an", "one", "of", "for", "this", "my", "put", "add", "sell", "want", "on"))
_AFTER: Final = frozenset(("at", "available", "today", "now", "pls", "please", "is"))
"""Words that end a description; next to any other word it may go on, in words that stand in no record."""
_LEADING_AWAY: Final = re.compile(r"(?:to|in|for|from) (?:me|my|our|us)|to the")
"""A description may go on behind a preposition ("for two", "in long"), but not where it is about whoever asks."""
_ASIDE: Final = re.compile(
    r"\([^()]{0,300}\)|(?:\b(?:with|whose|and|where)\s+)?(?:its\s+|the\s+)?`[^`]{0,300}`", re.IGNORECASE
)
_INNER: Final = re.compile(r"(?<=[^.!?:\s] )['\"]?([^\W\d_][\w-]*)")
"""Words that begin no sentence."""
_RULED_OUT: Final = re.compile(r"\(but not ([^()]{0,300})\)")
_NEGATING: Final = "without"
_LEAST_WORDS: Final = 3
_LEAST_CHARS: Final = 4


@lru_cache(maxsize=1_024)
def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a text, folded; signs belong to their numbers, hyphens to their words."""
    return tuple(_WORD.findall(text.casefold()))


def branch_named(instruction: str, stores: Sequence[Record]) -> Record:
    """Return the one branch whose own words an instruction holds. Raises `DoesNotApply` for none or several."""
    asked = set(words_of(instruction))
    names = {each.path: set(words_of(each.data["name"])) - set(words_of(each.data["city"])) for each in stores}
    found = called_by_own_words(names, asked)
    if len(found) != 1:
        msg = "the branch that is meant is not certain"
        raise DoesNotApply(msg)
    return next(each for each in stores if each.path == found[0])


def products_described(instruction: str, products: Sequence[Record]) -> list[Record]:
    """Return the products for which everything holds that an instruction says of one, or whose SKU it names.

    Raises `DoesNotApply` if it describes none, or in words that stand in no record.
    """
    ruled_out = set(skus_ruled_out(instruction))
    ruled_out.update(sku for clause in _RULED_OUT.findall(instruction) for sku in skus_in(clause))
    named = [sku for sku in skus_in(instruction) if sku not in ruled_out]
    if named:
        found = [each for each in products if each.data["sku"] in named]
    else:
        before, words = _phrase(instruction, products)
        found = _fitting(words, products)
        if any(0 < sum(each in _held(product) for product in found) < len(found) for each in before):
            msg = "whether a number counts the products or tells them apart is not certain"
            raise DoesNotApply(msg)
    left = [each for each in found if each.data["sku"] not in ruled_out]
    if not left:
        msg = "the product that is meant is not certain"
        raise DoesNotApply(msg)
    return left


def describes_product(text: str, products: Sequence[Record]) -> bool:
    """Say whether a text holds a word of a brand, or the word that names a line of products: the first behind it."""
    asked = set(words_of(text))
    lines = {
        word
        for each in products
        for word in words_of(str(each.data["name"]).removeprefix(str(each.data["brand"])))[:1]
        if len(word) >= _LEAST_CHARS
    }
    brands = {word for each in products for word in words_of(each.data["brand"]) if len(word) >= _LEAST_CHARS}
    return not asked.isdisjoint(lines | brands)


def products_called(text: str, products: Sequence[Record]) -> list[Record]:
    """Return the products of every brand that a text names in full, and of every line it names with a capital."""
    asked = _run_of(text)
    capitals = {each.casefold() for each in _INNER.findall(text) if each[0].isupper()}
    return [each for each in products if _line_of(each) in capitals or _run_of(each.data["brand"]) in asked]


def _run_of(text: str) -> str:
    """Return the words of a text in a row, joining ones left out, so that a row within it is a part of the text."""
    return f" {' '.join(each for each in words_of(text) if each not in _JOINING)} "


def _line_of(product: Record) -> str:
    """Return the word that names a line of products: the first behind the brand."""
    rest = words_of(str(product.data["name"]).removeprefix(str(product.data["brand"])))
    return rest[0] if rest and len(rest[0]) >= _LEAST_CHARS else ""


def _fitting(phrase: Sequence[str], products: Sequence[Record]) -> list[Record]:
    wanted: set[str] = set()
    unwanted: set[str] = set()
    for before, word in zip(("", *phrase), phrase, strict=False):
        if word not in _JOINING:
            (unwanted if before == _NEGATING else wanted).add(word)
    return [each for each in products if wanted <= (held := _held(each)) and not unwanted & held]


def _phrase(instruction: str, products: Sequence[Record]) -> tuple[list[str], list[str]]:
    """Return the words with which an instruction describes a product, the one run of words that products are told by,
    behind the numbers and joining words that lead it: counts, or what else the words do not need.

    Raises `DoesNotApply` for none or several runs.
    """
    known = set[str]().union(*map(_known, products))
    brands = {frozenset(words_of(each.data["brand"])) for each in products}
    tokens = _TOKEN.findall(_ASIDE.sub(" . ", instruction).casefold())
    found: list[tuple[list[str], list[str]]] = []
    start = 0
    while start < len(tokens):
        end = start
        while end < len(tokens) and (tokens[end] in known or tokens[end] in _JOINING):
            end += 1
        run = _trimmed(tokens[start:end])
        if any(brand <= set(run) for brand in brands):
            first = start + tokens[start:end].index(run[0])
            found.append((tokens[start:first], run))
            if not _is_apart(tokens[:first], tokens[first + len(run) :]):
                found.append(([], []))
        start = max(end, start + 1)
    if len(found) != 1 or len(found[0][1]) < _LEAST_WORDS:
        msg = "the words for the product are not certain"
        raise DoesNotApply(msg)
    return found[0]


def _is_apart(before: Sequence[str], after: Sequence[str]) -> bool:
    """Say whether a description ends where the words that records know end."""
    left, right = before[-1:], after[1:3] if after[:1] == [","] else after[:2]
    ends = not right or right[0] in _AFTER or not right[0][0].isalnum() or _LEADING_AWAY.fullmatch(" ".join(right))
    return bool(ends) and all(each in _BEFORE or not each.isalpha() for each in left)


def _trimmed(run: list[str]) -> list[str]:
    """Leave out a count before the description, and joining words at its ends."""
    while run and (run[0].isdigit() or run[0] in _JOINING):
        run = run[1:]
    while run and run[-1] in _JOINING:
        run = run[:-1]
    return run


def _held(product: Record) -> frozenset[str]:
    """Return the words that hold for a product."""
    data = product.data
    properties = {key: value for key, value in data["properties"].items() if value is not False}
    return _words((data["name"], data["brand"], *map(str, properties.values()), *properties))


def _known(product: Record) -> frozenset[str]:
    """Return the words by which a product may be told from others, those included that do not hold."""
    return _held(product) | _words(product.data["properties"])


def _words(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(word for text in texts for word in words_of(text.replace("_", " "))) - {","}
