"""The function `match_products`, with which scripts find the products that fit a description.

`match_products(harness, "Osier sand tarp", must=["length 3 m"])` returns the tarps of this
brand and colour that are 3 m long. If there are none, notes say what came closest.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from controlplane.benchmarks.shop.products import (
    Catalogue,
    Constraint,
    Product,
    abbreviated_unit,
    catalogue_of,
    notes_on_coming_days,
    product_reference,
)
from controlplane.benchmarks.shop.texts import normal_words, require
from controlplane.benchmarks.shop.workspace.reading import WordSearch
from controlplane.benchmarks.shop.workspace.workspace import (
    ShopLayout,
    layout_from_harness,
)
from controlplane.sandbox.functions import CannotRead, FunctionResult

# Splits a list of properties that a product must have, or must not have.
#
# `voltage 18 V, without battery` -> `[Constraint("voltage 18 V", label="voltage", value="18 V"),
# Constraint("battery", is_negated=True)]`

_SEPARATOR: Final = re.compile(
    r"\s*[,;]\s*(?:and\s+|but\s+)?|\s+(?:and|but|as well as)\s+", re.IGNORECASE
)
"""What stands between two constraints: `, `, `; but `, ` and `."""
_NEGATION: Final = re.compile(
    r"^(?:without|no|not|with no|excluding|except|minus|other than)\s+(?:an?\s+|the\s+)?",
    re.IGNORECASE,
)
"""The beginning of a constraint that a product must not satisfy: `without a `."""
_LEADING_WORD: Final = re.compile(
    r"^(?:with|has|have|that has|in|a|an|the)\s+", re.IGNORECASE
)
"""A word before the property: `with ` in `with voltage 18 V`."""


def split_constraints(text: str) -> list[Constraint]:
    """Return the constraints in a list such as `voltage 18 V, without battery`."""
    constraints = []
    for part in _SEPARATOR.split(text.strip().rstrip(".?!")):
        if part.strip():
            constraints.append(_constraint(part.strip()))
    return constraints


def _constraint(text: str) -> Constraint:
    """Return the constraint in a text: `with voltage 18 V` -> label `voltage`, value `18 V`.

    A text such as `rechargeable` is a constraint without label and value.
    """
    is_negated = _NEGATION.match(text) is not None
    affirmative = _NEGATION.sub("", text)
    affirmative = _LEADING_WORD.sub("", affirmative)
    words = affirmative.split()
    label_length = _label_length(words)
    if label_length is None:
        return Constraint(affirmative, is_negated=is_negated)
    label = " ".join(words[:label_length])
    value = " ".join(words[label_length:])
    return Constraint(affirmative, label, value, is_negated=is_negated)


_LAST_LABEL_WORDS: Final = frozenset(
    {
        "capacity", "class", "color", "colour", "count", "current", "diameter", "family", "finish",
        "grade", "height", "kind", "length", "material", "pack", "power", "size", "standard",
        "thickness", "type", "voltage", "weight", "width",
    }
)  # fmt: skip
"""Last words of property labels: `frame material` in `frame material steel`."""


def _label_length(words: Sequence[str]) -> int | None:
    """Return the number of words before the value; None if it is unknown where the value begins.

    `cable length 3 m` -> 2, because the value begins at the first number. `frame material steel`
    -> also 2, because it begins after the last word that usually ends a label.
    """
    for index, word in enumerate(words):
        if index > 0 and word[0].isdigit():
            return index
    # The last word itself belongs to the value.
    for length in range(len(words) - 1, 0, -1):
        last_label_word = words[length - 1].casefold()
        if last_label_word in _LAST_LABEL_WORDS:
            return length
    return None


# Which conditions of a search a product fails, so that notes can tell what came closest.
#
# A script searches tarps with `must=["length 3 m"], below_cents=5000`. If no tarp is a result, the
# note "VH-TRP-4 Lea tarp fails length 3 m" lets the model see whether the search was too narrow.

_MAX_FAILED_PRODUCTS: Final = 4
"""The most products that notes list with the constraints that they fail."""


@dataclass(frozen=True, slots=True)
class _CheckedProduct:
    """A product with all words of the description, and the conditions that it fails."""

    product: Product
    failed_conditions: list[str]
    """Constraints as texts, and the limit of the price; empty if the product is a result."""


def failed_conditions(
    product: Product, constraints: Sequence[Constraint], below_cents: int
) -> list[str]:
    """Return the texts of the conditions that a product does not satisfy; empty if it fits.

    A tarp of 2 m for 71.39, `[Constraint("length 3 m")]`, 5000 -> `["length 3 m", "a price
    below 5000 cents"]`. A limit of 0 means that there is none. A product without a price
    exceeds every limit.
    """
    property_constraints = []
    failed_codes = []
    code_words = normal_words(product.code)
    for constraint in constraints:
        # A constraint may be just a code: `VH-TRP-LEA-3X3`. The product with this code
        # satisfies it unless it is negated.
        is_own_code = normal_words(constraint.text) == code_words
        if not is_own_code:
            property_constraints.append(constraint)
        elif constraint.is_negated:
            failed_codes.append(constraint.text)
    failed = product.unsatisfied(property_constraints) + failed_codes
    if below_cents:
        price_cents = product.price_cents
        if price_cents is None or price_cents >= below_cents:
            failed.append(f"a price below {below_cents} cents")
    return failed


def _notes_on_failures(checked_products: list[_CheckedProduct]) -> list[str]:
    """Return notes on the products that fail the fewest conditions, at most four.

    `["VH-TRP-4 Lea tarp fails length 3 m", "VH-TRP-5 Rea tarp fails length 3 m, colour sand"]`
    """
    closest_first = sorted(
        checked_products, key=lambda checked: len(checked.failed_conditions)
    )
    notes = []
    for checked in closest_first[:_MAX_FAILED_PRODUCTS]:
        failed = ", ".join(checked.failed_conditions)
        notes.append(f"{checked.product.code} {checked.product.name} fails {failed}")
    return notes


# Splits descriptions in the phrase that catalogues use for their products.
#
#     the tarp from Osier & Oak in the Lea line that has colour sand, without poles
#
# is a description with the brand `Osier & Oak`, the kind `tarp`, the family `Lea`, and
# two constraints: `colour sand` and, negated, `poles`.


@dataclass(frozen=True, slots=True)
class ProductDescription:
    """The parts of a product's description. Unknown parts are empty."""

    brand: str = ""
    kind: str = ""
    """What the product is: `tent`."""
    family: str = ""
    """The name of its product line: `Skerry`."""
    constraints: tuple[Constraint, ...] = ()


