"""The catalogue of one world, and descriptions of its products in customers' words.

A product line, such as the tent `Nordvane Skerry`, has a few variants: for two persons,
for four. Each variant is a product. `lines.json` lists the lines, and `phrases.json`
the words for details of their variants. A description fits the variants that have all
details which it names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import combinations
from itertools import product as all_pairs
from random import Random
from typing import Final, NamedTuple

from pydantic import TypeAdapter

from controlplane.benchmarks.ecom.world.data import read_data
from controlplane.benchmarks.ecom.world.records import Product

# Product lines ----------------------------------------------------------------------------------

# In the examples below, the line `TNT` is a tent. Its variants are `2P` (for two
# persons), `2P-FOOT` (for two persons, with a groundsheet) and `4P` (for four persons).

Value = str | int | bool
VariantCodes = frozenset[str]
"""Codes of some variants of a line: `{"2P", "4P"}`."""


@dataclass(frozen=True, slots=True, eq=False)
class Variant:
    """One variant of a line, which becomes a product."""

    code: str
    """For example, `2P-FOOT`."""
    tail: str
    """The end of its name, different for each variant: `two-person tent with footprint`."""
    cents: int
    """The usual price."""
    properties: Mapping[str, Value]
    """For example, `{"persons": 2}`."""


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """A product line, such as the tent `Nordvane Skerry`, with its variants."""

    code: str
    """For example, `TNT`. The second line that imitates it (a twin) has the code `TNT~2`."""
    category: str
    kind: str
    brand: str
    model: str
    is_digital: bool
    shared: Mapping[str, Value]
    """The properties that all its variants share."""
    variants: tuple[Variant, ...]


@cache
def product_lines() -> tuple[Line, ...]:
    """Return all product lines, in catalogue order."""
    text = (files(__package__) / "lines.json").read_bytes()
    return TypeAdapter(tuple[Line, ...]).validate_json(text)


@cache
def twin_lines(number: int) -> tuple[Line, ...]:
    """Return one twin of every line: a similar line with a similar name.

    Twins are numbered from 1.
    """
    return tuple(_twin_of(line, number) for line in product_lines())


def _twin_of(line: Line, number: int) -> Line:
    """Return the line with another brand and a similar model name: `Skerry` -> `Skerrholm`."""
    pools = read_data("company.json")["twins"]
    brands = pools["brands"]
    endings = pools["endings"]
    # A number that differs between most lines and twins. Unlike `hash`, it is the same
    # in each process.
    spread = sum(ord(letter) for letter in line.code) + number
    stem = line.model.split()[0]
    if len(stem) > 3:  # A shorter stem would no longer be similar.
        stem = stem[:-1]
    return replace(
        line,
        code=f"{line.code}~{number}",
        brand=brands[spread % len(brands)],
        model=stem + endings[spread % len(endings)],
    )


def _original_code(line_code: str) -> str:
    """Return the code of a twin's original line: `TNT~2` -> `TNT`. Other codes stay the same."""
    return line_code.partition("~")[0]


def _line_called(line_code: str) -> Line:
    _, _, twin_number = line_code.partition("~")
    lines = twin_lines(int(twin_number)) if twin_number else product_lines()
    for line in lines:
        if line.code == line_code:
            return line
    raise KeyError(line_code)


# Customers' words for a line, as `phrases.json` holds them ---------------------------------------

# A `Wording` is one text. A `Detail` has several texts for one thing. Names and details of a
# line are put together to a `Phrase`, which describes variants.


class Wording(NamedTuple):
    """A text and the properties that it mentions: `["3 seasons", "seasons"]`."""

    text: str
    about: str = ""
    """The names of the properties, separated by spaces; often none."""


@dataclass(frozen=True, slots=True)
class Detail:
    """A detail that some variants of a line have, such as room for two persons."""

    codes: VariantCodes
    """The codes of the variants that have it: `{"2P", "2P-FOOT"}`."""
    words: tuple[str, ...]
    """Ways to express the detail: `_ for two`, `2-man _`. `_` stands for a name such as `tent`."""
    without: str
    """Words that exclude these variants: `not the one for two`."""


