"""The catalogue of one world: product lines and their twins, and customers' descriptions of them.

A line has several variants. The words for a line say which variants have which detail, so the
products that a description fits follow from the details that it names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import combinations, product
from random import Random

from pydantic import TypeAdapter

from controlplane.benchmarks.ecom.world.data import read_data
from controlplane.benchmarks.ecom.world.records import Product

Value = str | int | bool
Codes = frozenset[str]
"""Some variants of a line, by their codes."""


@dataclass(frozen=True, slots=True, eq=False)
class Variant:
    """One article of a line, with its usual price in cents."""

    code: str
    tail: str
    """The end of its name, which tells it from other variants."""
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
    """The properties that all its variants share."""
    variants: tuple[Variant, ...]


@dataclass(frozen=True, slots=True)
class Detail:
    """A detail that some variants of a line share."""

    codes: Codes
    words: tuple[str, ...]
    """Ways to name a thing with this detail; `_` is the thing."""
    without: str
    """The words that rule these variants out."""


@dataclass(frozen=True, slots=True)
class Dimension:
    """The details about one thing, such as a colour."""

    about: str
    """The properties that the details speak of."""
    details: tuple[Detail, ...]

    @property
    def codes(self) -> Codes:
        """The variants with a known detail."""
        return Codes().union(*(detail.codes for detail in self.details))


@dataclass(frozen=True, slots=True)
class LineWords:
    """The words for one product line."""

    things: tuple[tuple[str, ...], ...]
    """Names that mean the line alone: templates, some with the properties that they mention."""
    present: tuple[tuple[str, str], ...]
    """Details of all variants, each with the properties that it mentions."""
    absent: tuple[tuple[str, str], ...]
    """Details of no variant, each with the properties that it mentions."""
    dimensions: Mapping[str, Dimension]
    """The details of some variants, by their subject."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """A description, and the properties that it mentions."""

    text: str
    about: frozenset[str]


@dataclass(frozen=True, slots=True)
class Addition:
    """Something that can be added to a phrase, and the properties that it mentions."""

    text: str
    about: frozenset[str]


@dataclass(frozen=True, slots=True)
class Contradictions:
    """Descriptions of a product with a detail that it does not have."""

    by_siblings: list[str]
    """The detail is that of other variants of the line."""
    by_none: list[str]
    """The detail is that of no variant of the line."""


@cache
def product_lines() -> tuple[Line, ...]:
    """Return all product lines, in catalogue order."""
    text = (files(__package__) / "lines.json").read_bytes()
    return TypeAdapter(tuple[Line, ...]).validate_json(text)


@cache
def twin_lines(number: int) -> tuple[Line, ...]:
    """Return a twin of every line: nearly the same goods under nearly the same name.

    `number` counts the twins of a line from 1 on.
    """
    return tuple(_twin_of(line, number) for line in product_lines())


def _twin_of(line: Line, number: int) -> Line:
    names = read_data("company.json")["twins"]
    brands, endings = names.values()
    place = sum(ord(letter) for letter in line.code) + number
    stem = line.model.split()[0]
    shortened_stem = stem[: max(3, len(stem) - 1)]
    return replace(
        line,
        code=f"{line.code}~{number}",
        brand=brands[place % len(brands)],
        model=shortened_stem + endings[place % len(endings)],
    )


@cache
def line_words() -> Mapping[str, LineWords]:
    """Return the words for every line, by its code."""
    text = (files(__package__) / "phrases.json").read_bytes()
    return TypeAdapter(dict[str, LineWords]).validate_json(text)


def words_of(line_code: str) -> LineWords:
    """Return the words for a line or for the twin of one."""
    return line_words()[line_code.partition("~")[0]]


@cache
def things_of(line_code: str) -> tuple[Phrase, ...]:
    """Return the customers' names of a line or of the twin of one."""
    line = _line_called(line_code)
    names = {"brand": line.brand, "short": line.brand.split()[0], "model": line.model}
    for key, name in list(names.items()):
        names[f"lower_{key}"] = name.lower()
    things = []
    for template, *about in words_of(line_code).things:
        properties = frozenset(" ".join(about).split())
        things.append(Phrase(template.format_map(names), properties))
    return tuple(things)


