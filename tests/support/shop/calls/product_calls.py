"""The calls for products that a request describes: "the orange Fathoow bag", or all below a price.

A test makes each call in a generated shop, of which the truth is known, and compares:

    TrueCall("match_products", {"description": "Fathoow bag", "must": ["colour orange"], ...}, ...)
    # right if the function's value is [{"sku": "VH-DRY-30-ORG", ...}]

`task.truth.for_tests` names the products that the generator described.
"""

from collections.abc import Iterator

from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.records import Product
from tests.support.shop.calls.product_matches import match_products_calls
from tests.support.shop.calls.true_calls import TrueCall


def sku_lookup_calls(task: Task) -> Iterator[TrueCall]:
    """Yield the call that finds the code (SKU) of a product by its description."""
    products = task.world.catalogue.products
    target = [products[sku] for sku in task.truth.for_tests["skus"].split()]
    yield from match_products_calls(task, described=target, matching=target)


def product_existence_calls(task: Task) -> Iterator[TrueCall]:
    """Yield the call that tells whether a described product exists.

    If it exists, `fitting` of the task's inputs is its code. If not, the description has a value
    that no product has, such as "colour no such value".
    """
    inputs = task.truth.for_tests
    if inputs["fitting"]:
        product = task.world.catalogue.products[inputs["fitting"]]
        yield from match_products_calls(task, described=[product], matching=[product])
        return

    product = products_at(task, inputs["paths"])[0]
    key, value = next(iter(product.properties.items()))
    if isinstance(value, str):
        false_value = "no such value"
    else:
        false_value = str(value + 77)  # A number that no product has for this property.
    yield from match_products_calls(
        task,
        described=[product],
        matching=[],
        false_claim=f"{key.replace('_', ' ')} {false_value}",
    )


def price_count_calls(task: Task) -> Iterator[TrueCall]:
    """Yield the call that finds the products of a line that cost less than a limit.

    A line, such as "Fathoow dry bag", has one product for each size and colour.
    """
    inputs = task.truth.for_tests
    described = products_at(task, inputs["paths"])
    limit_cents = int(inputs["limit"])
    cheap = [product for product in described if product.price_cents < limit_cents]
    yield from match_products_calls(
        task, described=described, matching=cheap, below_cents=limit_cents
    )


def products_at(task: Task, paths: str) -> list[Product]:
    """Return the products whose files have these paths, one a line."""
    products_by_path: dict[str, Product] = {}
    for product in task.world.catalogue.products.values():
        products_by_path[task.world.path(product)] = product
    return [products_by_path[path] for path in paths.split("\n")]