_NOTHING_KNOWN: Final = ProductDescription()


_CATALOGUE_PHRASE: Final = re.compile(
    r"\bthe (?P<kind>.+?) (?:from|by) (?P<brand>.+?) in the (?P<family>.+?) line\b"
    r"(?:,? (?:that|which|with) (?:has |have )?(?P<constraints>.+))?",
    re.IGNORECASE | re.DOTALL,
)
"""`the KIND from BRAND in the FAMILY line that has CONSTRAINTS`"""


def split_description(
    text: str, known: ProductDescription = _NOTHING_KNOWN
) -> ProductDescription:
    """Return the parts of the catalogue phrase in a text, added to what is `known` already.

    The family and the constraints of the phrase replace the known ones. The known brand
    and kind are kept. Without a phrase in the text, the result is `known`.
    """
    phrase = _CATALOGUE_PHRASE.search(text)
    if phrase is None:
        return known
    constraints = known.constraints
    if phrase["constraints"]:
        constraints = tuple(split_constraints(phrase["constraints"]))
    return ProductDescription(
        brand=known.brand or phrase["brand"],
        kind=known.kind or phrase["kind"],
        family=phrase["family"],
        constraints=constraints,
    )


# Searches the records of products for the words of a customer's description.
#
# "Osier sand tarp" -> the products whose records have the words `osier`, `sand` and `tarp`.
# The environment searches each word and returns at most a number of lines. A word with more
# lines, such as one that all products have, does not narrow the search and is left out.