@dataclass(frozen=True, slots=True)
class Dimension:
    """The details about one subject, such as how many persons a tent sleeps.

    A variant has at most one of them.
    """

    about: str
    """The properties (record fields) that the details mention: `persons`, or `width length`."""
    details: tuple[Detail, ...]

    def is_known_for(self, variants: VariantCodes) -> bool:
        """Return True if each of these variants has one of the details."""
        known_variants = VariantCodes().union(
            *(detail.codes for detail in self.details)
        )
        return variants <= known_variants

    def tells_apart(self, variants: VariantCodes) -> bool:
        """Return True if two details belong to different ones of these variants.

        "For two" and "for four" tell `2P` and `4P` apart, but not `2P` and `2P-FOOT`.
        """
        groups = set()
        for detail in self.details:
            variants_with_detail = detail.codes & variants
            if variants_with_detail:
                groups.add(variants_with_detail)
        return len(groups) > 1


@dataclass(frozen=True, slots=True)
class LineWords:
    """The words for one product line."""

    things: tuple[Wording, ...]
    """Customers' names for the line, without details of a variant: `{brand} dome tent`."""
    present: tuple[Wording, ...]
    """Details that all variants have: `3 seasons`."""
    absent: tuple[Wording, ...]
    """Details that no variant has: `room for six`."""
    dimensions: Mapping[str, Dimension]
    """Details that some variants have, by the words for their subject: `how many it sleeps`."""


@cache
def _words_of_all_lines() -> Mapping[str, LineWords]:
    text = (files(__package__) / "phrases.json").read_bytes()
    return TypeAdapter(dict[str, LineWords]).validate_json(text)


def _words_of(line_code: str) -> LineWords:
    """Return the words for a line.

    A twin, which is a similar line of another brand, has the words of its original.
    """
    return _words_of_all_lines()[_original_code(line_code)]


# Descriptions of variants -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Phrase:
    """A description of a variant, or a part of one, made from a `Wording` or a `Detail`."""

    text: str
    about: frozenset[str]
    """The names of the properties that it mentions."""


def _phrase_of(wording: Wording) -> Phrase:
    return Phrase(wording.text, frozenset(wording.about.split()))


@cache
def _line_names(line_code: str) -> tuple[Phrase, ...]:
    """Return the names that customers use for a line: `Nordvane dome tent`."""
    line = _line_called(line_code)
    first_word_of_brand = line.brand.split()[0]
    replacements = {
        "brand": line.brand,
        "short": first_word_of_brand,
        "model": line.model,
        "lower_brand": line.brand.lower(),
        "lower_short": first_word_of_brand.lower(),
        "lower_model": line.model.lower(),
    }
    line_names = []
    for template in _words_of(line_code).things:
        line_name = template._replace(text=template.text.format_map(replacements))
        line_names.append(_phrase_of(line_name))
    return tuple(line_names)


@dataclass(frozen=True, slots=True)
class _ChosenDetails:
    """The details that a description names: `2-man tent, not the set with the floor sheet`."""

    wanted: tuple[Detail, ...]
    """In this example, the detail with the words `2-man _`."""
    excluded: Detail | None = None
    """In this example, the detail with the words `not the set with the floor sheet`."""

    def fitting(self, sold: VariantCodes) -> VariantCodes:
        """Return the sold variants that have all wanted details but not the excluded one."""
        fitting = sold
        for detail in self.wanted:
            fitting &= detail.codes
        if self.excluded is not None:
            fitting -= self.excluded.codes
        return fitting

    def has_needless_detail(self, sold: VariantCodes) -> bool:
        """Return True if the same variants would fit without one of the details."""
        with_one_less = []
        for detail in self.wanted:
            other_details = tuple(other for other in self.wanted if other is not detail)
            with_one_less.append(replace(self, wanted=other_details))
        if self.excluded is not None:
            with_one_less.append(replace(self, excluded=None))

        fitting = self.fitting(sold)
        return any(chosen.fitting(sold) == fitting for chosen in with_one_less)


@cache
def descriptions(
    line_code: str, sold: VariantCodes
) -> Mapping[VariantCodes, tuple[Phrase, ...]]:
    """Return all descriptions of a line's sold variants, grouped by the variants they fit.

    `{"4P"} -> (Phrase("family size Skerry tent"), ...)`, `{"2P", "2P-FOOT"} -> (...)`.
    Such a set of variants is a `target`.
    """
    phrases: dict[VariantCodes, list[Phrase]] = {}
    for chosen in _all_choices(_words_of(line_code), sold):
        target = chosen.fitting(sold)
        if target and not chosen.has_needless_detail(sold):
            phrases.setdefault(target, []).extend(
                _phrases_for(line_code, chosen, target)
            )

    # Keep one of equal phrases, and an order that is the same in each process.
    sorted_targets = sorted(phrases, key=sorted)
    return {target: tuple(dict.fromkeys(phrases[target])) for target in sorted_targets}


