"""The products of a world, and how customers describe them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import combinations, product
from random import Random
from typing import Final, NamedTuple, TypeAlias

from pydantic import TypeAdapter

from controlplane.benchmarks.ecom.world.names import read_data
from controlplane.benchmarks.ecom.world.records import SoldProduct

# Product lines, such as the tent `Nordvane Skerry`, from which worlds choose their products.
#
# A line has a few variants, each of which becomes a product. The examples are about the line
# `TNT`, a tent, with the variants `2P` (for two persons), `2P-FOOT` (for two persons, with a
# groundsheet) and `4P` (for four persons). `lines.json` lists all lines.

_Value = str | int | bool
_VariantCodes = frozenset[str]
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
    properties: Mapping[str, _Value]
    """For example, `{"persons": 2}`."""


@dataclass(frozen=True, slots=True, eq=False)
class ProductLine:
    """A product line, such as the tent `Nordvane Skerry`, with its variants."""

    code: str
    """For example, `TNT`. The first line that imitates it (a twin) is `TNT~1`, the next `TNT~2`."""
    category: str
    kind: str
    """What its products are: `tents`."""
    brand: str
    model: str
    is_digital: bool
    shared: Mapping[str, _Value]
    """The properties that all its variants share."""
    variants: tuple[Variant, ...]

    @property
    def variant_codes(self) -> _VariantCodes:
        """The codes of all its variants: `{"2P", "2P-FOOT", "4P"}`."""
        return frozenset(variant.code for variant in self.variants)


@cache
def product_lines() -> tuple[ProductLine, ...]:
    """Return all product lines, in catalogue order."""
    text = (files(__package__) / "lines.json").read_bytes()
    return TypeAdapter(tuple[ProductLine, ...]).validate_json(text)


# Customers' words for a product, and for its details: "Skerry tent", "for two".
#
# The tent Skerry is a product line with three variants: `2P` for two persons, `2P-FOOT` for two
# with a groundsheet, and `4P` for four. The detail "for two" fits the first two. Together with
# a name it becomes the description "Skerry tent for two".


@dataclass(frozen=True, slots=True)
class _Phrase:
    """A name, a detail or a whole description: `Skerry tent`, `3 seasons`, `2-man tent`."""

    text: str
    properties: frozenset[str] = frozenset()
    """The properties that the text mentions: `{"seasons"}`; often none.

    A property is a field of a product's record.
    """


@dataclass(frozen=True, slots=True)
class _Detail:
    """A detail that some variants of a line have, such as room for two persons."""

    codes: _VariantCodes
    """The codes of the variants that have it: `{"2P", "2P-FOOT"}`."""
    properties: frozenset[str]
    """The properties that it is about: `{"persons"}`."""
    words: tuple[str, ...]
    """Ways to express it: `_ for two`, `2-man _`. `_` stands for a name such as `tent`."""
    without: str
    """Words that exclude these variants: `not the one for two`."""


def _is_subject_known(details: Iterable[_Detail], variants: _VariantCodes) -> bool:
    """Return True if each variant has one of the details, which are about the same subject.

    The subject "how many it sleeps" has the details "for two" and "for four". It is known for
    all three tents, so a tent for which "for two" is not true is certainly not for two.
    """
    known_variants: set[str] = set()
    for detail in details:
        known_variants |= detail.codes
    return variants <= known_variants


# Twins: product lines that imitate another one, with a similar name and another brand.
#
# The twins of the tent `Nordvane Skerry`, the line `TNT`, have the codes `TNT~1`, `TNT~2`, ... and
# names such as `Skerrholm`. They fill a large catalogue, and a request for `Skerry` must not
# get a `Skerrholm`.


@cache
def twin_lines(number: int) -> tuple[ProductLine, ...]:
    """Return the twins with a number, from 1: one for each original line.

    With 2, the first is `TNT~2`. It differs from the line `TNT` only by its code and name.
    """
    return tuple(_twin_of(line, number) for line in product_lines())


def _twin_of(line: ProductLine, number: int) -> ProductLine:
    """Return the line with another brand and a similar model name: `Skerry` -> `Skerrholm`."""
    pools = read_data("company.json")["twins"]
    brands = pools["brands"]
    endings = pools["endings"]
    # Choose a brand and an ending by a number that differs between most lines and twins.
    # Unlike `hash`, it is the same in each process.
    choice = sum(ord(letter) for letter in line.code) + number
    stem = line.model.split()[0]
    if len(stem) > 3:  # A shorter stem would no longer be similar.
        stem = stem[:-1]
    return replace(
        line,
        code=f"{line.code}~{number}",
        brand=brands[choice % len(brands)],
        model=stem + endings[choice % len(endings)],
    )


def original_code(line_code: str) -> str:
    """Return the code of a twin's original line: `TNT~2` -> `TNT`. Other codes stay the same."""
    return line_code.partition("~")[0]


