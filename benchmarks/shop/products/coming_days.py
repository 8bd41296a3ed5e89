"""Notes on products with a date that is still to come, such as the end of an embargo.

`{"sku": "AB-1", "properties": {"sale_from": "2027-06-01"}}` gets a note before June, if the
shop's documents mention `sale_from`.
"""

from __future__ import annotations

from collections.abc import Iterable

from controlplane.benchmarks.shop.products.product import Product
from controlplane.benchmarks.shop.requests.request_dates import ISO_DAY
from controlplane.benchmarks.shop.texts.documents import marked_words
from controlplane.benchmarks.shop.workspace.field_shapes import Shape, shape_of
from controlplane.benchmarks.shop.workspace.workspace import ShopLayout


def notes_on_coming_days(
    layout: ShopLayout, products: Iterable[Product]
) -> tuple[str, ...]:
    """Return a note for each future date in the products' properties.

    Before the end of an embargo, for example, a product is not sold. A property counts only
    if the rules or a page that they name mention it in backticks (`sale_from`).
    """
    today = ISO_DAY.search(layout.clock)
    if today is None:
        return ()
    marked_in_rules = marked_words(layout.documents.rules)
    marked = layout.documents.marked.union(marked_in_rules)
    notes = []
    for product in products:
        for key, value in product.properties.items():
            is_marked_date = key in marked and shape_of(value) is Shape.INSTANT
            # ISO days compare as texts.
            if is_marked_date and _day_of(value) > today[0]:
                notes.append(
                    f"{product.code} has `{key}` {value}, which is still to come: "
                    "see the rules on it"
                )
    return tuple(dict.fromkeys(notes))


def _day_of(instant: object) -> str:
    """Return the day of a time: `2027-03-01T10:00:00Z` -> `2027-03-01`."""
    return str(instant)[: len("YYYY-MM-DD")]
