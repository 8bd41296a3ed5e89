"""The catalogue of one world: product lines and their twins, and customers' descriptions of their articles.

The products that a description fits follow from its parts: every detail names the variants of one line that have it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import combinations, product
from random import Random

from pydantic import TypeAdapter

from controlplane.benchmarks.ecom.world.company import Product, read_data

Value = str | int | bool
Codes = frozenset[str]


@dataclass(frozen=True, slots=True, eq=False)
class Variant:
    """One article of a line, with its usual price in cents."""

    code: str
    tail: str
    cents: int
    properties: Mapping[str, Value]


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """A product line. The customers' words for it are in `phrases.json`."""

    code: str
    category: str
    kind: str
    brand: str
    model: str
    is_digital: bool
    shared: Mapping[str, Value]
    variants: tuple[Variant, ...]


@cache
def product_lines() -> tuple[Line, ...]:
    """Return all product lines, in catalogue order."""
    return TypeAdapter(tuple[Line, ...]).validate_json(
        (files(__package__) / "lines.json").read_bytes()
    )


@cache
def twin_lines(number: int) -> tuple[Line, ...]:
    """Return the twins of every line that have this number, from 1 on: nearly the same goods, nearly the same name."""
    return tuple(_twin_of(line, number) for line in product_lines())


def _twin_of(line: Line, number: int) -> Line:
    place = sum(map(ord, line.code))
    brands, endings = read_data("company.json")["twins"].values()
    stem = line.model.split()[0]
    brand, ending = brands[(place + number) % len(brands)], endings[(place + number) % len(endings)]
    model = stem[: max(3, len(stem) - 1)] + ending
    return replace(line, code=f"{line.code}~{number}", brand=brand, model=model)


@dataclass(frozen=True, slots=True)
class Detail:
    """A detail that some variants of a line share. In its words, `_` is the thing."""

    codes: Codes
    words: tuple[str, ...]
    without: str
    """The words that rule these variants out."""


@dataclass(frozen=True, slots=True)
class Dimension:
    """The details about one thing."""

    about: str
    """The properties that the details speak of."""
    details: tuple[Detail, ...]

    @property
    def codes(self) -> Codes:
        """The variants with a known detail."""
        return Codes().union(*(detail.codes for detail in self.details))


@dataclass(frozen=True, slots=True)
class LineWords:
    """The words for one product line: things that mean the line alone, and details by their subject."""

    things: tuple[tuple[str, ...], ...]
    """Templates over a line's names, some with the properties that they mention."""
    present: tuple[tuple[str, str], ...]
    """Details of all variants, each with the properties that it mentions."""
    absent: tuple[tuple[str, str], ...]
    """Details of no variant, each with the properties that it mentions."""
    dimensions: Mapping[str, Dimension]


@dataclass(frozen=True, slots=True)
class Phrase:
    """A description, and the properties that it mentions."""

    text: str
    about: frozenset[str]


@cache
def line_words() -> Mapping[str, LineWords]:
    """Return the words for every line, by its code."""
    return TypeAdapter(dict[str, LineWords]).validate_json(
        (files(__package__) / "phrases.json").read_bytes()
    )


def words_of(line: str) -> LineWords:
    """Return the words for a line or for the twin of one."""
    return line_words()[line.partition("~")[0]]


