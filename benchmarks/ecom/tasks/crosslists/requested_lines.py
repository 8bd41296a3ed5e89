"""The lines of a competitor's purchase request, drawn from the shop's catalogue.

A line names a product and some properties: `Skerry two-person tent; seasons=3`. In about a
third of the lines, one property is that of a sibling, another product of the same family.
Then the shop has no exact match.
"""

from __future__ import annotations

from typing import Final

from controlplane.benchmarks.ecom.tasks.scans.purchase_requests import RequestLine
from controlplane.benchmarks.ecom.world.records import Product
from controlplane.benchmarks.ecom.world.world import World

MATCHING_LINES: Final = 0.65
"""The share of requested lines for which the branch's product has all properties."""


def draw_requested_lines(world: World) -> list[RequestLine]:
    """Return the lines of a request, each for another product."""
    rng = world.rng
    possible_products = []
    for product in world.catalogue.products.values():
        if not product.is_digital and _is_unmistakable(world, product):
            possible_products.append(product)
    lines = []
    for product in rng.sample(possible_products, rng.randint(4, 6)):
        is_match = rng.random() < MATCHING_LINES
        lines.append(_draw_line(world, product, is_match=is_match))
    return lines


def _is_unmistakable(world: World, product: Product) -> bool:
    """Return True if a request for a product can be made so that it means only this product.

    A sibling (a product of the same family) must differ by a property, and no sibling's
    name may contain the product's: not `Skerry tent` beside `Skerry tent XL`.
    """
    if not _properties_of_siblings(world, product):
        return False
    for sibling in world.catalogue.family(product.family_id):
        if sibling is not product and product.name in sibling.name:
            return False
    return True


def _draw_line(world: World, product: Product, *, is_match: bool) -> RequestLine:
    """Return a requested line for a product.

    Unless `is_match`, one requested property is not the product's but that of a sibling,
    another product of its family: `red` although the product is blue.
    """
    rng = world.rng
    count_of_specs = min(len(product.properties), rng.randint(2, 4))
    keys = rng.sample(sorted(product.properties), count_of_specs)
    specs = {key: product.properties[key] for key in keys}
    if not is_match:
        key, value = rng.choice(_properties_of_siblings(world, product))
        specs[key] = value
    code = f"CMP-{rng.getrandbits(24):06X}"
    return RequestLine(code, product, dict(sorted(specs.items())), rng.randint(1, 9))


def _properties_of_siblings(
    world: World, product: Product
) -> list[tuple[str, str | float | bool]]:
    """Return each property of a sibling whose value differs from the product's.

    For example, `("colour", "red")` if the product is blue and its sibling is red.
    """
    differing = []
    for sibling in world.catalogue.family(product.family_id):
        for key in sorted(product.properties):
            own_value = product.properties[key]
            value = sibling.properties.get(key, own_value)
            if value != own_value:
                differing.append((key, value))
    return differing
