"""Reasons against editing a record's file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

from controlplane.benchmarks.shop.products.catalogue import catalogue_of
from controlplane.benchmarks.shop.texts.documents import entries_of
from controlplane.benchmarks.shop.workspace.field_names import line_fields
from controlplane.benchmarks.shop.workspace.field_shapes import rows_of
from controlplane.benchmarks.shop.workspace.kinds import Kind
from controlplane.benchmarks.shop.workspace.records import Record
from controlplane.benchmarks.shop.workspace.workspace import ShopLayout

_RESTRICTING: Final = re.compile(
    r"\b(?:by hand|never|not|nor|neither|alone|only)\b", re.IGNORECASE
)
"""Words with which a page may forbid editing a record: `only by its tool`, `never by hand`.

One such word in any entry counts. That may be too strict, but an objection is only a
warning: if the same call is made again, it is sent.
"""


def edit_faults(kind: Kind, page_text: str) -> Iterator[str]:
    """Yield a fault if the page on a kind of record forbids editing it."""
    if any(_RESTRICTING.search(entry) for entry in entries_of(page_text)):
        yield f"records of the kind {kind} are changed by their tool, and not by hand"


def basket_edit_faults(
    layout: ShopLayout, basket: Record, content: str
) -> Iterator[str]:
    """Yield what is wrong with an edit of a basket: its state, other fields, unknown products."""
    if basket.state != layout.open_state:
        yield f"{basket.id} is `{basket.state}`, and not `{layout.open_state}`"
    try:
        new_data = json.loads(content)
    except ValueError:
        yield "the new text is not JSON"
        return
    # The fields of a basket's lines, by the baskets seen: `rows` is the list of the lines
    # (`items`), and `code` a line's product (`sku`).
    fields = line_fields([basket.data, *layout.samples(Kind.BASKET)])
    # Only certain faults count, so nothing is checked if the fields are not known.
    if fields is None or not isinstance(new_data, dict):
        return
    changed = [
        f"`{key}`"
        for key in {**basket.data, **new_data}
        if key != fields.rows and new_data.get(key) != basket.data.get(key)
    ]
    if changed:
        yield f"the edit changes {', '.join(changed)} as well as `{fields.rows}`"
    old_rows = rows_of(basket.data, fields.rows)
    codes = catalogue_of(layout).codes
    unknown = []
    for row in rows_of(new_data, fields.rows):
        code = row.get(fields.code)
        if row not in old_rows and code not in codes:
            unknown.append(str(code))
    if unknown:
        yield f"no product is called {', '.join(unknown)}"