def _all_choices(words: LineWords, sold: VariantCodes) -> Iterator[_ChosenDetails]:
    """Yield choices with wanted details only, and with one excluded detail as well.

    `sold` are the codes of the variants that the shop sells.
    """
    for wanted in _wanted_details(words):
        chosen = _ChosenDetails(wanted)
        yield chosen
        for dimension in words.dimensions.values():
            # "Not the one for two" is unclear if nobody knows how many one of the fitting
            # variants sleeps. So a detail is excluded only if all of them are known.
            if dimension.is_known_for(chosen.fitting(sold)):
                for detail in dimension.details:
                    yield _ChosenDetails(wanted, detail)


def _wanted_details(words: LineWords) -> Iterator[tuple[Detail, ...]]:
    """Yield an empty tuple, each single detail, and each pair of details on different subjects."""
    yield ()
    dimensions = words.dimensions.values()
    for dimension in dimensions:
        for detail in dimension.details:
            yield (detail,)
    for first, second in combinations(dimensions, 2):
        yield from all_pairs(first.details, second.details)


WAYS_TO_SAY: Final = 3
"""The number of phrases for the same details and line name. Each uses other words, if possible."""


def _phrases_for(
    line_code: str, chosen: _ChosenDetails, target: VariantCodes
) -> Iterator[Phrase]:
    """Yield the phrases for some details: each name of the line, with words for the details.

    Some phrases also say that a detail is missing: `Skerry tent for two. The detail
    about groundsheet was not supplied`.
    """
    words = _words_of(line_code)
    mentioned = _mentioned_properties(words, chosen)
    # Subjects, such as `groundsheet`, about which a further detail would exclude a variant.
    open_subjects: list[str] = []
    if chosen.excluded is None:
        open_subjects = _open_subjects(words, chosen, target)
    for name_number, line_name in enumerate(_line_names(line_code)):
        properties = line_name.about | mentioned
        for phrase_number in range(WAYS_TO_SAY):
            # Each name of the line begins with other words for the details.
            first_wording = name_number + phrase_number
            text = _text_for(chosen, line_name.text, first_wording)
            yield Phrase(text, properties)
            if phrase_number == 0:
                for subject in open_subjects:
                    yield Phrase(
                        f"{text}. The detail about {subject} was not supplied",
                        properties,
                    )


def _text_for(chosen: _ChosenDetails, line_name: str, first_wording: int) -> str:
    """Add the details to a name: `tent` -> `2-man tent, not the set with the floor sheet`.

    Each detail has several wordings. The first detail gets the wording with the number
    `first_wording`, the second one the next, starting again after the last wording.
    """
    text = line_name
    for number, detail in enumerate(chosen.wanted):
        template = detail.words[(first_wording + number) % len(detail.words)]
        text = template.replace("_", text)
    if chosen.excluded is not None:
        text = f"{text}, {chosen.excluded.without}"
    return text


def _mentioned_properties(words: LineWords, chosen: _ChosenDetails) -> set[str]:
    """Return the properties that the chosen details mention, wanted or excluded."""
    chosen_details = (*chosen.wanted, chosen.excluded)
    properties: set[str] = set()
    for dimension in words.dimensions.values():
        if any(detail in chosen_details for detail in dimension.details):
            properties.update(dimension.about.split())
    return properties


def _open_subjects(
    words: LineWords, chosen: _ChosenDetails, target: VariantCodes
) -> list[str]:
    """Return the subjects without a wanted detail that would tell the target variants apart.

    `Skerry tent` fits tents for two and for four,
    so the subject `how many it sleeps` is open.
    """
    subjects = []
    for subject, dimension in words.dimensions.items():
        has_wanted_detail = any(detail in dimension.details for detail in chosen.wanted)
        if not has_wanted_detail and dimension.tells_apart(target):
            subjects.append(subject)
    return subjects


# Descriptions with one more detail at the end ----------------------------------------------------


