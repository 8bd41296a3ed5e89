"""The function `match_products`, with which scripts find the products that fit a description.

`match_products(harness, "Osier sand tarp", must=["length 3 m"])` returns the tarps of this
brand and colour that are 3 m long. If there are none, notes say what came closest.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
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
from controlplane.benchmarks.shop.products.product_descriptions import split_description
from controlplane.benchmarks.shop.products.product_properties import Constraint
from controlplane.benchmarks.shop.products.product_search import (
    closest_products,
    products_with_words,
)
from controlplane.benchmarks.shop.products.product_units import abbreviated_unit
from controlplane.benchmarks.shop.products.support_notes import (
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
    closest. Raises `CannotRead` if the description is empty or fits too many.
    """
    # 1. Search the records for the words of the description.
    query = _query_of(description, must or (), must_not or ())
    require(query.words, "the description is empty: name brand, model or kind")
    catalogue = catalogue_of(layout)
    matches = products_with_words(catalogue, query.words)
    if matches.unknown_words:
        unknown = _quoted(matches.unknown_words)
        closest = closest_products(catalogue, matches)
        reason = f"no product record holds {unknown}: use words of the records{closest}"
        return FunctionResult([], (), (reason,))

    # 2. Check each product. The search ignores words that are in very many records, so all words
    #    are compared once more.
    checked_products = []
    for product in matches.products:
        if product.words.issuperset(query.words):
            failed = failed_conditions(product, query.constraints, below_cents)
            checked_products.append(CheckedProduct(product, failed))
    fitting = [
        checked.product for checked in checked_products if not checked.failed_conditions
    ]
    fitting.sort(key=lambda product: product.code)

    # 3. Say in notes if a claim is true or, if no product fits, what comes closest.
    if fitting:
        notes = _notes_on_claims(fitting, query.claims)
    elif checked_products:
        notes = notes_on_failures(checked_products)
    else:
        closest = closest_products(catalogue, matches)
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
