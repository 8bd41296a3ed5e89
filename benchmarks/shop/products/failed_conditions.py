"""Which conditions of a search a product fails, so that notes can tell what came closest.

A script searches tarps with `must=["length 3 m"], below_cents=5000`. If no tarp is a result, the
note "VH-TRP-4 Lea tarp fails length 3 m" lets the model see whether the search was too narrow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.benchmarks.shop.products.product import Product
from controlplane.benchmarks.shop.products.product_properties import Constraint
from controlplane.benchmarks.shop.texts.text import normal_words

MAX_FAILED_PRODUCTS: Final = 4
"""The most products that notes list with the constraints that they fail."""


@dataclass(frozen=True, slots=True)
class CheckedProduct:
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


def notes_on_failures(checked_products: list[CheckedProduct]) -> list[str]:
    """Return notes on the products that fail the fewest conditions, at most four.

    `["VH-TRP-4 Lea tarp fails length 3 m", "VH-TRP-5 Rea tarp fails length 3 m, colour sand"]`
    """
    closest_first = sorted(
        checked_products, key=lambda checked: len(checked.failed_conditions)
    )
    notes = []
    for checked in closest_first[:MAX_FAILED_PRODUCTS]:
        failed = ", ".join(checked.failed_conditions)
        notes.append(f"{checked.product.code} {checked.product.name} fails {failed}")
    return notes
