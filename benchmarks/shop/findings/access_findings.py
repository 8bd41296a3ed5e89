"""What a record is, what it is linked to, and what whoever asks may do with it."""

from __future__ import annotations

from typing import Any

from benchmarks.shop.layout.record_shapes import Kind
from benchmarks.shop.layout.shop_layout import ShopLayout, WorkspaceReader
from toolkit import CannotRead, Finding, Reference
from toolkit.records import Record, is_same_id

_CHANGED_BY_OWNERS = (Kind.BASKET, Kind.PAYMENT, Kind.RETURN)


def named_record(layout: ShopLayout, name: str) -> Record:
    """Return the one record with an id. Raises `CannotRead` for none or several."""
    found = layout.records.record(name)
    if found is None:
        msg = f"no single record is called {name!r}"
        raise CannotRead(msg)
    return found


def reference_to(record: Record, kind: Kind | None) -> Reference:
    """Return the reference to a record, with its kind and id as the reason."""
    return Reference(record.path, f"the {kind or 'record'} {record.id}")


def may_use(reader: WorkspaceReader, record: str) -> Finding[dict[str, Any]]:
    """Return whose a record is, in what state, and whether whoever asks may `see`, `change` and `cite` it.

    Staff see all; customers see and change their own. What staff may change hangs on roles that policies name: a note
    says so. The state decides nothing here; of what may
    not be seen, owner and state are empty.
    """
    layout = ShopLayout(reader)
    found, asker = named_record(layout, record), layout.asker
    kind = layout.kind_of(found.path)
    owner = found.owner if kind in _CHANGED_BY_OWNERS else ""
    sees = asker.may_cite(owner) and (kind is not Kind.EMPLOYEE or asker.is_staff)
    changes = bool(owner) and asker.is_customer and is_same_id(owner, asker.user)
    value = {
        "path": found.path,
        "kind": str(kind or ""),
        "owner": owner if sees else "",
        "state": found.state if sees else "",
        "see": sees,
        "change": changes,
        "cite": sees,
    }
    notes = ("what staff may change depends on the role that the policy names",) if asker.is_staff else ()
    return Finding(value, (reference_to(found, kind),) if sees else (), notes)


def linked_records(reader: WorkspaceReader, record: str) -> Finding[list[dict[str, str]]]:
    """Return the records that a record names, and those that name it, each with `path`, `id` and `kind`.

    Only what whoever asks may see; a note says if something was left out. Products and branches that name it are none.
    """
    layout = ShopLayout(reader)
    origin = named_record(layout, record)
    names = {path for link in _texts_in(origin.data) if (path := layout.records.path_of(link))} - {origin.path}
    named_by = [each for each in layout.records.holding(origin.id) if origin.id in set(_texts_in(each.data))]
    every = [*layout.records.read(sorted(names)), *(each for each in named_by if each.path not in names)]
    shown, is_hidden = [], False
    for each in every:
        kind = layout.kind_of(each.path)
        if each.path == origin.path:
            continue
        if not layout.asker.may_cite(each.owner if kind in _CHANGED_BY_OWNERS else "") or (
            kind is Kind.EMPLOYEE and not layout.asker.is_staff
        ):
            is_hidden = True
            continue
        shown.append((each, kind))
    value = [{"path": each.path, "id": each.id, "kind": str(kind or "")} for each, kind in shown]
    notes = ("records that are not the asker's to see were left out",) if is_hidden else ()
    return Finding(value, tuple(reference_to(each, kind) for each, kind in shown), notes)


def _texts_in(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for key, each in value.items() if key != "id" for text in _texts_in(each)]
    return [text for each in value for text in _texts_in(each)] if isinstance(value, list) else []