def _line_called(line_code: str) -> ProductLine:
    """Return the line with a code: `TNT`, or `TNT~2` for a twin.

    Raises `KeyError` if no line has this code.
    """
    _, _, twin_number = line_code.partition("~")
    lines = twin_lines(int(twin_number)) if twin_number else product_lines()
    for line in lines:
        if line.code == line_code:
            return line
    raise KeyError(line_code)


# Customers' words for a product line and for the details of its variants, from `phrases.json`.
#
# The words for the tent `TNT` (shortened), whose variants are `2P` for two persons,
# `2P-FOOT` for two with a groundsheet, and `4P` for four:
#
#     "names": [{"text": "{brand} dome tent"}],
#     "shared_details": [{"text": "3 seasons", "properties": ["seasons"]}],
#     "missing_details": [{"text": "room for six", "properties": ["persons"]}],
#     "details_by_subject": {
#         "how many it sleeps": [
#             {"codes": ["2P", "2P-FOOT"], "properties": ["persons"], "words": ["2-man _"], ...},
#             {"codes": ["4P"], "properties": ["persons"], "words": ["family size _"], ...}]}
#
# They are put together to descriptions such as "2-man Nordvane dome tent".


@dataclass(frozen=True, slots=True)
class _LineWords:
    """The words for one product line."""

    names: tuple[_Phrase, ...]
    """Templates for the names of the line: `{brand} dome tent`."""
    shared_details: tuple[_Phrase, ...]
    """Details that all variants have: `3 seasons`."""
    missing_details: tuple[_Phrase, ...]
    """Details that no variant has: `room for six`."""
    details_by_subject: Mapping[str, tuple[_Detail, ...]]
    """Details that some variants have, by the words for their subject: `how many it sleeps`.

    A variant has at most one detail of each subject.
    """


def _words_of(line_code: str) -> _LineWords:
    """Return the words for a line.

    A twin, which is a similar line of another brand, has the words of its original.
    """
    return _words_of_all_lines()[original_code(line_code)]


@cache
def _words_of_all_lines() -> Mapping[str, _LineWords]:
    """Return the words for each original line by its code, read from the file once."""
    text = (files(__package__) / "phrases.json").read_bytes()
    return TypeAdapter(dict[str, _LineWords]).validate_json(text)


@cache
def _line_names(line_code: str) -> tuple[_Phrase, ...]:
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
    names = []
    for template in _words_of(line_code).names:
        text = template.text.format_map(replacements)
        names.append(_Phrase(text, template.properties))
    return tuple(names)


# Details that can be added to a description with "and has", so that it is true or false.
#
# The tent Skerry is sold for two persons (the variant `2P`), for two with a groundsheet
# (`2P-FOOT`) and for four (`4P`). Some details, and the variants for which they are true or false:
#
#     | detail       | true for        | false for       |
#     | ------------ | --------------- | --------------- |
#     | 3 seasons    | 2P, 2P-FOOT, 4P |                 |
#     | groundsheet  | 2P-FOOT         | 2P, 4P          |
#     | room for six |                 | 2P, 2P-FOOT, 4P |
#
# So no product fits "family size Skerry tent and has groundsheet".

_NO_VARIANTS: _VariantCodes = frozenset()


@dataclass(frozen=True, slots=True)
class _AddedDetail:
    """A detail that can follow "and has": `groundsheet`."""

    phrase: _Phrase
    true_for: _VariantCodes
    """The codes of the variants that have it: `{"2P-FOOT"}`."""
    false_for: _VariantCodes
    """The codes of those that certainly do not have it: `{"2P", "4P"}`."""


