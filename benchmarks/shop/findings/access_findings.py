"""What a record is, what it is linked to, and what whoever asks may do with it."""

from __future__ import annotations

from typing import Any

from benchmarks.shop.layout.record_shapes import Kind
from benchmarks.shop.layout.shop_layout import ShopLayout, WorkspaceReader
from toolkit import CannotRead, Finding, Reference
from toolkit.records import MOST_READ, Record, id_of, is_same_id

_CHANGED_BY_OWNERS = (Kind.BASKET, Kind.PAYMENT, Kind.RETURN)
_HIDDEN = ("records that are not the asker's to see were left out",)


def named_record(layout: ShopLayout, name: str) -> Record:
    """Return the one record with an id or a path. Raises `CannotRead` for none or several, and tells the closest."""
    found = layout.records.at(name) if name in layout.paths else layout.records.record(id_of(name))
    if found is None:
        msg = f"no single record is called {name!r}; closest: {layout.closest(name)}"
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
    sees = _is_visible(layout, found, kind)
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


def find_records(reader: WorkspaceReader, kind: str, field: str = "", value: str = "") -> Finding[list[dict[str, str]]]:
    """Return the records of a kind one of whose fields holds a value, each with `path`, `id`, `owner` and `state`.

    `field` is the record's own name of it, or `owner` or `state`; without one all records of the kind are meant. Only
    what whoever asks may see; a note says if something was left out. Raises `CannotRead` for an unknown kind or field,
    and for too many records.
    """
    if kind not in {str(each) for each in Kind}:
        msg = f"there is no kind {kind!r}, but {', '.join(Kind)}"
        raise CannotRead(msg)
    layout = ShopLayout(reader)
    group = layout.group(Kind(kind))
    names = _field_names(layout, Kind(kind), field)
    if not names and len(group.paths) > MOST_READ:
        msg = f"there are {len(group.paths)} records of the kind {kind}: name a field and its value"
        raise CannotRead(msg)
    every = layout.records.holding(value, group) if names else layout.records.read(group.paths)
    found = [each for each in every if not names or any(_is_value(each.data.get(name), value) for name in names)]
    shown = [each for each in found if _is_visible(layout, each, Kind(kind))]
    told = [{"path": each.path, "id": each.id, "owner": each.owner, "state": each.state} for each in shown]
    return Finding(told, tuple(reference_to(each, Kind(kind)) for each in shown), _HIDDEN * (len(shown) < len(found)))


def _field_names(layout: ShopLayout, kind: Kind, field: str) -> tuple[str, ...]:
    """Return what a field is called in records. Raises `CannotRead` if no sample of the kind has it."""
    names = {"owner": layout.keys.owner, "state": layout.keys.state}.get(field, (field,)) if field else ()
    known = {key for each in layout.samples(kind) for key in each}
    if names and not known & set(names):
        msg = f"no record of the kind {kind} shows a field {field!r}, but {', '.join(sorted(known))}"
        raise CannotRead(msg)
    return names


def _is_value(held: object, value: str) -> bool:
    text = str(held).lower() if isinstance(held, bool) else str(held)
    return text.casefold() == value.casefold() or is_same_id(text, value)


def _is_visible(layout: ShopLayout, record: Record, kind: Kind | None) -> bool:
    """Say whether whoever asks may see a record: customers no staff, and only their own of what has an owner."""
    owner = record.owner if kind in _CHANGED_BY_OWNERS else ""
    return layout.asker.may_cite(owner) and (kind is not Kind.EMPLOYEE or layout.asker.is_staff)


def linked_records(reader: WorkspaceReader, record: str) -> Finding[list[dict[str, str]]]:
    """Return the records that a record names, and those that name it, each with `path`, `id` and `kind`.

    Only what whoever asks may see; a note says if something was left out. Products and branches that name it are none.
    """
    layout = ShopLayout(reader)
    origin = named_record(layout, record)
    names = {path for link in _texts_in(origin.data) if (path := layout.records.path_of(link))} - {origin.path}
    named_by = [each for each in layout.records.holding(origin.id) if origin.id in set(_texts_in(each.data))]
    every = [*layout.records.read(sorted(names)), *(each for each in named_by if each.path not in names)]
    linked = [(each, layout.kind_of(each.path)) for each in every if each.path != origin.path]
    shown = [(each, kind) for each, kind in linked if _is_visible(layout, each, kind)]
    value = [{"path": each.path, "id": each.id, "kind": str(kind or "")} for each, kind in shown]
    notes = _HIDDEN * (len(shown) < len(linked))
    return Finding(value, tuple(reference_to(each, kind) for each, kind in shown), notes)


def _texts_in(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for key, each in value.items() if key != "id" for text in _texts_in(each)]
    return [text for each in value for text in _texts_in(each)] if isinstance(value, list) else []