def _line_called(line_code: str) -> Line:
    _, _, twin_number = line_code.partition("~")
    lines = twin_lines(int(twin_number)) if twin_number else product_lines()
    for line in lines:
        if line.code == line_code:
            return line
    raise KeyError(line_code)


@cache
def descriptions(line_code: str, codes: Codes) -> Mapping[Codes, tuple[Phrase, ...]]:
    """Return the descriptions of a line of which these variants are sold.

    They are grouped by the variants that they fit. A variant is only ruled out by a detail that is
    known of every remaining variant.
    """
    words = words_of(line_code)
    phrases: dict[Codes, dict[Phrase, None]] = {}
    for named in _combinations(words):
        remaining = _fitting(codes, named, None)
        _add_phrases(phrases, line_code, codes, named, None)
        for dimension in words.dimensions.values():
            if not remaining <= dimension.codes:
                continue
            for detail in dimension.details:
                _add_phrases(phrases, line_code, codes, named, detail)
    return {target: tuple(phrases[target]) for target in sorted(phrases, key=sorted)}


def _add_phrases(
    phrases: dict[Codes, dict[Phrase, None]],
    line_code: str,
    codes: Codes,
    named: tuple[Detail, ...],
    ruled_out: Detail | None,
) -> None:
    """Add the phrases that name some details, and perhaps rule out another, if they fit anything."""
    target = _fitting(codes, named, ruled_out)
    if target and _is_lean(codes, named, ruled_out):
        spoken = dict.fromkeys(_spoken(line_code, named, ruled_out, target))
        phrases.setdefault(target, {}).update(spoken)


def _combinations(words: LineWords) -> Iterator[tuple[Detail, ...]]:
    """Yield no detail, single details, and pairs of details about different things."""
    yield ()
    dimensions = words.dimensions.values()
    for dimension in dimensions:
        for detail in dimension.details:
            yield (detail,)
    for first, second in combinations(dimensions, 2):
        yield from product(first.details, second.details)


def _fitting(codes: Codes, named: Iterable[Detail], ruled_out: Detail | None) -> Codes:
    """Return the variants that have all named details, and not the one that is ruled out."""
    for detail in named:
        codes &= detail.codes
    if ruled_out is not None:
        codes -= ruled_out.codes
    return codes


def _is_lean(codes: Codes, named: tuple[Detail, ...], ruled_out: Detail | None) -> bool:
    """Say whether every part of a description narrows it down.

    Nobody rules out a product that is not meant anyway.
    """
    target = _fitting(codes, named, ruled_out)
    for detail in named:
        others = [other for other in named if other is not detail]
        if _fitting(codes, others, ruled_out) == target:
            return False
    return ruled_out is None or _fitting(codes, named, None) != target


def _spoken(
    line_code: str, named: tuple[Detail, ...], ruled_out: Detail | None, target: Codes
) -> Iterator[Phrase]:
    """Yield the ways to say a description, each thing in three turns of words."""
    words = words_of(line_code)
    mentioned: set[str] = set()
    for dimension in words.dimensions.values():
        if any(detail in (*named, ruled_out) for detail in dimension.details):
            mentioned.update(dimension.about.split())
    for place, thing in enumerate(things_of(line_code)):
        about = thing.about | mentioned
        for turn in range(3):
            text = thing.text
            for number, detail in enumerate(named):
                template = detail.words[(place + turn + number) % len(detail.words)]
                text = template.replace("_", text)
            if ruled_out is not None:
                text = f"{text}, {ruled_out.without}"
            yield Phrase(text, about)
            if turn == 0 and len(target) > 1 and ruled_out is None:
                for label in _left_open(words, named, target):
                    yield Phrase(f"{text}. The detail about {label} was not supplied", about)


def _left_open(words: LineWords, named: tuple[Detail, ...], target: Codes) -> list[str]:
    """Return the subjects that are left out although they would tell the target's variants apart."""
    labels = []
    for label, dimension in words.dimensions.items():
        if any(detail in dimension.details for detail in named):
            continue
        parts = {detail.codes & target for detail in dimension.details}
        parts.discard(Codes())
        if len(parts) > 1:
            labels.append(label)
    return labels


