"""Reasons against writing a record's file instead of running the tool that changes such records.

For example, a page may say that payments are changed "only by `/bin/payments`". Baskets may be
edited by hand: then only their lines may change, and the products must exist.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from controlplane.benchmarks.shop.products.catalogue import catalogue_of
from controlplane.benchmarks.shop.texts.document_parts import entries_of
from controlplane.benchmarks.shop.workspace.field_shapes import Data
from controlplane.benchmarks.shop.workspace.fields.basket_fields import line_fields
from controlplane.benchmarks.shop.workspace.kinds import Kind
from controlplane.benchmarks.shop.workspace.records.record import Record
from controlplane.benchmarks.shop.workspace.workspace import ShopLayout
from controlplane.sandbox.interface.foreign_documents import Unreadable, read_json

_RESTRICTING: Final = re.compile(
    r"\b(?:by hand|never|not|nor|neither|alone|only)\b", re.IGNORECASE
)
"""Words with which a page may forbid editing a record: `only by its tool`, `never by hand`."""


def edit_faults(kind: Kind, page_text: str) -> Iterator[str]:
    """Yield a fault if a page may forbid editing records of a kind.

    One restricting word anywhere in the page is enough. A fault is only a warning, shown
    to the model once: it may make the same edit again.
    """
    # Each entry (a paragraph or an item of a list) is on one line, so `by hand` is found even
    # if the page breaks the line in it.
    if any(_RESTRICTING.search(entry) for entry in entries_of(page_text)):
        yield f"records of the kind {kind} are changed by their tool, and not by hand"


def basket_edit_faults(
    layout: ShopLayout, basket: Record, content: str
) -> Iterator[str]:
    """Yield what is wrong with an edit of a basket. `content` is the new text of its file.

    | edit | fault |
    |---|---|
    | any, of a basket that is paid | "basket_1 is `paid`, and not `open`" |
    | another owner | "the edit changes `owner` as well as `lines`" |
    | a new line with the code `AB-9` | "no product is called AB-9" |
    """
    if basket.state != layout.open_state:
        yield f"{basket.id} is `{basket.state}`, and not `{layout.open_state}`"
    try:
        new_data = read_json(content)
    except Unreadable:
        yield "the new text is not JSON"
        return

    # Shops choose the names of fields, so they are learned from baskets. If they are not
    # certain, nothing is checked, because only certain faults count.
    fields = line_fields([basket.data, *layout.kinds.samples(Kind.BASKET)])
    if fields is None or not isinstance(new_data, dict):
        return
    changed = [
        f"`{key}`"
        for key in _changed_fields(basket.data, new_data)
        if key != fields.lines  # the field that lists the lines
    ]
    if changed:
        yield f"the edit changes {', '.join(changed)} as well as `{fields.lines}`"

    old_lines = fields.lines_of(basket.data)
    known_codes = catalogue_of(layout).codes
    unknown_codes = []
    for line in fields.lines_of(new_data):
        code = line.get(fields.code)
        if line not in old_lines and code not in known_codes:
            unknown_codes.append(str(code))
    if unknown_codes:
        yield f"no product is called {', '.join(unknown_codes)}"


def _changed_fields(old: Data, new: Data) -> list[str]:
    """Return the fields whose values differ: first those of the old data, then added ones."""
    keys = list(old)
    for key in new:
        if key not in old:
            keys.append(key)
    return [key for key in keys if new.get(key) != old.get(key)]