_MAX_CANDIDATES: Final = 120
"""The most products to read for one description. If more fit, the description is too vague."""
_MAX_CLOSEST: Final = 3
"""The number of closest products that a message names."""


@dataclass(frozen=True, slots=True)
class _WordMatches:
    """The result of a search for words in the records of products."""

    products: list[Product]
    """The products that contain all known words."""
    paths_by_word: Mapping[str, set[str]]
    """The paths of the records that contain each word: none for an unknown word.

    It lacks the words that are in too many records.
    """

    @property
    def unknown_words(self) -> list[str]:
        """The searched words that occur in no record."""
        return [word for word, paths in self.paths_by_word.items() if not paths]


def _products_with_words(catalogue: Catalogue, words: Iterable[str]) -> _WordMatches:
    """Return the products whose records contain all these words.

    A word is ignored if no record contains it, or if too many do. Raises `CannotRead` if
    more than `_MAX_CANDIDATES` products remain.
    """
    paths_by_word = _paths_by_word(catalogue, words)
    if not paths_by_word:
        # Every word is in too many records, so any product may be meant.
        if len(catalogue.group.paths) > _MAX_CANDIDATES:
            raise _too_vague(count="too many")
        return _WordMatches(catalogue.read(catalogue.group.paths), paths_by_word)

    # A known word is one that some record contains.
    candidates = _paths_with_known_words(paths_by_word)
    if len(candidates) > _MAX_CANDIDATES:
        raise _too_vague(count=str(len(candidates)))
    in_catalogue_order = [path for path in catalogue.group.paths if path in candidates]
    return _WordMatches(catalogue.read(in_catalogue_order), paths_by_word)


def _too_vague(count: str) -> CannotRead:
    """Return the error for a description that fits too many products."""
    return CannotRead(f"{count} products may be meant: name the brand as well")


def _paths_by_word(catalogue: Catalogue, words: Iterable[str]) -> dict[str, set[str]]:
    """Return the paths of the records that contain each word, without words in too many records.

    `["tarp", "sand"]` -> `{"tarp": {"/proc/products/VH-TRP-3.json", ...}, "sand": {...}}`
    """
    paths_by_word: dict[str, set[str]] = {}
    for word in dict.fromkeys(words):
        with suppress(CannotRead):  # The search found too many lines.
            paths_by_word[word] = _paths_with(catalogue, word)
    return paths_by_word


def _paths_with(catalogue: Catalogue, word: str) -> set[str]:
    """Return the paths of the records that contain a word. Raises `CannotRead` for too many."""
    search = WordSearch([word])
    paths = set()
    for path, line in catalogue.lines_with(search.pattern):
        # The pattern also matches parts of words with accents: `rub` in `rubéole`.
        if search.keeps(line):
            paths.add(path)
    return paths


def _paths_with_known_words(paths_by_word: Mapping[str, set[str]]) -> set[str]:
    """Return the paths of the records that contain every known word; none if all are unknown.

    A word is known if at least one record has it.
    """
    path_sets = [paths for paths in paths_by_word.values() if paths]
    if not path_sets:
        return set()
    return set.intersection(*path_sets)


def _closest_products(catalogue: Catalogue, matches: _WordMatches) -> str:
    """Return the products with the most of the searched words, for the end of a message.

    `; closest: AB-1 Lea tarp, AB-2 Lea tent`; empty if no product has any of the words.
    """
    word_counts: Counter[str] = Counter()
    for paths in matches.paths_by_word.values():
        word_counts.update(paths)
    best_paths = sorted(word_counts, key=lambda path: (-word_counts[path], path))
    products = catalogue.read(best_paths[:_MAX_CLOSEST])
    if not products:
        return ""
    names = ", ".join(f"{product.code} {product.name}" for product in products)
    return f"; closest: {names}"