def confirmations(line_code: str, codes: Codes, target: Codes) -> list[str]:
    """Return the descriptions of a target that add something true that they did not mention."""
    words = words_of(line_code)
    additions = _as_additions(words.present)
    for dimension in words.dimensions.values():
        for detail in dimension.details:
            if target <= detail.codes:
                additions += _detail_as_additions(detail, dimension)
    return _with_additions(descriptions(line_code, codes)[target], additions)


def contradictions(line_code: str, codes: Codes, target: Codes) -> Contradictions:
    """Return the descriptions of a target that add a detail which no sold variant has besides.

    No addition contradicts the description itself. A detail contradicts only if all variants have
    one about the same thing.
    """
    words = words_of(line_code)
    phrases = descriptions(line_code, codes)[target]
    additions: list[Addition] = []
    for dimension in words.dimensions.values():
        if not codes <= dimension.codes:
            continue
        for detail in dimension.details:
            if not detail.codes & target:
                additions += _detail_as_additions(detail, dimension)
    return Contradictions(
        by_siblings=_with_additions(phrases, additions),
        by_none=_with_additions(phrases, _as_additions(words.absent)),
    )


def _as_additions(details: Iterable[tuple[str, str]]) -> list[Addition]:
    return [Addition(text, frozenset(about.split())) for text, about in details]


def _detail_as_additions(detail: Detail, dimension: Dimension) -> list[Addition]:
    """Return what a detail adds: the words behind `_ with `."""
    additions = []
    for words in detail.words:
        if words.startswith("_ with "):
            text = words.removeprefix("_ with ")
            additions.append(Addition(text, frozenset(dimension.about.split())))
    return additions


def _with_additions(phrases: Iterable[Phrase], additions: Sequence[Addition]) -> list[str]:
    """Return each phrase with each addition about a property that the phrase does not mention."""
    texts = []
    for phrase in phrases:
        for addition in additions:
            if not phrase.about & addition.about:
                texts.append(f"{phrase.text} and has {addition.text}")
    return texts


@dataclass(frozen=True, slots=True)
class Description:
    """A customer's description, and the products that it fits."""

    text: str
    products: tuple[Product, ...]


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The products of one world."""

    products: dict[str, Product]
    """The products by SKU."""
    lines: Mapping[str, Mapping[str, str]]
    """The SKUs of each line by variant; both are given by their codes."""

    @property
    def shelf(self) -> list[Product]:
        """The products that need stock."""
        return [product for product in self.products.values() if not product.is_digital]

    def family(self, family_id: str) -> list[Product]:
        """Return the products of one family, sorted by SKU."""
        members = [each for each in self.products.values() if each.family_id == family_id]
        return sorted(members, key=lambda product: product.sku)

    def describe(self, rng: Random, product: Product) -> str:
        """Return a description that fits only this product."""
        line_code, variant_code = self._place_of(product)
        phrases = self._descriptions(line_code)[frozenset([variant_code])]
        return rng.choice(phrases).text

    def vague(self, rng: Random, *, most: int = 3, is_on_shelf: bool = False) -> Description:
        """Return a description that fits several products, at most `most`."""
        line_code = self._some_line(rng, is_on_shelf=is_on_shelf)
        targets = [target for target in self._descriptions(line_code) if 1 < len(target) <= most]
        return self._description_of(rng, line_code, rng.choice(targets))

    def loose(self, rng: Random) -> Description:
        """Return a description that fits one product or several."""
        line_code = self._some_line(rng)
        targets = list(self._descriptions(line_code))
        return self._description_of(rng, line_code, rng.choice(targets))

    def confirmed(self, rng: Random) -> Description:
        """Return a description that fits one product, mostly with one more detail at the end."""
        product = rng.choice(list(self.products.values()))
        line_code, variant_code = self._place_of(product)
        texts = []
        if rng.random() < 0.75:
            sold = frozenset(self.lines[line_code])
            texts = confirmations(line_code, sold, frozenset([variant_code]))
        text = rng.choice(texts) if texts else self.describe(rng, product)
        return Description(text, (product,))

    def contradicted(self, rng: Random) -> Description:
        """Return a description of a product, with a detail that neither it nor a sibling has.

        Mostly the siblings have the detail, but not together with the rest of the description.
        """
        product = rng.choice(list(self.products.values()))
        line_code, variant_code = self._place_of(product)
        sold = frozenset(self.lines[line_code])
        found = contradictions(line_code, sold, frozenset([variant_code]))
        texts = found.by_none
        if found.by_siblings and rng.random() < 0.8:
            texts = found.by_siblings
        return Description(rng.choice(texts or found.by_siblings), (product,))

    def _place_of(self, product: Product) -> tuple[str, str]:
        """Return the codes of a product's line and variant."""
        for line_code, skus in self.lines.items():
            for variant_code, sku in skus.items():
                if sku == product.sku:
                    return line_code, variant_code
        raise KeyError(product.sku)

    def _some_line(self, rng: Random, *, is_on_shelf: bool = False) -> str:
        """Return the code of a line; `is_on_shelf` asks for one whose products all need stock."""
        shelf_skus = {product.sku for product in self.shelf}
        line_codes = []
        for line_code, skus in self.lines.items():
            if not is_on_shelf or shelf_skus.issuperset(skus.values()):
                line_codes.append(line_code)
        return rng.choice(line_codes)

    def _descriptions(self, line_code: str) -> Mapping[Codes, tuple[Phrase, ...]]:
        return descriptions(line_code, frozenset(self.lines[line_code]))

    def _description_of(self, rng: Random, line_code: str, target: Codes) -> Description:
        text = rng.choice(self._descriptions(line_code)[target]).text
        skus = [self.lines[line_code][variant_code] for variant_code in sorted(target)]
        return Description(text, tuple(self.products[sku] for sku in skus))


