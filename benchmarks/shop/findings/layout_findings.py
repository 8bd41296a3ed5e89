"""How the workspace names things: folders, ids, fields, states, policies, and the words for yes and no."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.shop.layout.record_shapes import Kind
from benchmarks.shop.layout.shop_layout import ShopLayout, WorkspaceReader
from toolkit import CannotRead, Finding
from toolkit.records import RecordGroup, stem_of


def workspace_layout(reader: WorkspaceReader) -> Finding[dict[str, Any]]:
    """Return `roots` and `ids` by kind of record, the `owner`, `state` and `time` fields, the `open_state` of baskets,
    `policies` by subject, and the words for `yes` and `no`.

    What cannot be told is empty, and a note says why.
    """
    layout = ShopLayout(reader)
    notes: list[str] = []

    def told(ask: Callable[[], str]) -> str:
        try:
            return ask()
        except CannotRead as error:
            notes.append(str(error))
            return ""

    groups = {str(kind): found for kind in Kind if (found := layout.known_group(kind)) is not None}
    notes += [f"no records of the kind {kind} are to be seen" for kind in Kind if str(kind) not in groups]
    value = {
        "roots": {kind: group.root for kind, group in groups.items()},
        "ids": {kind: _form(group) for kind, group in groups.items()},
        "owner": told(lambda: "".join(layout.keys.owner)),
        "state": told(lambda: "".join(layout.keys.state[:1])),
        "time": told(lambda: "".join(layout.keys.time[:1])),
        "open_state": told(lambda: layout.open_state),
        "policies": dict(layout.policies),
        "yes": told(lambda: layout.yes_no[0]),
        "no": told(lambda: layout.yes_no[1]),
    }
    return Finding(value, (), tuple(dict.fromkeys(notes)))


def _form(group: RecordGroup) -> str:
    """Return the form of a group's ids, such as `basket-0000`; without numbers one of them."""
    name = stem_of(group.paths[0])
    return f"{group.prefix}{group.separator}{'0' * group.width}" if group.prefix and group.width else name
