"""The record that an argument of a call names, and whether the asker may see it.

A script calls `may_use("Basket-12")` or `may_use("/proc/carts/basket_12.json")`. Both name the
same record. If there is none, the refusal names the closest paths.
"""

from __future__ import annotations

from controlplane.benchmarks.shop.workspace.kinds import OWNED, Kind
from controlplane.benchmarks.shop.workspace.record_ids import id_of
from controlplane.benchmarks.shop.workspace.records.record import Record
from controlplane.benchmarks.shop.workspace.workspace import (
    ShopLayout,
)
from controlplane.sandbox.functions import CannotRead, Reference


def named_record(layout: ShopLayout, name: str) -> Record:
    """Return the record that a name means. The name is the record's id, or its path.

    Raises `CannotRead`, with the closest paths, if there is none or several.
    """
    if name in layout.files.paths:
        record = layout.records.at(name)
    else:
        record = layout.records.record(id_of(name))
    if record is None:
        msg = f"no single record is called {name!r}; closest: {layout.files.closest(name)}"
        raise CannotRead(msg)
    return record


def reference_to(record: Record, kind: Kind | None) -> Reference:
    """Return a reference to a record.

    Its reason gives the record's kind, id and name, if it has one.
    """
    reason = f"the {kind or 'record'} {record.id}"
    if record.name not in ("", record.id):
        reason += f", {record.name}"
    return Reference(record.path, reason)


def is_visible(layout: ShopLayout, record: Record, kind: Kind | None) -> bool:
    """Return True if the asker may see a record.

    Staff see all. Others do not see people, and of baskets, payments and returns only their
    own. They see all other records, such as products.
    """
    if kind is Kind.EMPLOYEE and not layout.asker.is_staff:
        return False
    owner = record.owner if kind in OWNED else ""  # Everybody sees what has no owner.
    return layout.asker.may_see(owner)
