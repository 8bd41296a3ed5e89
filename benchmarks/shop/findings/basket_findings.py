"""Which basket a customer means who names none."""

from __future__ import annotations

from benchmarks.shop.layout.record_shapes import Kind
from benchmarks.shop.layout.shop_layout import ShopLayout, WorkspaceReader
from toolkit import CannotRead, Finding, Reference
from toolkit.records import is_same_id

_SELECTORS = ("", "newest", "oldest")


def pick_basket(reader: WorkspaceReader, selector: str = "") -> Finding[list[str]]:
    """Return the ids of the customer's open baskets, newest first, or the one that `newest` or `oldest` selects.

    Several ids without a selector are a question back. Raises `CannotRead` if no customer asks.
    """
    if selector not in _SELECTORS:
        msg = f"selector is newest, oldest or empty, not {selector!r}"
        raise CannotRead(msg)
    layout = ShopLayout(reader)
    asker = layout.asker
    if not asker.is_customer:
        msg = f"only a customer has baskets; {asker.user or 'whoever asks'} is none"
        raise CannotRead(msg)
    own = [
        each
        for each in layout.records.holding(asker.user, layout.group(Kind.BASKET))
        if is_same_id(each.owner, asker.user) and each.state == layout.open_state
    ]
    own.sort(key=lambda each: (each.time, each.id), reverse=True)
    chosen = own if not selector else own[:1] if selector == "newest" else own[-1:]
    refs = tuple(Reference(each.path, f"basket {each.id} is {each.state}") for each in chosen)
    notes = () if own else (f"{asker.user} has no basket in the state {layout.open_state}",)
    return Finding([each.id for each in chosen], refs, notes)
