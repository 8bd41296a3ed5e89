"""The function `match_products`, with which scripts find the products that fit a description.

`match_products(harness, "Osier sand tarp", must=["length 3 m"])` returns the tarps of this
brand and colour that are 3 m long. If there are none, notes say what came closest.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from controlplane.benchmarks.shop.certain_values import require
from controlplane.benchmarks.shop.products.catalogue import catalogue_of
from controlplane.benchmarks.shop.products.coming_days import notes_on_coming_days
from controlplane.benchmarks.shop.products.failed_conditions import (
    CheckedProduct,
    failed_conditions,
    notes_on_failures,
)
from controlplane.benchmarks.shop.products.product import Product, product_reference
from controlplane.benchmarks.shop.products.product_descriptions import (
    Description,
    split_description,
)
from controlplane.benchmarks.shop.products.product_properties import Constraint
from controlplane.benchmarks.shop.products.product_search import (
    closest_products,
    products_with_words,
)
from controlplane.benchmarks.shop.products.product_units import abbreviated_unit
from controlplane.benchmarks.shop.products.support_notes import (
    SupportNote,
    mentions_note,
    split_note,
)
from controlplane.benchmarks.shop.texts.text import normal_words
from controlplane.benchmarks.shop.workspace.workspace import (
    ShopLayout,
    layout_from_harness,
)
from controlplane.sandbox.functions import FunctionResult

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
    closest.

    A description may use the catalogue's phrase (`the X from Y in the Z line that has ..`). If
    it is a support note, the note's claim about the product is not used to find it; notes say
    if the claim is true. Raises `CannotRead` if the description is empty or fits too many.
    """
    # 1. Split the description. It says itself if it is a support note: "the support note on the tarp
    #    from Osier in the Lea line, and is waterproof". Then it ends with a claim, which may be false.
    is_note = mentions_note(description)
    support_note = split_note(description, must or (), is_note=is_note)
    parsed = split_description(support_note.description)
    has_phrase_of_catalogue = parsed.family != ""
    if has_phrase_of_catalogue:  # Otherwise all words of the description are searched.
        description = f"{parsed.brand} {parsed.kind} {parsed.family}"
    words = _words_to_search(description)
    require(words, "the description is empty: name brand, model or kind")
    constraints = _all_constraints(parsed, support_note, must_not or ())

    # 2. Search the records for the words of the description. The search ignores words that are in
    #    very many records, so all words are compared once more.
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
            failed = failed_conditions(product, constraints, below_cents)
            checked_products.append(CheckedProduct(product, failed))

    # 3. Report the products that satisfy all conditions.
    fitting = [
        checked.product for checked in checked_products if not checked.failed_conditions
    ]
    fitting.sort(key=lambda product: product.code)
    if fitting:
        notes = _notes_on_claims(fitting, support_note)
    elif checked_products:
        notes = notes_on_failures(checked_products)
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
    parsed: Description, support_note: SupportNote, must_not: Sequence[str]
) -> list[Constraint]:
    """Return what a product must satisfy: by the description, by `must`, and by `must_not`.

    The constraints of a support note are those of `must` that are not part of its claim.
    """
    constraints = [*parsed.constraints]
    for text in support_note.constraints:
        constraints.append(Constraint(text))
    for text in must_not:
        constraints.append(Constraint(text, is_negated=True))
    return constraints


def _words_to_search(description: str) -> list[str]:
    """Return the meaningful words of a description, with abbreviated units.

    `Osier's tarp of 3 metres` -> `osier`, `tarp`, `3`, `m`
    """
    words = []
    for word in normal_words(_POSSESSIVE.sub("", description)).split():
        if word not in _WORDS_WITHOUT_MEANING:
            words.append(abbreviated_unit(word))
    return words


def _notes_on_claims(products: list[Product], support_note: SupportNote) -> list[str]:
    """Return notes that say if the claims of a support note are true of each product.

    `["of VH-TRP-3 it is not true that it has waterproof true"]`
    """
    notes = []
    for product in products:
        for claim in support_note.claims:
            is_true = not product.unsatisfied([Constraint(claim)])
            truth = "true" if is_true else "not true"
            notes.append(f"of {product.code} it is {truth} that it has {claim}")
    return notes