@cache
def _added_details(line_code: str) -> Sequence[_AddedDetail]:
    """Return the details that can be added to descriptions of a line."""
    words = _words_of(line_code)
    all_variants = _line_called(line_code).variant_codes
    added = []
    for phrase in words.shared_details:
        added.append(_AddedDetail(phrase, all_variants, _NO_VARIANTS))
    for details_of_subject in words.details_by_subject.values():
        is_known = _is_subject_known(details_of_subject, all_variants)
        for detail in details_of_subject:
            # If nothing is known about the subject for some variant, nobody can tell that the
            # detail is false.
            false_for = all_variants - detail.codes if is_known else _NO_VARIANTS
            for phrase in _phrases_after_has(detail):
                added.append(_AddedDetail(phrase, detail.codes, false_for))
    for phrase in words.missing_details:
        added.append(_AddedDetail(phrase, _NO_VARIANTS, all_variants))
    return added


def _phrases_after_has(detail: _Detail) -> list[_Phrase]:
    """Return the words for a detail after "and has": `_ with groundsheet` -> `groundsheet`.

    `_` stands for the product. Other wordings, such as `bare _`, cannot follow "and has".
    """
    phrases = []
    for wording in detail.words:
        if wording.startswith("_ with "):
            text = wording.removeprefix("_ with ")
            phrases.append(_Phrase(text, detail.properties))
    return phrases


def _with_each_detail(
    descriptions: Iterable[_Phrase], details: Sequence[_AddedDetail]
) -> list[str]:
    """Return each description with each detail: `family size Skerry tent and has groundsheet`.

    A detail about a property that the description mentions is not added to it, so that the
    text does not contradict itself.
    """
    texts = []
    for description in descriptions:
        for detail in details:
            if description.properties.isdisjoint(detail.phrase.properties):
                texts.append(f"{description.text} and has {detail.phrase.text}")
    return texts


# The catalogue of one world: its products, and the product lines that they belong to.
#
# The product line `TNT`, a tent, has the variants `2P`, `2P-FOOT` and `4P`; each is a product
# with a price, found by its SKU: `VH-TNT-SKERRY-2P`.


class _CataloguePlace(NamedTuple):
    """The place of a product in the catalogue: its product line and its variant."""

    line_code: str
    variant_code: str


@dataclass(frozen=True, slots=True)
class WorldCatalogue:
    """The products of one world."""

    products: dict[str, SoldProduct]
    """The products by SKU."""
    lines: Mapping[str, Mapping[str, str]]
    """The SKUs of each product line's variants: `{"TNT": {"2P": "VH-TNT-SKERRY-2P"}}`."""

    @property
    def shelf(self) -> list[SoldProduct]:
        """The physical products, which need stock."""
        return [product for product in self.products.values() if not product.is_digital]

    def family(self, family_id: str) -> list[SoldProduct]:
        """Return the products of one family, sorted by SKU."""
        members = []
        for sold_product in self.products.values():
            if sold_product.family_id == family_id:
                members.append(sold_product)
        return sorted(members, key=lambda member: member.sku)

    def some_products(self, rng: Random, count: int) -> list[SoldProduct]:
        """Return different random products that need stock."""
        return rng.sample(self.shelf, count)

    def products_of(self, skus: Iterable[str]) -> list[SoldProduct]:
        """Return the products with these SKUs, such as the lines of a basket."""
        return [self.products[sku] for sku in skus]

    def price_of(self, quantities: Mapping[str, int]) -> int:
        """Return the price of products in cents, from their quantities by SKU."""
        total = 0
        for sku, quantity in quantities.items():
            total += self.products[sku].price_cents * quantity
        return total

    def place_of(self, product: SoldProduct) -> _CataloguePlace:
        """Return the product line and the variant of a product.

        Raises `KeyError` if the product is not in the catalogue.
        """
        for line_code, skus in self.lines.items():
            for variant_code, sku in skus.items():
                if sku == product.sku:
                    return _CataloguePlace(line_code, variant_code)
        raise KeyError(product.sku)

    def physical_lines(self) -> list[str]:
        """Return the codes of the product lines whose products all need stock."""
        shelf_skus = {product.sku for product in self.shelf}
        line_codes = []
        for line_code, skus in self.lines.items():
            if shelf_skus.issuperset(skus.values()):
                line_codes.append(line_code)
        return line_codes


