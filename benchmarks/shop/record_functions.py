"""Functions about records and people: the asker, the rights to a record, its links, its dates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from controlplane.benchmarks.shop.branches import branch_called
from controlplane.benchmarks.shop.catalogue import catalogue_of
from controlplane.benchmarks.shop.field_names import check_fields
from controlplane.benchmarks.shop.kinds import OWNED, RECORD_KINDS, Kind
from controlplane.benchmarks.shop.records import (
    MOST_READ,
    Record,
    choose_record,
    id_of,
    is_same_id,
    open_records,
    role_holders,
)
from controlplane.benchmarks.shop.request_dates import relative_date as date_asked
from controlplane.benchmarks.shop.text import sure
from controlplane.benchmarks.shop.workspace import ShopLayout, on_harness, text_of
from controlplane.sandbox.functions import CannotRead, FunctionResult, Reference

_HIDDEN = ("records that are not the asker's to see were left out",)


def named_record(layout: ShopLayout, name: str) -> Record:
    """Return the one record with an id or a path. Raises `CannotRead` for none or several, with the closest ones."""
    record = layout.records.at(name) if name in layout.paths else layout.records.record(id_of(name))
    if record is None:
        msg = f"no single record is called {name!r}; closest: {layout.closest(name)}"
        raise CannotRead(msg)
    return record


def reference_to(record: Record, kind: Kind | None) -> Reference:
    """Return the reference to a record, with its kind, its id and its name as the reason."""
    name = "" if record.name in ("", record.id) else f", {record.name}"
    return Reference(record.path, f"the {kind or 'record'} {record.id}{name}")


@on_harness
def may_use(layout: ShopLayout, record: str) -> FunctionResult[dict[str, Any]]:
    """Return a record's owner and state, and whether the asker may `see`, `change` and `cite` it.

    Staff see all; customers see and change their own. The changes of staff depend on roles that policies name: `change`
    is None, and a note says so. The state does not matter here; owner and state are empty if the asker may not see the
    record.
    """
    named, asker = named_record(layout, record), layout.asker
    kind = layout.kind_of(named.path)
    owner = named.owner if kind in OWNED else ""
    sees = _is_visible(layout, named, kind)
    changes = (
        None
        if asker.is_staff
        else bool(owner) and asker.is_customer and is_same_id(owner, asker.user)
    )
    value = {
        "path": named.path,
        "kind": str(kind or ""),
        "owner": owner if sees else "",
        "state": named.state if sees else "",
        "see": sees,
        "change": changes,
        "cite": sees,
    }
    notes = (
        ("what staff may change depends on the role that the policy names",)
        if asker.is_staff
        else ()
    )
    return FunctionResult(value, (reference_to(named, kind),) if sees else (), notes)


@on_harness
def find_records(
    layout: ShopLayout, kind: str, field: str = "", value: str = ""
) -> FunctionResult[list[dict[str, Any]]]:
    """Return the records of a kind with a value in some field, each with `path`, `id`, `owner`, `state`; products also
    as `match_products` tells them.

    `field` is its name in records, or `owner` or `state`; without a field all records of the kind are meant. Records
    that the asker may not see are left out, and a note says so. Raises `CannotRead` for an unknown kind or field, and
    for too many records.
    """
    kinds = {str(record_kind) for record_kind in RECORD_KINDS}
    kind = next((known for known in kinds if kind in (f"{known}s", f"{known}es")), kind)
    sure(kind in kinds, f"there is no kind {kind!r}, but {', '.join(RECORD_KINDS)}")
    group = layout.group(Kind(kind))
    names = _field_names(layout, Kind(kind), field)
    is_small = len(group.paths) <= MOST_READ
    sure(
        names or is_small,
        f"there are {len(group.paths)} records of the kind {kind}: name a field and its value",
    )
    every = layout.records.holding(value, group) if names else layout.records.read(group.paths)
    records = [
        record
        for record in every
        if not names or any(_is_value(record.data.get(name), value) for name in names)
    ]
    shown = [record for record in records if _is_visible(layout, record, Kind(kind))]
    catalogue = catalogue_of(layout)
    rows = [
        {"path": record.path, "id": record.id, "owner": record.owner, "state": record.state}
        | (catalogue.product(record).reported if kind == Kind.PRODUCT else {})
        for record in shown
    ]
    notes = _HIDDEN * (len(shown) < len(records))
    notes += catalogue.coming_days(map(catalogue.product, shown)) if kind == Kind.PRODUCT else ()
    if not records and value:
        near = [record.path for record in every if _is_visible(layout, record, Kind(kind))]
        closest = ", ".join(near[:3]) or layout.closest(value, group.paths)
        notes = (f"no {kind} holds {value!r} as its {field}; closest: {closest}",)
    return FunctionResult(rows, tuple(reference_to(record, Kind(kind)) for record in shown), notes)


def _field_names(layout: ShopLayout, kind: Kind, field: str) -> tuple[str, ...]:
    """Return a field's names in records. Raises `CannotRead` if no sample of the kind has the field."""
    names = (
        {"owner": layout.keys.owner, "state": layout.keys.state}.get(field, (field,))
        if field
        else ()
    )
    fields = {key for sample in layout.samples(kind) for key in sample}
    why = f"no record of the kind {kind} shows a field {field!r}, but {', '.join(sorted(fields))}"
    sure(not names or fields & set(names), why)
    return names


