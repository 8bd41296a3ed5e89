"""Finds the products of a shop that the items on a scanned receipt are.

Names on a receipt may be misread: `0sier Lea tavp` is the product `Osier Lea tarp`. So an item
is the product with the most similar name, if no other is about as similar. Otherwise there is no
result, because a wrong product would make a wrong price.
"""

from __future__ import annotations

from posixpath import commonprefix
from typing import Final

from controlplane.benchmarks.shop.certain_values import value_or_raise
from controlplane.benchmarks.shop.products.catalogue import Catalogue
from controlplane.benchmarks.shop.products.product import Product
from controlplane.benchmarks.shop.receipts.misread_characters import (
    LEAST_LEAD,
    LEAST_LIKENESS,
    folded_text,
    likeness,
)
from controlplane.benchmarks.shop.receipts.receipt_parts import (
    ScannedItem,
)
from controlplane.benchmarks.shop.receipts.repaired_codes import repaired_code


def scanned_product(catalogue: Catalogue, item: ScannedItem) -> Product:
    """Return the product of an item on a receipt. Raises `CannotRead` if it is not certain.

    - An item with only a code is the product with this code, of which characters may be
      misread: `VH-TRP-5ND` is `VH-TRP-SND`.
    - An item with a name and a code is the product with the most similar name, among those
      with similar codes: `0sier Lea tavp` is `Osier Lea tarp`.
    - An item with only a name is never certain, because nothing limits the products whose
      names would have to be compared.
    """
    product = None
    if not item.name:
        product = _product_by_code(catalogue, item)
    elif item.code:
        product = _product_by_name(catalogue, item)
    code_text = item.code or "no code"
    return value_or_raise(
        product,
        f"it is not certain which product {item.name!r} ({code_text}) of the receipt is",
    )


def _product_by_code(catalogue: Catalogue, item: ScannedItem) -> Product | None:
    """Return the product with an item's code, which may be misread; None if it is not certain."""
    code = repaired_code(item.code, catalogue.codes)
    if code is None:
        return None
    return catalogue.with_codes([code])[0]


def _product_by_name(catalogue: Catalogue, item: ScannedItem) -> Product | None:
    """Return the product whose name is most like that of an item; None if it is not certain.

    The item `0sier Lea tavp` is the product `Osier Lea tarp`. Only products with codes like
    that of the item are compared. Texts are compared in a folded form, without case and
    blanks, and their likeness is from 0 to 1.
    """
    # 1. Compare the names.
    name = folded_text(item.name)
    products = _products_with_similar_codes(catalogue, item.code)
    likeness_of = {product.code: _name_likeness(name, product) for product in products}
    best_likeness = max(likeness_of.values(), default=0.0)
    if best_likeness < LEAST_LIKENESS:
        return None

    # 2. Take the product with the best likeness, and those that are about as similar.
    candidates = []
    for product in products:
        if likeness_of[product.code] > best_likeness - LEAST_LEAD:
            candidates.append(product)
    if len(candidates) == 1:
        return candidates[0]

    # 3. Of several, it is the one with the same code.
    code = folded_text(item.code)
    with_code = [product for product in candidates if folded_text(product.code) == code]
    return with_code[0] if len(with_code) == 1 else None


MAX_COMPARED_PRODUCTS: Final = 12
"""The number of products, with codes most like the scanned one, whose names are compared."""


def _products_with_similar_codes(
    catalogue: Catalogue, scanned_code: str
) -> list[Product]:
    """Return the `MAX_COMPARED_PRODUCTS` products whose codes begin most like a scanned code.

    `VH-TRP-5ND` -> those with codes such as `VH-TRP-SND` and `VH-TRP-3X3`. All names of a
    catalogue would be too many to compare.
    """
    folded_code = folded_text(scanned_code)
    ranked_codes = sorted(
        catalogue.codes,
        key=lambda code: -len(commonprefix([folded_text(code), folded_code])),
    )
    return catalogue.read(
        catalogue.codes[code] for code in ranked_codes[:MAX_COMPARED_PRODUCTS]
    )


LEAST_BRAND_LIKENESS: Final = 0.85
"""The least likeness of the start of a name and the brand written twice, if a scan repeats it."""


def _name_likeness(scanned_name: str, product: Product) -> float:
    """Return how similar a product's name is to a scanned name, from 0 to 1.

    `scanned_name` is in the form of `folded_text`, without blanks. A scan may repeat the brand
    `Osier` of `Osier Lea tarp`: `051er051er1eatarp`.
    """
    name = folded_text(product.name)
    brand = folded_text(product.brand)
    without_repetition = scanned_name
    beginning = scanned_name[: 2 * len(brand)]
    if brand and likeness(beginning, brand * 2) > LEAST_BRAND_LIKENESS:
        without_repetition = scanned_name[len(brand) :]
    return max(likeness(scanned_name, name), likeness(without_repetition, name))
