"""The function `match_products`, which finds the products that fit a description."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from controlplane.benchmarks.shop.products.catalogue import catalogue_of
from controlplane.benchmarks.shop.products.coming_days import notes_on_coming_days
from controlplane.benchmarks.shop.products.product import Product, product_reference
from controlplane.benchmarks.shop.products.product_descriptions import (
    Description,
    split_description,
)
from controlplane.benchmarks.shop.products.product_properties import (
    Constraint,
    abbreviated_unit,
)
from controlplane.benchmarks.shop.products.product_search import (
    closest_products,
    products_with_words,
)
from controlplane.benchmarks.shop.products.support_notes import (
    SupportNote,
    split_note,
)
from controlplane.benchmarks.shop.texts.text import normal_words, require
from controlplane.benchmarks.shop.workspace.workspace import (
    ShopLayout,
    layout_from_harness,
)
from controlplane.sandbox.functions import FunctionResult

_WORDS_WITHOUT_MEANING: Final = frozenset(
    ["a", "an", "the", "of", "for", "with", "in", "and", "or", "my", "your", "some"]
)
"""Words of a description that say nothing about a product.

The stop words of the gates are not used, because they include words in names of
products, such as `reading` and `content`.
"""
_POSSESSIVE: Final = re.compile(r"(?<=\w)['’]s\b")
MAX_FAILED_PRODUCTS: Final = 4
"""The most products that notes list with the constraints that they fail."""


@layout_from_harness
def match_products(
    layout: ShopLayout,
    description: str,
    must: list[str] | None = None,
    must_not: list[str] | None = None,
    below_cents: int = 0,
) -> FunctionResult[list[dict[str, Any]]]:
    """Return the products that fit a description and all constraints, sorted by code.

    A product must have all words of `description`: brand, model, kind.
    `must` and `must_not` are lists of properties with values (`persons 2`, `weight
    2.4 kg`) or of codes. The price must be below `below_cents`. If no product fits,
    notes list the closest products and the constraints that they fail, or the words
    that occur in no record.

    A description may use the catalogue's phrase (`the X from Y in the Z line that has
    ..`). If it is a support note, the note's claim about the product is not used to
    find it; notes say if the claim is true. Raises `CannotRead` if the description is
    empty or fits too many products.
    """
    # 1. Split the description. The claim of a support note about the product may be false, so it is not
    #    used to find the product. The description itself says if it is a note: "the support note on the
    #    sand tarp".
    note = split_note(name=description, text=description, constraints=must or ())
    nothing_known = Description(brand="", kind="", family="", constraints=())
    parsed = split_description(note.description, nothing_known)
    if parsed.family:
        description = f"{parsed.brand} {parsed.kind} {parsed.family}"
    words = _words_to_search(description)
    require(words, "the description is empty: name brand, model or kind")
    constraints = _all_constraints(parsed, note, must_not or ())

    # 2. Search the records for the words of the description.
    catalogue = catalogue_of(layout)
    matches = products_with_words(catalogue, words)
    if matches.unknown_words:
        unknown = ", ".join(repr(word) for word in matches.unknown_words)
        closest = closest_products(catalogue, matches)
        reason = f"no product record holds {unknown}: use words of the records{closest}"
        return FunctionResult([], (), (reason,))
    checked_products = []
    for product in matches.products:
        if product.words.issuperset(words):
            failed = _failed_conditions(product, constraints, below_cents)
            checked_products.append(_CheckedProduct(product, failed))

    # 3. Report those that satisfy the constraints.
    fitting = [
        checked.product for checked in checked_products if not checked.failed_conditions
    ]
    fitting.sort(key=lambda product: product.code)
    if fitting:
        notes = _notes_on_claims(fitting, note)
    elif checked_products:
        notes = _notes_on_failures(checked_products)
    else:
        searched = ", ".join(repr(word) for word in words)
        notes = [
            f"no single record holds all of {searched}{closest_products(catalogue, matches)}"
        ]
    notes += notes_on_coming_days(layout, fitting)
    return FunctionResult(
        [product.as_result for product in fitting],
        tuple(product_reference(product) for product in fitting),
        tuple(notes),
    )


def _all_constraints(
    parsed: Description, note: SupportNote, must_not: Sequence[str]
) -> list[Constraint]:
    """Return the constraints of the description, of the note (without its claim), and `must_not`.

    A claim is what a support note says of the product, which may be false.
    """
    constraints = [*parsed.constraints]
    for text in note.constraints:
        constraints.append(Constraint(text))
    for text in must_not:
        constraints.append(Constraint(text, is_negated=True))
    return constraints


@dataclass(frozen=True, slots=True)
class _CheckedProduct:
    """A product that fits the description, and the conditions that it fails."""

    product: Product
    failed_conditions: list[str]
    """The failed constraints as text, and a price that is too high; empty if it fits."""


def _words_to_search(description: str) -> list[str]:
    """Return the meaningful words of a description, with abbreviated units.

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
    """Return the constraints that a product does not satisfy, including the limit of the price."""
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
    if below_cents and (
        product.price_cents is None or product.price_cents >= below_cents
    ):
        failed.append(f"a price below {below_cents} cents")
    return failed


def _notes_on_failures(checked_products: list[_CheckedProduct]) -> list[str]:
    """Return notes on the products with the fewest failed constraints."""
    closest_first = sorted(
        checked_products, key=lambda checked: len(checked.failed_conditions)
    )
    notes = []
    for checked in closest_first[:MAX_FAILED_PRODUCTS]:
        failed = ", ".join(checked.failed_conditions)
        notes.append(f"{checked.product.code} {checked.product.name} fails {failed}")
    return notes


def _notes_on_claims(products: list[Product], note: SupportNote) -> list[str]:
    """Return notes that say if the claims of a support note are true of each product."""
    notes = []
    for product in products:
        for claim in note.claims:
            is_true = not product.unsatisfied([Constraint(claim)])
            truth = "true" if is_true else "not true"
            notes.append(f"of {product.code} it is {truth} that it has {claim}")
    return notes
