"""The fields of a product are recognized by their values, since every shop names them differently.

    {"sku": "T-12", "name": "Osier Lea tarp", "brand": "Osier", "price_cents": 2100, ...}

The name is the longest text of several words, and the brand a text with which the name begins.
"""

from controlplane.benchmarks.shop.workspace.fields.product_fields import (
    ProductFields,
    product_fields,
)


def test_the_fields_of_a_product() -> None:
    """The record has the fields of the public shop benchmark, in the same order."""
    product = {
        "id": 12,
        "sku": "T-12",
        "name": "Osier Lea tarp",
        "brand": "Osier",
        "category_id": "cat-camping",
        "kind_id": "kind-tarps",
        "family_id": "fam-osier-lea",
        "price_cents": 2100,
        "fulfillment_type": 1,
        "return_policy": 1,
        "properties": {"colour": "sand", "length_cm": 400},
    }
    names_of_files = ["T-12"]
    numbers_on_the_page_on_products = {"price_cents", "fulfillment_type"}

    fields = product_fields(
        [product], codes=names_of_files, marked=numbers_on_the_page_on_products
    )

    assert fields == ProductFields(
        code="sku",  # Its value is the name of a file.
        name="name",  # the longest text of several words
        brand="brand",  # The name begins with it.
        price="price_cents",  # the only one of the named numbers that sounds like money
        properties="properties",  # the only mapping
    )