def _is_value(held: object, value: str) -> bool:
    if isinstance(held, list | dict):
        return any(
            _is_value(part, value) for part in (held.values() if isinstance(held, dict) else held)
        )
    text = str(held).lower() if isinstance(held, bool) else str(held)
    return text.casefold() == value.casefold() or is_same_id(text, value)


def _is_visible(layout: ShopLayout, record: Record, kind: Kind | None) -> bool:
    """Say whether the asker may see a record: customers do not see staff, and of owned records only their own."""
    owner = record.owner if kind in OWNED else ""
    return layout.asker.may_cite(owner) and (kind is not Kind.EMPLOYEE or layout.asker.is_staff)


@on_harness
def linked_records(layout: ShopLayout, record: str) -> FunctionResult[list[dict[str, str]]]:
    """Return the records that a record names, and those that name it, each with `path`, `id` and `kind`.

    Records that the asker may not see are left out, and a note says so.
    """
    origin = named_record(layout, record)
    names = {path for link in _texts_in(origin.data) if (path := layout.records.path_of(link))} - {
        origin.path
    }
    named_by = [
        other
        for other in layout.records.holding(origin.id)
        if origin.id in set(_texts_in(other.data))
    ]
    every = [
        *layout.records.read(sorted(names)),
        *(other for other in named_by if other.path not in names),
    ]
    linked = [(other, layout.kind_of(other.path)) for other in every if other.path != origin.path]
    shown = [(other, kind) for other, kind in linked if _is_visible(layout, other, kind)]
    value = [{"path": other.path, "id": other.id, "kind": str(kind or "")} for other, kind in shown]
    notes = _HIDDEN * (len(shown) < len(linked))
    return FunctionResult(value, tuple(reference_to(other, kind) for other, kind in shown), notes)


def _texts_in(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for key, inner in value.items() if key != "id" for text in _texts_in(inner)]
    return [text for inner in value for text in _texts_in(inner)] if isinstance(value, list) else []


@on_harness
def read_all(layout: ShopLayout, path: str) -> FunctionResult[str]:
    """Return the whole text of a file, even if one read returns only its first lines."""
    text = text_of(layout, path)
    return FunctionResult(
        text, (Reference(path, f"{path} with its {len(text.splitlines())} lines"),)
    )


@on_harness
def who_asks(layout: ShopLayout) -> FunctionResult[dict[str, Any]]:
    """Return `user`, `roles` and `is`: customer, staff or guest."""
    asker = layout.asker
    kind = "staff" if asker.is_staff else "customer" if asker.is_customer else "guest"
    return FunctionResult({"user": asker.user, "roles": sorted(asker.roles), "is": kind})


@on_harness
def staff_with_role(layout: ShopLayout, role: str, branch: str = "") -> FunctionResult[int]:
    """Count the people with a role, at one branch if it is named. Raises `CannotRead` for an unknown branch."""
    sure(role.strip(), "no role is named")
    holders = role_holders(layout.records, role, branch_called(layout, branch) if branch else None)
    if holders.value:
        return holders
    roles = {
        held
        for person in layout.samples(Kind.EMPLOYEE)
        for held in Record("", person, layout.keys).roles
    }
    closest = ", ".join(get_close_matches(role, sorted(roles), n=3, cutoff=0))
    return replace(
        holders,
        notes=(*holders.notes, f"nobody has the role {role!r} there; roles of others: {closest}"),
    )