@dataclass(frozen=True, slots=True)
class Contradictions:
    """Descriptions of a product that add a detail it does not have."""

    by_siblings: list[str]
    """Descriptions with a detail of other variants of the line."""
    by_none: list[str]
    """Descriptions with a detail that no variant of the line has."""


def confirmations(
    line_code: str, sold: VariantCodes, target: VariantCodes
) -> list[str]:
    """Return descriptions of the target with one more true detail that they did not mention.

    Example: `family size Skerry tent and has 3 seasons`
    """
    words = _words_of(line_code)
    additions = [_phrase_of(detail) for detail in words.present]
    for dimension in words.dimensions.values():
        for detail in dimension.details:
            if target <= detail.codes:
                additions += _additions_of(detail, dimension)
    return _with_additions(descriptions(line_code, sold)[target], additions)


def contradictions(
    line_code: str, sold: VariantCodes, target: VariantCodes
) -> Contradictions:
    """Return descriptions of the target with one more detail that is false for it.

    Example: `family size Skerry tent and has groundsheet` (a sibling has it), `... and
    has 5 seasons` (no variant has it). The added detail is about a property that the
    description does not mention, so that the text does not contradict itself.
    """
    words = _words_of(line_code)
    phrases = descriptions(line_code, sold)[target]
    additions: list[Phrase] = []
    for dimension in words.dimensions.values():
        # The added detail might be true for a variant of which nothing is known.
        if not dimension.is_known_for(sold):
            continue
        for detail in dimension.details:
            is_false_for_target = not detail.codes & target
            if is_false_for_target:
                additions += _additions_of(detail, dimension)
    return Contradictions(
        by_siblings=_with_additions(phrases, additions),
        by_none=_with_additions(
            phrases, [_phrase_of(detail) for detail in words.absent]
        ),
    )


def _additions_of(detail: Detail, dimension: Dimension) -> list[Phrase]:
    """Return the words for a detail after "and has": `_ with groundsheet` -> `groundsheet`."""
    additions = []
    for words in detail.words:
        if words.startswith("_ with "):
            text = words.removeprefix("_ with ")
            additions.append(Phrase(text, frozenset(dimension.about.split())))
    return additions


def _with_additions(
    phrases: Iterable[Phrase], additions: Sequence[Phrase]
) -> list[str]:
    """Return each phrase with each addition about a property that the phrase does not mention."""
    texts = []
    for phrase in phrases:
        for addition in additions:
            if phrase.about.isdisjoint(addition.about):
                texts.append(f"{phrase.text} and has {addition.text}")
    return texts


# The products of one world ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Description:
    """A customer's description, and the products that it fits."""

    text: str
    products: tuple[Product, ...]