# Splits support notes: texts of a support team that describe a product and claim something of it.
#
# The note "the sand tarp and is waterproof" describes `the sand tarp`, and claims
# `waterproof`. The claim may be false, so it must not be used to find the product. Once the
# product is found, its record shows if the claim is true.

_CLAIM: Final = re.compile(
    r"\b(?:and|,)\s+(?:also\s+)?(?:has|have|supports?|is|comes with|offers)\s+(?P<claim>[^.;]+)",
    re.IGNORECASE,
)
"""`and is CLAIM`, `, also comes with CLAIM`, up to the end of the sentence."""
_NOTE: Final = re.compile(r"\b(?:note|claim)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _SupportNote:
    """The parts of a support note. Any other text is a description without claims."""

    description: str
    """The text before the claim: `the sand tarp`."""
    constraints: tuple[str, ...]
    """The properties that identify the product: `colour sand`."""
    claims: tuple[str, ...]
    """The properties that the note claims: `waterproof`."""


def mentions_note(text: str) -> bool:
    """Return True if a text, or a name such as `support_note`, has the word "note" or "claim"."""
    words = text.replace("-", " ").replace("_", " ")
    return _NOTE.search(words) is not None


def split_note(text: str, constraints: Sequence[str], *, is_note: bool) -> _SupportNote:
    """Separate the claim at the end of a support note from the description of the product.

    `constraints` are properties that the asker has taken from the text, some from the claim:
    "the tarp and is waterproof and light", `["colour sand", "waterproof"]` ->
    `_SupportNote("the tarp", constraints=("colour sand",), claims=("waterproof",))`. If none is
    from the claim, the claim is all of its words: `waterproof and light`.
    """
    claims_in_text = list(_CLAIM.finditer(text))
    if not is_note or not claims_in_text:
        return _SupportNote(text, tuple(constraints), claims=())

    # The claim ends the note. An earlier "and has ..." belongs to the description.
    last_claim = claims_in_text[-1]
    description = text[: last_claim.start()].rstrip()
    claim = last_claim["claim"].strip()
    claim_words = normal_words(claim)
    claims = []
    identifying = []
    for constraint in constraints:
        if normal_words(constraint) in claim_words:
            claims.append(constraint)
        else:
            identifying.append(constraint)
    if claim and not claims:
        claims = [claim]
    return _SupportNote(description, tuple(identifying), tuple(claims))


_WORDS_WITHOUT_MEANING: Final = frozenset(
    ["a", "an", "the", "of", "for", "with", "in", "and", "or", "my", "your", "some"]
)
"""Words of a description that say nothing about a product.

Common lists of such words are longer. They have words that occur in names of products, such
as `reading`.
"""
_POSSESSIVE: Final = re.compile(r"(?<=\w)['’]s\b")


@layout_from_harness
def match_products(
    layout: ShopLayout,
    description: str,
    must: list[str] | None = None,
    must_not: list[str] | None = None,
    below_cents: int = 0,
) -> FunctionResult[list[dict[str, Any]]]:
    """Return the products that fit a description and all constraints, sorted by code.

    `match_products("Osier tarp", must=["length 3 m"])` -> `[{"sku": "VH-TRP-3", "name": "Lea
    tarp", "price_cents": 7139, ...}]`. A product must have all words of `description`: brand,
    model, kind. `must` and `must_not` are lists of properties with values (`weight 2.4 kg`) or
    of codes, and `below_cents` limits the price. If no product fits, notes say what comes
    closest. Raises `CannotRead` if the description is empty or fits too many.
    """
    # 1. Search the records for the words of the description.
    query = _query_of(description, must or (), must_not or ())
    require(query.words, "the description is empty: name brand, model or kind")
    catalogue = catalogue_of(layout)
    matches = _products_with_words(catalogue, query.words)
    if matches.unknown_words:
        unknown = _quoted(matches.unknown_words)
        closest = _closest_products(catalogue, matches)
        reason = f"no product record holds {unknown}: use words of the records{closest}"
        return FunctionResult([], (), (reason,))

    # 2. Check each product. The search ignores words that are in very many records, so all words
    #    are compared once more.
    checked_products = []
    for product in matches.products:
        if product.words.issuperset(query.words):
            failed = failed_conditions(product, query.constraints, below_cents)
            checked_products.append(_CheckedProduct(product, failed))
    fitting = [
        checked.product for checked in checked_products if not checked.failed_conditions
    ]
    fitting.sort(key=lambda product: product.code)

    # 3. Say in notes if a claim is true or, if no product fits, what comes closest.
    if fitting:
        notes = _notes_on_claims(fitting, query.claims)
    elif checked_products:
        notes = _notes_on_failures(checked_products)
    else:
        closest = _closest_products(catalogue, matches)
        notes = [f"no single record holds all of {_quoted(query.words)}{closest}"]
    notes += notes_on_coming_days(layout, fitting)
    return FunctionResult(
        [product.as_result for product in fitting],
        tuple(product_reference(product) for product in fitting),
        tuple(notes),
    )


@dataclass(frozen=True, slots=True)
class _Query:
    """What a script searches for."""

    words: list[str]
    """The words that a product's record must have: `osier`, `tarp`."""
    constraints: list[Constraint]
    """The properties that a product must have, or must not have."""
    claims: tuple[str, ...]
    """What a support note claims of the product. It may be false."""


def _query_of(description: str, must: Sequence[str], must_not: Sequence[str]) -> _Query:
    """Return the parts of a description, which may have one of two special forms.

    | description | parts |
    |---|---|
    | `Osier tarp` | words |
    | `the tarp from Osier in the Lea line that has colour sand` | words, constraint |
    | `the support note on the tarp from Osier in the Lea line, and is waterproof` | words, claim |

    A claim takes the constraints of `must` that are part of it.
    """
    is_note = mentions_note(description)
    support_note = split_note(description, must, is_note=is_note)
    catalogue_phrase = split_description(support_note.description)
    if catalogue_phrase.family:
        searched = f"{catalogue_phrase.brand} {catalogue_phrase.kind} {catalogue_phrase.family}"
    else:
        searched = description

    constraints = [*catalogue_phrase.constraints]
    for text in support_note.constraints:
        constraints.append(Constraint(text))
    for text in must_not:
        constraints.append(Constraint(text, is_negated=True))
    return _Query(_words_to_search(searched), constraints, support_note.claims)


def _words_to_search(description: str) -> list[str]:
    """Return the meaningful words of a description, with abbreviated units.

    `Osier's tarp of 3 metres` -> `osier`, `tarp`, `3`, `m`
    """
    words = []
    for word in normal_words(_POSSESSIVE.sub("", description)).split():
        if word not in _WORDS_WITHOUT_MEANING:
            words.append(abbreviated_unit(word))
    return words


def _notes_on_claims(products: list[Product], claims: Sequence[str]) -> list[str]:
    """Return notes that say if the claims of a support note are true of each product.

    `["of VH-TRP-3 it is not true that it has waterproof true"]`
    """
    notes = []
    for product in products:
        for claim in claims:
            is_true = not product.unsatisfied([Constraint(claim)])
            truth = "true" if is_true else "not true"
            notes.append(f"of {product.code} it is {truth} that it has {claim}")
    return notes


def _quoted(words: Sequence[str]) -> str:
    """Return words in quotation marks: `'osier', 'tarp'`."""
    return ", ".join(repr(word) for word in words)
