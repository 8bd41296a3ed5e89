"""Finds the records of a kind that have a value in a field, as a script names these.

`find_records("payments", "owner", "cust-7")` names the kind in the plural, and `owner` for what
the shop perhaps calls `customer_id`. A value may be part of a list or of an object, and is
compared without regard to case and separators: `Cust 7`.
"""

from __future__ import annotations

from controlplane.benchmarks.shop.workspace.kinds import RECORD_KINDS, Kind
from controlplane.benchmarks.shop.workspace.record_ids import is_same_id
from controlplane.benchmarks.shop.workspace.records.record import Record
from controlplane.benchmarks.shop.workspace.workspace import (
    ShopLayout,
)
from controlplane.sandbox.functions import CannotRead


def kind_called(name: str) -> Kind:
    """Return the kind with a singular or plural name: `branches` -> `Kind.BRANCH`.

    Raises `CannotRead` for any other name.
    """
    for kind in RECORD_KINDS:
        if name in (kind, f"{kind}s", f"{kind}es"):
            return kind
    msg = f"there is no kind {name!r}, but {', '.join(RECORD_KINDS)}"
    raise CannotRead(msg)


def keys_called(layout: ShopLayout, kind: Kind, field: str) -> tuple[str, ...]:
    """Return the names that records use for a field: `owner` -> `customer_id`, `buyer`.

    The result is empty if no field is asked for, or if the shop has no name for it. Raises
    `CannotRead` if no sampled record of the kind has the field, because then a script has
    probably guessed its name; the message lists the fields that there are.
    """
    match field:
        case "":
            return ()
        case "owner":
            keys = layout.keys.owner
        case "state":
            keys = layout.keys.state
        case _:
            keys = (field,)
    if not keys:
        return ()
    existing_keys = {key for sample in layout.kinds.samples(kind) for key in sample}
    if existing_keys.isdisjoint(keys):
        existing = ", ".join(sorted(existing_keys))
        msg = f"no record of the kind {kind} shows a field {field!r}, but {existing}"
        raise CannotRead(msg)
    return keys


def has_value(record: Record, keys: tuple[str, ...], value: str) -> bool:
    """Return True if one of these fields of a record has a value, or a part with it.

    `{"buyer": "cust_7", ...}`, `("customer_id", "buyer")`, `cust-7` -> True
    """
    return any(_contains(record.data.get(key), value) for key in keys)


def _contains(field_value: object, value: str) -> bool:
    """Return True if a field's value, or a part of it, equals a value.

    `{"city": "Graz", "zip": 8010}`, `GRAZ` -> True. Case and separators do not matter.
    """
    if isinstance(field_value, dict):
        return any(_contains(part, value) for part in field_value.values())
    if isinstance(field_value, list):
        return any(_contains(part, value) for part in field_value)
    text = str(field_value)
    return text.casefold() == value.casefold() or is_same_id(text, value)
