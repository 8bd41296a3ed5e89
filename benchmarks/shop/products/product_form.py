"""How a shop's records describe products: in which fields, and how a download is marked.

Shops choose the names of their fields. In `{"sku": "AB-1", "title": "Lea tarp", "cents": 1990,
"fulfillment": "download"}`, the name is in `title`, and the last field says that this
product needs no stock, because it is downloaded.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from controlplane.benchmarks.shop.certain_values import require
from controlplane.benchmarks.shop.products.product import Product
from controlplane.benchmarks.shop.texts.documents import marked_after
from controlplane.benchmarks.shop.workspace.field_shapes import Data
from controlplane.benchmarks.shop.workspace.fields.product_fields import (
    ProductFields,
    product_fields,
)
from controlplane.benchmarks.shop.workspace.records.record import Record


@dataclass(frozen=True, slots=True)
class StocklessMark:
    """The field and value that mark products without stock, such as downloads."""

    key: str
    value: str

    def is_on(self, data: Data) -> bool:
        """Return True if a product's record has the mark."""
        return str(data.get(self.key)) == self.value


def stockless_mark_in(policy: str, sample: Data) -> StocklessMark | None:
    """Return the mark of products that need no stock; None if the policy describes none.

    "Products whose `fulfillment` is `download` need no stock." -> field `fulfillment`, value
    `download`. `sample` is the data of a product, which shows what its fields are called.
    """
    for key in sample:
        # The word in backticks after the field's name.
        value = marked_after(policy, key)
        if value:
            return StocklessMark(key, value)
    return None


def certain_product_fields(
    samples: Sequence[Data], codes: Collection[str], marked: frozenset[str]
) -> ProductFields:
    """Return the names of products' fields, learned from samples of their records.

    `codes` are the codes of all products, and `marked` the words that documents put in
    backticks, such as `price_cents`. Raises `CannotRead` if the field for the code, the
    name or the price is not certain.
    """
    fields = product_fields(samples, codes, marked)
    are_known = bool(fields.code and fields.name and fields.price)
    require(
        are_known,
        "it is not certain which fields of a product are its code, name and price",
    )
    return fields


@dataclass(frozen=True, slots=True)
class ProductForm:
    """The fields of products, and the mark of those that need no stock."""

    fields: ProductFields
    stockless_mark: StocklessMark | None

    def product(self, record: Record) -> Product:
        """Return the product that a record describes."""
        data = record.data
        price = data.get(self.fields.price)
        properties = data.get(self.fields.properties)
        needs_stock = self.stockless_mark is None or not self.stockless_mark.is_on(data)
        return Product(
            path=record.path,
            code=str(data.get(self.fields.code, record.id)),
            name=str(data.get(self.fields.name, "")),
            brand=str(data.get(self.fields.brand, "")),
            price_cents=price if isinstance(price, int) else None,
            properties=properties if isinstance(properties, dict) else {},
            needs_stock=needs_stock,
        )