def choose_catalogue(rng: Random, count: int = 100) -> Catalogue:
    """Return the catalogue of one world: about `count` products at the world's own prices."""
    products: dict[str, Product] = {}
    lines: dict[str, dict[str, str]] = {}
    for line in _choose_lines(rng, count):
        for variant in line.variants:
            # A price ends in 9 cents.
            cents = round(variant.cents * rng.uniform(0.92, 1.12) / 10) * 10 - 1
            product = _product_of(line, variant, len(products) + 1, cents)
            products[product.sku] = product
            lines.setdefault(line.code, {})[variant.code] = product.sku
    return Catalogue(products, lines)


def _choose_lines(rng: Random, count: int) -> list[Line]:
    """Return most of the lines, and as many of their twins as make about `count` products."""
    lines = product_lines()
    digital = [line for line in lines if line.is_digital]
    on_shelf = [line for line in lines if not line.is_digital]
    sold = set(rng.sample(on_shelf, len(on_shelf) - 3))
    sold.update(rng.sample(digital, len(digital) - 1))
    chosen = [line for line in lines if line in sold]
    product_count = sum(len(line.variants) for line in chosen)
    twin_number = 0
    while product_count < count - 1:
        twin_number += 1
        twins = list(twin_lines(twin_number))
        rng.shuffle(twins)
        for twin in twins:
            if product_count < count - 1:
                chosen.append(twin)
                product_count += len(twin.variants)
    return chosen


def _product_of(line: Line, variant: Variant, number: int, price_cents: int) -> Product:
    line_code = line.code.partition("~")[0]
    model_in_sku = line.model.upper().replace(" ", "")
    brand_in_family = line.brand.split()[0].lower()
    model_in_family = line.model.lower().replace(" ", "-")
    return Product(
        id=number,
        sku=f"VH-{line_code}-{model_in_sku}-{variant.code}",
        name=f"{line.brand} {line.model} {variant.tail}",
        brand=line.brand,
        category_id=f"cat-{line.category}",
        kind_id=f"kind-{line.kind}",
        family_id=f"fam-{brand_in_family}-{model_in_family}",
        price_cents=price_cents,
        fulfilment="download" if line.is_digital else "shelf",
        properties={**line.shared, **variant.properties},
    )