class _Place(NamedTuple):
    """The place of a product in the catalogue: its line and its variant."""

    line_code: str
    variant_code: str


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The products of one world."""

    products: dict[str, Product]
    """The products by SKU."""
    lines: Mapping[str, Mapping[str, str]]
    """The SKUs of each line's variants: `{"TNT": {"2P": "VH-TNT-SKERRY-2P"}}`."""

    @property
    def shelf(self) -> list[Product]:
        """The physical products, which need stock."""
        return [product for product in self.products.values() if not product.is_digital]

    def family(self, family_id: str) -> list[Product]:
        """Return the products of one family, sorted by SKU."""
        members = []
        for product in self.products.values():
            if product.family_id == family_id:
                members.append(product)
        return sorted(members, key=lambda product: product.sku)

    def describe(self, rng: Random, product: Product) -> str:
        """Return a description that fits only this product."""
        line_code, variant_code = self._place_of(product)
        phrases = self._descriptions(line_code)[frozenset([variant_code])]
        return rng.choice(phrases).text

    def describe_several(
        self, rng: Random, *, most: int = 3, is_on_shelf: bool = False
    ) -> Description:
        """Return a description that fits from two to `most` products of one line."""
        line_code = self._some_line(rng, is_on_shelf=is_on_shelf)
        targets = [
            target
            for target in self._descriptions(line_code)
            if 1 < len(target) <= most
        ]
        return self._description_of(rng, line_code, rng.choice(targets))

    def describe_any(self, rng: Random) -> Description:
        """Return a description that fits one or more products."""
        line_code = self._some_line(rng)
        targets = list(self._descriptions(line_code))
        return self._description_of(rng, line_code, rng.choice(targets))

    def describe_with_true_detail(self, rng: Random) -> Description:
        """Return a description that fits one product; in 3 of 4 cases it adds a true detail."""
        product = rng.choice(list(self.products.values()))
        line_code, variant_code = self._place_of(product)
        texts = []
        if rng.random() < 0.75:
            sold = frozenset(self.lines[line_code])
            texts = confirmations(line_code, sold, frozenset([variant_code]))
        text = rng.choice(texts) if texts else self.describe(rng, product)
        return Description(text, (product,))

    def describe_with_false_detail(self, rng: Random) -> Description:
        """Return a description of a product that adds a detail which the product does not have.

        Usually another variant of its line has the detail, but does not fit the rest of
        the description.
        """
        product = rng.choice(list(self.products.values()))
        line_code, variant_code = self._place_of(product)
        sold = frozenset(self.lines[line_code])
        options = contradictions(line_code, sold, frozenset([variant_code]))
        if options.by_siblings and rng.random() < 0.8:
            texts = options.by_siblings
        elif options.by_none:
            texts = options.by_none
        else:
            texts = options.by_siblings
        return Description(rng.choice(texts), (product,))

    def _place_of(self, product: Product) -> _Place:
        """Return the line and variant of a product."""
        for line_code, skus in self.lines.items():
            for variant_code, sku in skus.items():
                if sku == product.sku:
                    return _Place(line_code, variant_code)
        raise KeyError(product.sku)

    def _some_line(self, rng: Random, *, is_on_shelf: bool = False) -> str:
        """Return the code of a random line. With `is_on_shelf`, all its products are physical."""
        shelf_skus = {product.sku for product in self.shelf}
        line_codes = []
        for line_code, skus in self.lines.items():
            if not is_on_shelf or shelf_skus.issuperset(skus.values()):
                line_codes.append(line_code)
        return rng.choice(line_codes)

    def _descriptions(
        self, line_code: str
    ) -> Mapping[VariantCodes, tuple[Phrase, ...]]:
        """Return all descriptions of a line's variants, by the set of variants they fit."""
        return descriptions(line_code, frozenset(self.lines[line_code]))

    def _description_of(
        self, rng: Random, line_code: str, target: VariantCodes
    ) -> Description:
        """Return a random description that fits exactly the variants `target` of a line."""
        text = rng.choice(self._descriptions(line_code)[target]).text
        skus = [self.lines[line_code][variant_code] for variant_code in sorted(target)]
        return Description(text, tuple(self.products[sku] for sku in skus))


def choose_catalogue(rng: Random, count: int = 100) -> Catalogue:
    """Return the catalogue of one world: about `count` products with prices of this world."""
    products: dict[str, Product] = {}
    lines: dict[str, dict[str, str]] = {}
    for line in _choose_lines(rng, count):
        for variant in line.variants:
            cents = _ending_with_9(variant.cents * rng.uniform(0.92, 1.12))
            product = _product_of(line, variant, len(products) + 1, cents)
            products[product.sku] = product
            lines.setdefault(line.code, {})[variant.code] = product.sku
    return Catalogue(products, lines)


def _ending_with_9(cents: float) -> int:
    """Return a price rounded to ten cents, less one: 1,234.5 -> 1,229."""
    tens = round(cents / 10)
    return tens * 10 - 1


def _choose_lines(rng: Random, count: int) -> list[Line]:
    """Choose most original lines, and add twins (similar lines) up to about `count` products."""
    lines = product_lines()
    digital = [line for line in lines if line.is_digital]
    on_shelf = [line for line in lines if not line.is_digital]
    # Each world lacks three physical lines and a digital one, so that worlds differ.
    sold = set(rng.sample(on_shelf, len(on_shelf) - 3))
    sold.update(rng.sample(digital, len(digital) - 1))

    chosen = [line for line in lines if line in sold]
    product_count = sum(len(line.variants) for line in chosen)
    # One product less than wanted is enough: another twin would add three or four.
    enough = count - 1
    twin_number = 0
    while product_count < enough:
        twin_number += 1
        twins = list(twin_lines(twin_number))
        rng.shuffle(twins)
        for twin in twins:
            if product_count < enough:
                chosen.append(twin)
                product_count += len(twin.variants)
    return chosen


def _product_of(line: Line, variant: Variant, number: int, price_cents: int) -> Product:
    """Return the product of a variant. `number` is its id."""
    # A twin has the same line code in its SKU as its original line, but another model.
    line_code = _original_code(line.code)
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
