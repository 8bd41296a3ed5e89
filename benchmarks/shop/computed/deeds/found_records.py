"""What a basket held, and what a record may have been, before the trial changed it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from benchmarks.shop.computed.record_fields import Data
from benchmarks.shop.computed.shop_workspace import Found, Record, ShopWorkspace
from benchmarks.shop.computed.stock import stock_of
from benchmarks.shop.language.shop_evidence import UNSUPPORTED
from gates.reading import DoesNotApply
from toolkit.stock import StockUnits


def lines_of(basket: Data) -> dict[str, int]:
    lines = {str(each["sku"]): int(each["quantity"]) for each in basket["lines"]}
    if not lines or len(lines) < len(basket["lines"]):
        msg = "a basket without lines, or with two of one SKU"
        raise DoesNotApply(msg)
    return lines


def unless_seen(found: Found, is_free: bool) -> frozenset[str]:
    """Return what else the outcome may be: a record that was changed unseen may have forbidden it."""
    return frozenset({UNSUPPORTED}) if found.is_assumed and is_free else frozenset()


def lines_short(lines: Mapping[str, int], products: Iterable[Record], store: Record, shop: ShopWorkspace) -> list[str]:
    """Return the SKUs of the lines that the branch cannot sell in full today.

    A product of which no branch keeps a row needs no stock if it is handed over in another way than one that has a row.
    """
    stock = stock_of(store.data)
    rowless = [each for each in products if each.data["sku"] not in stock]
    downloads = set[str]()
    if rowless and stock:
        example = shop.at(shop.product_paths([next(iter(stock))])[next(iter(stock))])
        shelf = example.data["fulfilment"]
        downloads = {str(each.data["sku"]) for each in rowless if each.data["fulfilment"] != shelf}
    return [
        sku for sku, units in lines.items() if sku not in downloads and stock.get(sku, StockUnits()).available < units
    ]