@on_harness
def pick_basket(layout: ShopLayout, selector: str = "") -> FunctionResult[list[str]]:
    """Return the ids of the customer's open baskets, newest first, or the one that `newest` or `oldest` selects.

    Several ids without a selector call for a question. Raises `CannotRead` if the asker is not a customer.
    """
    sure(
        selector in ("", "newest", "oldest"),
        f"selector is newest, oldest or empty, not {selector!r}",
    )
    asker = layout.asker
    sure(
        asker.is_customer,
        f"only a customer has baskets; {asker.user or 'the asker'} is not a customer",
    )
    own = open_records(layout.records, asker, {layout.open_state}, layout.group(Kind.BASKET))
    chosen = choose_record(own, selector)
    refs = tuple(
        Reference(basket.path, f"basket {basket.id} is {basket.state}") for basket in chosen
    )
    notes = () if own else (f"{asker.user} has no basket in the state {layout.open_state}",)
    return FunctionResult([basket.id for basket in chosen], refs, notes)


@on_harness
def relative_date(layout: ShopLayout, request: str) -> FunctionResult[str]:
    """Return the date that a request means, in the request's form. Raises `CannotRead` without a day or a form."""
    why = "the request names no single day (today, tomorrow, ...) or no form such as DD-MM-YYYY"
    return FunctionResult(sure(date_asked(request, layout.clock), why))


@on_harness
def retry_moment(layout: ShopLayout, payment: str) -> FunctionResult[dict[str, Any]]:
    """Return a payment's bank check: `state`, `attempts`, `max_attempts`, `retry_at`, and whether that has `passed`.

    Raises `CannotRead` for a payment without a bank check, or a payment that the asker may not see.
    """
    record = named_record(layout, payment)
    sure(layout.kind_of(record.path) is Kind.PAYMENT, f"{payment} is no payment")
    sure(
        layout.asker.may_cite(record.owner), f"{payment} is not the asker's: nothing is told of it"
    )
    fields = check_fields([record.data, *layout.samples(Kind.PAYMENT)])
    held = record.data.get(fields.check) if fields is not None else None
    why = f"{payment} holds no bank check; its state is {record.state}"
    check = sure(held if isinstance(held, dict) else None, why)
    assert fields is not None
    value = {
        "state": check[fields.state],
        "attempts": check[fields.attempts],
        "max_attempts": check[fields.max_attempts],
        "retry_at": check[fields.retry_at],
    }
    value |= {"passed": str(value["retry_at"]) <= layout.clock, "payment_state": record.state}
    return FunctionResult(value, (reference_to(record, Kind.PAYMENT),))


@on_harness
def workspace_layout(layout: ShopLayout) -> FunctionResult[dict[str, Any]]:
    """Return `roots` by kind of record, the `owner`, `state` and `time` fields, the `open_state` of baskets,
    `policies` by subject, and the words for `yes` and `no`.

    Values that are not certain are empty, and a note says why.
    """
    notes: list[str] = []

    def or_empty(ask: Callable[[], str]) -> str:
        try:
            return ask()
        except CannotRead as error:
            notes.append(str(error))
            return ""

    groups = {
        str(kind): found for kind in RECORD_KINDS if (found := layout.known_group(kind)) is not None
    }
    notes += [
        f"no records of the kind {kind} are to be seen"
        for kind in RECORD_KINDS
        if str(kind) not in groups
    ]
    value = {
        "roots": {kind: group.root for kind, group in groups.items()},
        "owner": or_empty(lambda: "".join(layout.keys.owner)),
        "state": or_empty(lambda: "".join(layout.keys.state[:1])),
        "time": or_empty(lambda: "".join(layout.keys.time[:1])),
        "open_state": or_empty(lambda: layout.open_state),
        "policies": dict(layout.policies),
        "yes": or_empty(lambda: layout.yes_no[0]),
        "no": or_empty(lambda: layout.yes_no[1]),
    }
    return FunctionResult(value, (), tuple(dict.fromkeys(notes)))