# Choices of details that a customer may name, and the variants of a product line that fit.
#
# A tent is sold for two persons (the variant `2P`), for two with a groundsheet (`2P-FOOT`)
# and for four (`4P`). Some choices:
#
#     | wanted details     | excluded detail | variants that fit |
#     | ------------------ | --------------- | ----------------- |
#     | for two            |                 | 2P, 2P-FOOT       |
#     | for two, bare      |                 | 2P                |
#     | for two            | bare            | 2P-FOOT           |

_DetailsBySubject: TypeAlias = Mapping[str, Sequence[_Detail]]
"""The details of a line: "for two" and "for four" for the subject "how many it sleeps"."""


@dataclass(frozen=True, slots=True)
class _ChosenDetails:
    """The details that a description names: `2-man tent, not the set with the floor sheet`."""

    wanted: tuple[_Detail, ...]
    """In this example, the detail with the words `2-man _`."""
    excluded: _Detail | None
    """In this example, the detail with the words `not the set with the floor sheet`."""
    variants: _VariantCodes
    """The variants that fit. They have all wanted details and not the excluded one: `{"2P"}`."""

    def properties(self) -> frozenset[str]:
        """Return the properties that the details are about: `{"persons", "kit"}`."""
        properties: set[str] = set()
        for detail in self.wanted:
            properties |= detail.properties
        if self.excluded is not None:
            properties |= self.excluded.properties
        return frozenset(properties)


def _possible_choices(
    details: _DetailsBySubject, all_variants: _VariantCodes
) -> Iterator[_ChosenDetails]:
    """Yield the choices that fit at least one variant of a line and name no needless detail."""
    for wanted in _wanted_details(details):
        for excluded in _excluded_details(details, wanted, all_variants):
            # The variants that meet each condition
            conditions = [detail.codes for detail in wanted]
            if excluded is not None:
                conditions.append(all_variants - excluded.codes)
            fitting = all_variants.intersection(*conditions)
            if fitting and not _has_needless(conditions, all_variants):
                yield _ChosenDetails(wanted, excluded, fitting)


def _wanted_details(details: _DetailsBySubject) -> Iterator[tuple[_Detail, ...]]:
    """Yield an empty tuple, each single detail, and each pair of details on different subjects."""
    yield ()
    for details_of_subject in details.values():
        for detail in details_of_subject:
            yield (detail,)
    for first_details, second_details in combinations(details.values(), 2):
        yield from product(first_details, second_details)


def _excluded_details(
    details: _DetailsBySubject, wanted: Sequence[_Detail], all_variants: _VariantCodes
) -> Iterator[_Detail | None]:
    """Yield None, then each detail that a customer may exclude beside the wanted details."""
    yield None
    fitting = all_variants.intersection(*(detail.codes for detail in wanted))
    for details_of_subject in details.values():
        # "Not the one for two" excludes a tent only if it is known how many persons it sleeps.
        if _is_subject_known(details_of_subject, fitting):
            yield from details_of_subject


def _has_needless(
    conditions: Sequence[_VariantCodes], all_variants: _VariantCodes
) -> bool:
    """Return True if the same variants would fit without one of the conditions.

    A condition is the set of variants that meet it. Nobody would name a needless one: if all
    tents for four are bare, "bare" is needless in "for four, bare".
    """
    fitting = all_variants.intersection(*conditions)
    for number in range(len(conditions)):
        other_conditions = [*conditions[:number], *conditions[number + 1 :]]
        if all_variants.intersection(*other_conditions) == fitting:
            return True
    return False


# Descriptions of the variants of a product line, as customers word them.
#
# The line `TNT` is the tent Skerry. Its variants are for two persons (`2P`), for two with a
# groundsheet (`2P-FOOT`), and for four (`4P`). "2-man Skerry tent" fits the first two,
# "family size Skerry tent" only `4P`. A description is a name of the line with words for
# the details that it mentions.

_WAYS_TO_SAY: Final = 3
"""The number of phrases for the same details and line name. Each uses other words, if possible."""