@cache
def things_of(line: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """Return the customers' names of a line, each with the properties that it mentions."""
    base, _, number = line.partition("~")
    lines = twin_lines(int(number)) if number else product_lines()
    named = next(one for one in lines if one.code == line)
    names = {"brand": named.brand, "short": named.brand.split()[0], "model": named.model}
    names |= {f"lower_{key}": name.lower() for key, name in names.items()}
    return tuple(
        (text.format_map(names), frozenset(" ".join(about).split()))
        for text, *about in words_of(base).things
    )


@cache
def descriptions(line: str, codes: Codes) -> Mapping[Codes, tuple[Phrase, ...]]:
    """Return the descriptions of a line whose variants `codes` are sold, by the variants that each description fits.

    A variant is only ruled out by a detail that is known of every remaining variant.
    """
    words, phrases = words_of(line), dict[Codes, dict[Phrase, None]]()
    every = [
        (dimension, detail)
        for dimension in words.dimensions.values()
        for detail in dimension.details
    ]
    for given in _combinations(words):
        for dimension, ruled_out in ((None, None), *every):
            target = _fitting(codes, given, ruled_out)
            is_known = dimension is None or _fitting(codes, given, None) <= dimension.codes
            if target and is_known and _is_lean(codes, given, ruled_out):
                phrases.setdefault(target, {}).update(
                    dict.fromkeys(_spoken(line, given, ruled_out, target))
                )
    return {target: tuple(phrases[target]) for target in sorted(phrases, key=sorted)}


def _combinations(words: LineWords) -> Iterator[tuple[Detail, ...]]:
    """Yield no detail, single details, and pairs of details about different things."""
    yield ()
    dimensions = words.dimensions.values()
    for dimension in dimensions:
        yield from ((detail,) for detail in dimension.details)
    for first, second in combinations(dimensions, 2):
        yield from product(first.details, second.details)


def _fitting(codes: Codes, given: Iterable[Detail], ruled_out: Detail | None) -> Codes:
    for detail in given:
        codes &= detail.codes
    return codes - ruled_out.codes if ruled_out else codes


def _is_lean(codes: Codes, given: tuple[Detail, ...], ruled_out: Detail | None) -> bool:
    """Say whether every part of a description narrows it down: nobody rules out a product that is not meant anyway."""
    parts = [
        _fitting(codes, [other for other in given if other is not detail], ruled_out)
        for detail in given
    ]
    parts += [_fitting(codes, given, None)] if ruled_out else []
    return all(part != _fitting(codes, given, ruled_out) for part in parts)


def _spoken(
    line: str, given: tuple[Detail, ...], ruled_out: Detail | None, target: Codes
) -> Iterator[Phrase]:
    words = words_of(line)
    spoken = [
        dimension.about
        for dimension in words.dimensions.values()
        if any(detail in (*given, ruled_out) for detail in dimension.details)
    ]
    for at, (thing, properties) in enumerate(things_of(line)):
        about = frozenset(" ".join(spoken).split()) | properties
        for turn in range(3):
            text = thing
            for place, detail in enumerate(given):
                text = detail.words[(at + turn + place) % len(detail.words)].replace("_", text)
            text = f"{text}, {ruled_out.without}" if ruled_out else text
            yield Phrase(text, about)
            if turn == 0 and len(target) > 1 and not ruled_out:
                for label in _open(words, given, target):
                    yield Phrase(f"{text}. The detail about {label} was not supplied", about)


def _open(words: LineWords, given: tuple[Detail, ...], target: Codes) -> list[str]:
    """Return the details that are left out although they would tell the variants of the target apart."""
    return [
        label
        for label, dimension in words.dimensions.items()
        if not any(detail in dimension.details for detail in given)
        and len({detail.codes & target for detail in dimension.details} - {Codes()}) > 1
    ]


def confirmations(line: str, codes: Codes, target: Codes) -> list[str]:
    """Return the descriptions of a target that add something true that they did not mention."""
    words = words_of(line)
    true = [*words.present, *_had(words, lambda detail: target <= detail.codes)]
    return _with_more(descriptions(line, codes)[target], true)


def contradictions(line: str, codes: Codes, target: Codes) -> tuple[list[str], list[str]]:
    """Return the descriptions of a target that add a detail which no sold variant has besides the rest.

    The first list adds a detail of siblings, the second a detail of no variant. No addition contradicts the description
    itself, and a detail contradicts only if all variants have one about the same thing.
    """
    words, phrases = words_of(line), descriptions(line, codes)[target]
    whole = [dimension for dimension in words.dimensions.values() if codes <= dimension.codes]
    siblings = [
        detail for dimension in whole for detail in dimension.details if not detail.codes & target
    ]
    return _with_more(phrases, _had(words, lambda detail: detail in siblings)), _with_more(
        phrases, words.absent
    )


def _had(words: LineWords, is_meant: Callable[[Detail], bool]) -> list[tuple[str, str]]:
    """Return the words of some details that variants have, each with the properties that it mentions."""
    dimensions = words.dimensions.values()
    meant = [
        (detail, one.about) for one in dimensions for detail in one.details if is_meant(detail)
    ]
    return [
        (said.removeprefix("_ with "), about)
        for detail, about in meant
        for said in detail.words
        if said.startswith("_ with ")
    ]


def _with_more(phrases: Iterable[Phrase], more: Iterable[tuple[str, str]]) -> list[str]:
    """Return each phrase with each addition about a property that the phrase does not mention."""
    added = [(had, frozenset(about.split())) for had, about in more]
    return [
        f"{phrase.text} and has {had}"
        for phrase in phrases
        for had, about in added
        if not phrase.about & about
    ]


@dataclass(frozen=True, slots=True)
class Description:
    """A customer's description, and the products that it fits."""

    text: str
    products: tuple[Product, ...]


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The products of one world by SKU, and the SKUs of each line by variant."""

    products: dict[str, Product]
    lines: Mapping[str, Mapping[str, str]]

    def describe(self, rng: Random, product: Product) -> str:
        """Return a description that fits only this product."""
        line, code = self._line_of(product)
        return rng.choice(descriptions(line, frozenset(self.lines[line]))[frozenset({code})]).text

    def vague(self, rng: Random, *, most: int = 3, is_on_shelf: bool = False) -> Description:
        """Return a description that fits several products, at most `most`."""
        line, targets = self._some_line(rng, is_on_shelf=is_on_shelf)
        return self._description(
            rng, line, rng.choice([target for target in targets if 1 < len(target) <= most])
        )

    def loose(self, rng: Random) -> Description:
        """Return a description that fits one product or several."""
        line, targets = self._some_line(rng)
        return self._description(rng, line, rng.choice(list(targets)))

    def confirmed(self, rng: Random) -> Description:
        """Return a description that fits one product, often with one more detail of the product at the end."""
        product = rng.choice(list(self.products.values()))
        line, code = self._line_of(product)
        # The share of descriptions of existing products that add something at the end.
        texts = (
            confirmations(line, frozenset(self.lines[line]), frozenset({code}))
            if rng.random() < 0.75
            else []
        )
        return Description(rng.choice(texts) if texts else self.describe(rng, product), (product,))

    def contradicted(self, rng: Random) -> Description:
        """Return a description of a product, with something added that neither it nor its siblings have."""
        product = rng.choice(list(self.products.values()))
        line, code = self._line_of(product)
        foreign, absent = contradictions(line, frozenset(self.lines[line]), frozenset({code}))
        # The share of contradictions by a detail that siblings have; the others name a detail that no product has.
        texts = foreign if foreign and rng.random() < 0.8 else absent
        return Description(rng.choice(texts or foreign), (product,))

    def _line_of(self, product: Product) -> tuple[str, str]:
        places = (
            (line, code)
            for line, skus in self.lines.items()
            for code, sku in skus.items()
            if sku == product.sku
        )
        return next(places)

    def _some_line(
        self, rng: Random, *, is_on_shelf: bool = False
    ) -> tuple[str, Mapping[Codes, tuple[Phrase, ...]]]:
        shelf = {product.sku for product in self.shelf}
        lines = [
            line
            for line, skus in self.lines.items()
            if not is_on_shelf or shelf.issuperset(skus.values())
        ]
        line = rng.choice(lines)
        return line, descriptions(line, frozenset(self.lines[line]))

    def _description(self, rng: Random, line: str, target: Codes) -> Description:
        text = rng.choice(descriptions(line, frozenset(self.lines[line]))[target]).text
        return Description(
            text, tuple(self.products[self.lines[line][code]] for code in sorted(target))
        )

    @property
    def shelf(self) -> list[Product]:
        """The products that need stock."""
        return [product for product in self.products.values() if not product.is_digital]

    def family(self, family_id: str) -> list[Product]:
        """Return the products of one family, sorted by SKU."""
        return sorted(
            (p for p in self.products.values() if p.family_id == family_id), key=lambda p: p.sku
        )


def _product(line: Line, variant: Variant, number: int, price_cents: int) -> Product:
    return Product(
        id=number,
        sku=f"VH-{line.code.partition('~')[0]}-{line.model.upper().replace(' ', '')}-{variant.code}",
        name=f"{line.brand} {line.model} {variant.tail}",
        brand=line.brand,
        category_id=f"cat-{line.category}",
        kind_id=f"kind-{line.kind}",
        family_id=f"fam-{line.brand.split()[0].lower()}-{line.model.lower().replace(' ', '-')}",
        price_cents=price_cents,
        fulfilment="download" if line.is_digital else "shelf",
        properties={**line.shared, **variant.properties},
    )


def _lines(rng: Random, count: int) -> list[Line]:
    """Return most of the lines, and as many of their twins as make about `count` products."""
    lines = product_lines()
    digital = [line for line in lines if line.is_digital]
    shelf = [line for line in lines if not line.is_digital]
    kept = {*rng.sample(shelf, len(shelf) - 3), *rng.sample(digital, len(digital) - 1)}
    chosen = [line for line in lines if line in kept]
    number, made = 0, sum(len(line.variants) for line in chosen)
    while made < count - 1:
        number += 1
        twins = list(twin_lines(number))
        rng.shuffle(twins)
        for twin in twins:
            if made < count - 1:
                chosen.append(twin)
                made += len(twin.variants)
    return chosen


def choose_catalogue(rng: Random, count: int = 100) -> Catalogue:
    """Return the catalogue of one world: about `count` products, numbered in order, at the world's own prices."""
    products: dict[str, Product] = {}
    sold: dict[str, dict[str, str]] = {}
    for line in _lines(rng, count):
        for variant in line.variants:
            cents = round(variant.cents * rng.uniform(0.92, 1.12) / 10) * 10 - 1
            made = _product(line, variant, len(products) + 1, cents)
            products[made.sku] = made
            sold.setdefault(line.code, {})[variant.code] = made.sku
    return Catalogue(products, sold)
