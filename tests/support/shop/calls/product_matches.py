"""The call that finds products of the shop by a description, made from the products themselves.

A line, such as "Fathoow bag", has one product for each size and colour. Those that are orange are
described by the name of the line and by "colour orange", which no other product of the line has:

    match_products("Fathoow bag", must=["colour orange"]) -> [{"sku": "VH-DRY-30-ORG", ...}]
"""

from collections.abc import Iterator, Sequence

from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.records import Product
from controlplane.sandbox.interface import Plain
from tests.support.shop.calls.product_descriptions import (
    common_name,
    distinguishing_properties,
    property_text,
)
from tests.support.shop.calls.true_calls import TrueCall


def match_products_calls(
    task: Task,
    *,
    described: Sequence[Product],
    matching: Sequence[Product],
    false_claim: str = "",
    below_cents: int = 0,
) -> Iterator[TrueCall]:
    """Yield the call of `match_products` that finds products by a description.

    The products `described` are all of one line, such as "Fathoow bag". The call describes them by
    properties that no other product of the line has. It has to find the products `matching`, which
    are those of `described` that also cost less than `below_cents` (0 for no limit), or none if a
    `false_claim`, such as "colour no such value", is added to `must`.
    No call is yielded if more than `MOST_PROPERTIES` are needed to describe the products.
    """
    # The shop's records call a line a family.
    line = task.world.catalogue.family(described[0].family_id)
    others = [product for product in line if product not in described]
    properties = distinguishing_properties(described, others)
    if properties is None:
        return
    must: list[Plain] = []
    for key, value in properties.items():
        must.append(f"{key.replace('_', ' ')} {property_text(value)}")
    if false_claim:
        must.append(false_claim)
    matching_skus = sorted(product.sku for product in matching)

    def are_matching_products(value: list[dict[str, str]]) -> bool:
        return [record["sku"] for record in value] == matching_skus

    yield TrueCall(
        function="match_products",
        arguments={
            "description": common_name([product.name for product in line]),
            "must": must,
            "below_cents": below_cents,
        },
        is_right=are_matching_products,
        refs=[task.world.path(product) for product in matching],
    )