@cache
def descriptions(
    line_code: str,
) -> Mapping[_VariantCodes, tuple[_Phrase, ...]]:
    """Return all descriptions of a line's variants, grouped by the variants that they fit.

    `{"4P"} -> (Phrase("family size Skerry tent"), ...)`, `{"2P", "2P-FOOT"} -> (...)`.
    """
    details = _words_of(line_code).details_by_subject
    all_variants = _line_called(line_code).variant_codes
    phrases: defaultdict[_VariantCodes, list[_Phrase]] = defaultdict(list)
    for chosen in _possible_choices(details, all_variants):
        phrases[chosen.variants] += _line_descriptions_phrases_for(line_code, chosen)

    # The order of sets differs between processes, and that of their sorted codes does not.
    unique_phrases: dict[_VariantCodes, tuple[_Phrase, ...]] = {}
    for variants in sorted(phrases, key=sorted):
        unique_phrases[variants] = tuple(dict.fromkeys(phrases[variants]))
    return unique_phrases


def _line_descriptions_phrases_for(
    line_code: str, chosen: _ChosenDetails
) -> Iterator[_Phrase]:
    """Yield the phrases for some details: each name of the line, with words for the details.

    The detail that a tent sleeps two has the wordings `_ for two`, `2-man _` and `_ for a
    couple`, in which `_` stands for a name. Each name begins with another wording:

        | name        | first phrase        | second phrase          | third phrase             |
        | ----------- | ------------------- | ---------------------- | ------------------------ |
        | Skerry tent | Skerry tent for two | 2-man Skerry tent      | Skerry tent for a couple |
        | dome tent   | 2-man dome tent     | dome tent for a couple | dome tent for two        |

    Some first phrases are also yielded with a sentence after them (`_open_subjects`).
    """
    properties_of_details = chosen.properties()
    open_subjects = _open_subjects(line_code, chosen)
    for name_number, line_name in enumerate(_line_names(line_code)):
        properties = line_name.properties | properties_of_details
        for phrase_number in range(_WAYS_TO_SAY):
            text = _text_for(chosen, line_name.text, name_number + phrase_number)
            yield _Phrase(text, properties)
            if phrase_number == 0:
                for subject in open_subjects:
                    sentence = f"The detail about {subject} was not supplied"
                    yield _Phrase(f"{text}. {sentence}", properties)


def _text_for(chosen: _ChosenDetails, line_name: str, wording_number: int) -> str:
    """Add the details to a name: `tent` -> `2-man tent, not the set with the floor sheet`.

    Each wanted detail has several wordings, counted from 0. The first detail gets the one
    with `wording_number`, and each further detail the next. After the last wording, the
    count goes on with the first.
    """
    text = line_name
    for detail_number, detail in enumerate(chosen.wanted):
        number = (wording_number + detail_number) % len(detail.words)
        wording = detail.words[number]
        # In a wording, `_` stands for the name: `2-man _` and `tent` -> `2-man tent`.
        text = wording.replace("_", text)
    if chosen.excluded is not None:
        text = f"{text}, {chosen.excluded.without}"
    return text


def _open_subjects(line_code: str, chosen: _ChosenDetails) -> list[str]:
    """Return the subjects of which a detail is missing to tell the fitting variants apart.

    "Skerry tent" fits tents for two and for four, so `how many it sleeps` is open: "Skerry tent.
    The detail about how many it sleeps was not supplied". If the customer excludes a
    detail, no subject counts as open.
    """
    if chosen.excluded is not None:
        return []
    subjects = []
    for subject, details in _words_of(line_code).details_by_subject.items():
        is_named = any(detail in chosen.wanted for detail in details)
        if not is_named and _tells_apart(details, chosen.variants):
            subjects.append(subject)
    return subjects


def _tells_apart(details: Sequence[_Detail], variants: _VariantCodes) -> bool:
    """Return True if at least two of the details each fit some of these variants.

    "For two" and "for four" tell `2P` and `4P` apart: each fits one. They do not tell
    `2P` and `2P-FOOT` apart: "for two" fits both, "for four" neither.
    """
    fitting_groups = set()
    for detail in details:
        fitting = detail.codes & variants
        if fitting:
            fitting_groups.add(fitting)
    return len(fitting_groups) > 1


