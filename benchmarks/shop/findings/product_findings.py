"""Which products a description means, by the words and values of their records."""

from __future__ import annotations

from typing import Any

from benchmarks.shop.layout.product_search import Catalogue, Product
from benchmarks.shop.layout.shop_layout import ShopLayout, WorkspaceReader
from toolkit import CannotRead, Finding, Reference
from toolkit.matching import Constraint, failed_constraints
from toolkit.text import normal_words


def match_products(
    reader: WorkspaceReader,
    description: str,
    must: list[str] | None = None,
    must_not: list[str] | None = None,
    below_cents: int = 0,
) -> Finding[list[dict[str, Any]]]:
    """Return the products whose records hold every word of the description and every constraint, by SKU.

    `description` is in words of the records (brand, model, kind), `must` and `must_not` name properties with their
    values (`persons 2`, `weight 2.4 kg`) or SKUs. `below_cents` is strict. If no product fits, notes tell the closest
    ones and what they fail. Raises `CannotRead` for a description whose words stand in no record.
    """
    words = normal_words(description).split()
    if not words:
        msg = "the description is empty: name brand, model or kind"
        raise CannotRead(msg)
    catalogue = Catalogue(layout := ShopLayout(reader))
    candidates, unknown = catalogue.holding(words)
    if unknown:
        near = [f"{each.code} {each.name}" for each in sorted(candidates, key=lambda each: -len(each.words & {*words}))]
        closest = ", ".join(near[:3]) or layout.closest(unknown[0], catalogue.group.paths)
        msg = f"no product record holds {', '.join(map(repr, unknown))}: use words of the records; closest: {closest}"
        raise CannotRead(msg)
    described = [each for each in candidates if each.words.issuperset(words)]
    constraints = [Constraint(each) for each in must or ()] + [
        Constraint(each, is_negated=True) for each in must_not or ()
    ]
    failed = {each.path: _failed(each, constraints, below_cents) for each in described}
    fitting = sorted((each for each in described if not failed[each.path]), key=lambda each: each.code)
    notes = (
        ()
        if fitting
        else tuple(
            f"{each.code} {each.name} fails {', '.join(failed[each.path])}"
            for each in sorted(described, key=lambda each: len(failed[each.path]))[:4]
        )
    )
    if not described:
        notes = ("no single record holds all words of the description",)
    return Finding([_told(each) for each in fitting], tuple(map(product_reference, fitting)), notes)


def _failed(product: Product, constraints: list[Constraint], below_cents: int) -> list[str]:
    """Return what a product fails; an unlabelled constraint that is its code speaks of the code."""
    codes = [each for each in constraints if normal_words(each.text) == normal_words(product.code)]
    failed = failed_constraints([each for each in constraints if each not in codes], product.variant)
    failed += [each.text for each in codes if each.is_negated]
    if below_cents and (product.price_cents is None or product.price_cents >= below_cents):
        failed.append(f"a price below {below_cents} cents")
    return failed


def _told(product: Product) -> dict[str, Any]:
    return {
        "sku": product.code,
        "name": product.name,
        "path": product.path,
        "price_cents": product.price_cents,
        "properties": dict(product.properties),
    }


def product_reference(product: Product) -> Reference:
    """Return the reference to a product."""
    return Reference(product.path, f"the product {product.code}, {product.name}")
