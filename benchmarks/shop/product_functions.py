"""The function `match_products`: which products fit a description."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from controlplane.benchmarks.shop.catalogue import Product, catalogue_of, product_reference
from controlplane.benchmarks.shop.product_descriptions import (
    Description,
    NoteClaim,
    note_claim,
    split_description,
)
from controlplane.benchmarks.shop.product_properties import Constraint, abbreviated_unit
from controlplane.benchmarks.shop.text import normal_words, sure
from controlplane.benchmarks.shop.workspace import ShopLayout, on_harness
from controlplane.sandbox.functions import FunctionResult

_WORDS_WITHOUT_MEANING: Final = frozenset(
    ["a", "an", "the", "of", "for", "with", "in", "and", "or", "my", "your", "some"]
)
"""Words of a description that say nothing about a product. The stop words of the gates are not used:
they contain `reading` and `content`, which products are named for."""
_POSSESSIVE: Final = re.compile(r"(?<=\w)['’]s\b")
MAX_FAILED_PRODUCTS: Final = 4
"""Products that notes name with the constraints that they fail."""


@on_harness
def match_products(
    layout: ShopLayout,
    description: str,
    must: list[str] | None = None,
    must_not: list[str] | None = None,
    below_cents: int = 0,
) -> FunctionResult[list[dict[str, Any]]]:
    """Return the products that fit a description and every constraint, sorted by code.

    `description` uses words of the records (brand, model, kind), all of which a product must have.
    `must` and `must_not` name properties with their values (`persons 2`, `weight 2.4 kg`) or codes.
    A price must be below `below_cents`. If no product fits, notes name the closest ones and what
    they fail, or the words that no record has.

    A description may follow the catalogue's phrase (`the X from Y in the Z line that has ..`). What
    a support note claims of the product is not used to find it; notes say whether it is true.
    Raises `CannotRead` if the description is empty or fits too many products.
    """
    # 1. Take the description apart. What a note claims of the product must not find it.
    note = note_claim(name=description, description=description, constraints=must or ())
    parsed = split_description(note.description, Description("", "", "", ()))
    if parsed.family:
        description = f"{parsed.brand} {parsed.kind} {parsed.family}"
    words = _words_to_search(description)
    sure(words, "the description is empty: name brand, model or kind")
    constraints = _all_constraints(parsed, note, must_not or ())

    # 2. Search the records for its words.
    catalogue = catalogue_of(layout)
    matches = catalogue.with_words(words)
    if matches.unknown_words:
        unknown = ", ".join(repr(word) for word in matches.unknown_words)
        closest = catalogue.closest(matches)
        reason = f"no product record holds {unknown}: use words of the records{closest}"
        return FunctionResult([], (), (reason,))
    checked_products = []
    for product in matches.products:
        if product.words.issuperset(words):
            failed = _failed_conditions(product, constraints, below_cents)
            checked_products.append(_CheckedProduct(product, failed))

    # 3. Report those that satisfy the constraints.
    fitting = [checked.product for checked in checked_products if not checked.failed_conditions]
    fitting.sort(key=lambda product: product.code)
    if fitting:
        notes = _notes_on_claims(fitting, note)
    elif checked_products:
        notes = _notes_on_failures(checked_products)
    else:
        searched = ", ".join(repr(word) for word in words)
        notes = [f"no single record holds all of {searched}{catalogue.closest(matches)}"]
    notes += catalogue.coming_days(fitting)
    return FunctionResult(
        [product.reported for product in fitting],
        tuple(product_reference(product) for product in fitting),
        tuple(notes),
    )


def _all_constraints(
    parsed: Description, note: NoteClaim, must_not: Sequence[str]
) -> list[Constraint]:
    """Return the constraints of the catalogue's phrase, those that a product must satisfy without
    being a note's claim, and those that it must not satisfy."""
    constraints = [*parsed.constraints]
    for text in note.constraints:
        constraints.append(Constraint(text))
    for text in must_not:
        constraints.append(Constraint(text, is_negated=True))
    return constraints


@dataclass(frozen=True, slots=True)
class _CheckedProduct:
    product: Product
    failed_conditions: list[str]


def _words_to_search(description: str) -> list[str]:
    """Return the words of a description that say something, with abbreviated units.

    `Osier's tarp of 3 metres` -> `osier`, `tarp`, `3`, `m`
    """
    words = []
    for word in normal_words(_POSSESSIVE.sub("", description)).split():
        if word not in _WORDS_WITHOUT_MEANING:
            words.append(abbreviated_unit(word))
    return words


def _failed_conditions(
    product: Product, constraints: Sequence[Constraint], below_cents: int
) -> list[str]:
    """Return the constraints, and the limit of the price, that a product does not satisfy."""
    property_constraints = []
    failed_codes = []
    code_words = normal_words(product.code)
    for constraint in constraints:
        # A constraint that is just the product's code, such as `not VH-TRP-LEA-3X3`.
        is_own_code = normal_words(constraint.text) == code_words
        if not is_own_code:
            property_constraints.append(constraint)
        elif constraint.is_negated:
            failed_codes.append(constraint.text)
    failed = product.failed(property_constraints) + failed_codes
    if below_cents and (product.price_cents is None or product.price_cents >= below_cents):
        failed.append(f"a price below {below_cents} cents")
    return failed


def _notes_on_failures(checked_products: list[_CheckedProduct]) -> list[str]:
    """Say what the products that came closest fail."""
    closest_first = sorted(checked_products, key=lambda checked: len(checked.failed_conditions))
    notes = []
    for checked in closest_first[:MAX_FAILED_PRODUCTS]:
        failed = ", ".join(checked.failed_conditions)
        notes.append(f"{checked.product.code} {checked.product.name} fails {failed}")
    return notes


def _notes_on_claims(products: list[Product], note: NoteClaim) -> list[str]:
    """Say of each product whether what a support note claims is true."""
    claims = list(note.claimed_constraints)
    if note.claim:
        claims.append(note.claim)
    notes = []
    for product in products:
        for claim in claims:
            is_true = not product.failed([Constraint(claim)])
            truth = "true" if is_true else "not true"
            notes.append(f"of {product.code} it is {truth} that it has {claim}")
    return notes
