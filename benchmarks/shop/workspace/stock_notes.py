"""Notes which warn that the stock of a branch may differ from its records.

A shop may have a day book that says "20 pieces of AB-1 arrived, not yet in the inventories".
Whether it changes an answer is for the model to read, so a function only points to such a page.
"""

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
