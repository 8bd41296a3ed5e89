"""Notes with which answers about stock warn that it may differ from the records."""

from __future__ import annotations

from typing import Final

from controlplane.benchmarks.shop.workspace.shop_documents import ShopDocuments

_INVENTORIES: Final = r"\b[Ii]nventories\b"
"""The word that marks a page that may correct the stock in the records.

Such a page is a day book of deliveries, or a note after stock was counted by hand.
"""


def stock_notes(documents: ShopDocuments) -> tuple[str, ...]:
    """Return a note if a document that the rules do not name is about inventories.

    Such a document may correct the stock in the records.
    """
    if not documents.is_in_unnamed_document(_INVENTORIES):
        return ()
    return (
        "a page that the rules do not name tells of inventories: stock is by the records alone",
    )