# Descriptions that customers give of a catalogue's products: `two-person Skerry tent`.
#
# A description may fit one product, several, or none because one of its details is wrong.
# So a request can be clear, ambiguous, or about a product that does not exist.


@dataclass(frozen=True, slots=True)
class CustomerDescription:
    """A customer's description, and the products that it fits."""

    text: str
    products: tuple[SoldProduct, ...]


def describe(catalogue: WorldCatalogue, rng: Random, product: SoldProduct) -> str:
    """Return a description that fits only this product."""
    line_code, variant_code = catalogue.place_of(product)
    return rng.choice(_phrases_for(line_code, variant_code)).text


def describe_several(
    catalogue: WorldCatalogue, rng: Random, *, most: int = 3, is_on_shelf: bool = False
) -> CustomerDescription:
    """Return a description that fits from two to `most` products of one product line.

    With `is_on_shelf`, the products are physical, so they have a stock.
    """
    line_codes = list(catalogue.lines)
    if is_on_shelf:
        line_codes = catalogue.physical_lines()
    line_code = rng.choice(line_codes)
    possible_variants = []
    for variants in descriptions(line_code):  # such as `{"2P", "2P-FOOT"}`
        if 1 < len(variants) <= most:
            possible_variants.append(variants)
    variants = rng.choice(possible_variants)
    return _description_of(catalogue, rng, line_code, variants)


def describe_any(catalogue: WorldCatalogue, rng: Random) -> CustomerDescription:
    """Return a description that fits one or more products."""
    line_code = rng.choice(list(catalogue.lines))
    variants = rng.choice(list(descriptions(line_code)))
    return _description_of(catalogue, rng, line_code, variants)


def describe_with_true_detail(
    catalogue: WorldCatalogue, rng: Random
) -> CustomerDescription:
    """Return a description that fits one product; in 3 of 4 cases it adds a true detail.

    `family size Skerry tent and has 3 seasons`
    """
    product = rng.choice(list(catalogue.products.values()))
    line_code, variant_code = catalogue.place_of(product)
    texts = []
    if rng.random() < 0.75:
        true_details = []
        for detail in _added_details(line_code):
            if variant_code in detail.true_for:
                true_details.append(detail)
        texts = _with_each_detail(_phrases_for(line_code, variant_code), true_details)
    text = rng.choice(texts) if texts else describe(catalogue, rng, product)
    return CustomerDescription(text, (product,))


def describe_with_false_detail(
    catalogue: WorldCatalogue, rng: Random
) -> CustomerDescription:
    """Return a description of a product that adds a detail which the product does not have.

    In most cases another variant of its line has the detail, but does not fit the rest of
    the description: `family size Skerry tent and has groundsheet`.
    """
    product = rng.choice(list(catalogue.products.values()))
    line_code, variant_code = catalogue.place_of(product)
    details_of_others = []
    details_of_none = []
    for detail in _added_details(line_code):
        if variant_code in detail.false_for:
            if detail.true_for:
                details_of_others.append(detail)
            else:
                details_of_none.append(detail)

    phrases = _phrases_for(line_code, variant_code)
    texts_of_others = _with_each_detail(phrases, details_of_others)
    texts_of_none = _with_each_detail(phrases, details_of_none)
    prefers_others = bool(texts_of_others) and rng.random() < 0.8
    if prefers_others or not texts_of_none:
        text = rng.choice(texts_of_others)
    else:
        text = rng.choice(texts_of_none)
    return CustomerDescription(text, (product,))


def _phrases_for(line_code: str, variant_code: str) -> tuple[_Phrase, ...]:
    """Return the descriptions that fit only one variant of a line."""
    only_variant = frozenset([variant_code])
    return descriptions(line_code)[only_variant]


def _description_of(
    catalogue: WorldCatalogue, rng: Random, line_code: str, variants: _VariantCodes
) -> CustomerDescription:
    """Return a random description that fits exactly these variants of a line."""
    text = rng.choice(descriptions(line_code)[variants]).text
    sku_by_variant = catalogue.lines[line_code]
    skus = [sku_by_variant[variant_code] for variant_code in sorted(variants)]
    return CustomerDescription(text, tuple(catalogue.products_of(skus)))
