"""Functions for scripts about records, people and the workspace as a whole.

A record is a file about one basket, payment, person or other thing. For example,
`find_records(harness, "payments", "state", "paid")` returns the paid payments that the asker
may see.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any, Final

from controlplane.benchmarks.shop.branches.branch_searches import branch_called
from controlplane.benchmarks.shop.certain_values import require, value_or_raise
from controlplane.benchmarks.shop.field_values import (
    has_value,
    keys_called,
    kind_called,
)
from controlplane.benchmarks.shop.products.catalogue import catalogue_of
from controlplane.benchmarks.shop.products.coming_days import notes_on_coming_days
from controlplane.benchmarks.shop.requests import request_dates
from controlplane.benchmarks.shop.texts.yes_no_words import YesNoWords
from controlplane.benchmarks.shop.workspace.fields.check_fields import check_fields
from controlplane.benchmarks.shop.workspace.kinds import OWNED, RECORD_KINDS, Kind
from controlplane.benchmarks.shop.workspace.named_records import (
    is_visible,
    named_record,
    reference_to,
)
from controlplane.benchmarks.shop.workspace.record_ids import is_same_id
from controlplane.benchmarks.shop.workspace.records.record import Record
from controlplane.benchmarks.shop.workspace.records.record_searches import (
    choose_record,
    open_records,
)
from controlplane.benchmarks.shop.workspace.records.workspace_records import (
    MAX_READ_WITHOUT_SEARCH,
)
from controlplane.benchmarks.shop.workspace.staff import role_holders
from controlplane.benchmarks.shop.workspace.workspace import (
    ShopLayout,
    layout_from_harness,
)
from controlplane.sandbox.functions import CannotRead, FunctionResult, Reference

_HIDDEN_RECORDS: Final = "records that are not the asker's to see were left out"
MAX_CLOSEST: Final = 3
"""The number of closest records, or roles, that a note names."""


@layout_from_harness
def may_use(layout: ShopLayout, record: str) -> FunctionResult[dict[str, Any]]:
    """Return a record's owner and state, and whether the asker may `see`, `change` and `cite` it.

    `may_use("basket_1")` -> `{"owner": "cust_7", "state": "open", "see": True, ...}`. Staff
    see all records. Others see neither people nor other customers' records, and change only
    their own. `change` is None for staff, because policies name the roles that may change a
    record; a note says so. The record's state does not matter. Owner and state are empty if
    the asker may not see the record.
    """
    named = named_record(layout, record)
    asker = layout.asker
    kind = layout.kinds.of(named.path)
    owner = named.owner if kind in OWNED else ""
    can_be_seen = is_visible(layout, named, kind)
    may_change: bool | None
    notes: tuple[str, ...] = ()
    if asker.is_staff:
        may_change = None
        notes = ("what staff may change depends on the role that the policy names",)
    else:
        may_change = bool(owner) and asker.is_customer and is_same_id(owner, asker.user)
    value = {
        "path": named.path,
        "kind": str(kind or ""),
        "owner": owner if can_be_seen else "",
        "state": named.state if can_be_seen else "",
        "see": can_be_seen,
        "change": may_change,
        "cite": can_be_seen,
    }
    references = (reference_to(named, kind),) if can_be_seen else ()
    return FunctionResult(value, references, notes)


@layout_from_harness
def find_records(
    layout: ShopLayout, kind: str, field: str = "", value: str = ""
) -> FunctionResult[list[dict[str, Any]]]:
    """Return the records of a kind that have a value in a field.

    `find_records("payments", "state", "paid")` -> `[{"path": "/proc/payments/pay_1.json", "id":
    "pay_1", "owner": "cust_3", "state": "paid"}]`. The rows of products also have `sku`, `name`,
    `price_cents` and `properties`. `field` is the name of a field in records, or `owner` or
    `state`, whatever the shop calls these. If it is empty, all records are returned. Records
    that the asker may not see are left out, and a note says so. Raises `CannotRead` for an
    unknown kind or field, and for too many records.
    """
    # 1. Check the arguments.
    record_kind = kind_called(kind)
    group = layout.kinds.group(record_kind)
    keys = keys_called(layout, record_kind, field)
    refusal = f"there are {len(group.paths)} records of the kind {record_kind}: name a field and its value"
    require(keys or len(group.paths) <= MAX_READ_WITHOUT_SEARCH, refusal)

    # 2. Read the records. The search finds candidates with the value in any field. Those with it
    #    in the field asked for remain.
    if keys:
        candidates = layout.records.with_words_in(group, value)
        records = [record for record in candidates if has_value(record, keys, value)]
    else:
        candidates = layout.records.read(group.paths)
        records = candidates

    # 3. Report those that the asker may see.
    visible = [record for record in records if is_visible(layout, record, record_kind)]
    rows = []
    products = []
    for record in visible:
        row = {
            "path": record.path,
            "id": record.id,
            "owner": record.owner,
            "state": record.state,
        }
        if record_kind is Kind.PRODUCT:
            product = catalogue_of(layout).form.product(record)
            products.append(product)
            row |= product.as_result
        rows.append(row)
    references = tuple(reference_to(record, record_kind) for record in visible)

    # 4. Note what was left out, or what comes closest: records with the value in another field.
    notes = []
    if len(visible) < len(records):
        notes.append(_HIDDEN_RECORDS)
    if record_kind is Kind.PRODUCT:
        notes += notes_on_coming_days(layout, products)
    if not records and value:
        closest = _closest_paths(layout, value, record_kind, candidates)
        notes.append(
            f"no {record_kind} holds {value!r} as its {field}; closest: {closest}"
        )
    return FunctionResult(rows, references, tuple(notes))


def _closest_paths(
    layout: ShopLayout, value: str, kind: Kind, candidates: Sequence[Record]
) -> str:
    """Return the paths that come closest to a value that no record has in the field asked for.

    They are those of visible candidates, which have the value in another field, or else those
    whose names are like the value: `pay_8` -> `/proc/payments/pay_7.json, ...`.
    """
    paths = [record.path for record in candidates if is_visible(layout, record, kind)]
    if paths:
        return ", ".join(paths[:MAX_CLOSEST])
    return layout.files.closest(value, layout.kinds.group(kind).paths)


@layout_from_harness
def linked_records(
    layout: ShopLayout, record: str
) -> FunctionResult[list[dict[str, str]]]:
    """Return the records that a record names, then those that name it: `path`, `id` and `kind`.

    `linked_records("ret_1")` -> `[{"path": "/proc/payments/pay_7.json", "id": "pay_7", "kind":
    "payment"}]`, the payment that the return names. Records that the asker may not see are
    left out, and a note says so.
    """
    origin = named_record(layout, record)

    # 1. Find the records that the record names.
    paths: set[str] = set()
    for text in _texts_in(origin.data):
        path = layout.records.files.path_of(text)
        if path is not None and path != origin.path:
            paths.add(path)
    linked = layout.records.read(sorted(paths))

    # 2. Find the records that name it. The search finds the id anywhere in a record, in any
    #    spelling. `_texts_in` are the values of fields, one of which must be the id.
    for candidate in layout.records.with_words(origin.id):
        is_new = candidate.path not in paths and candidate.path != origin.path
        if is_new and origin.id in _texts_in(candidate.data):
            linked.append(candidate)

    # 3. Report those that the asker may see.
    rows = []
    references = []
    notes: tuple[str, ...] = ()
    for other in linked:
        kind = layout.kinds.of(other.path)
        if is_visible(layout, other, kind):
            rows.append({"path": other.path, "id": other.id, "kind": str(kind or "")})
            references.append(reference_to(other, kind))
        else:
            notes = (_HIDDEN_RECORDS,)
    return FunctionResult(rows, tuple(references), notes)


def _texts_in(value: object) -> list[str]:
    """Return all texts in a value and its parts, except those in fields called `id`.

    `{"id": "ret_1", "payment": {"ref": "pay_7"}, "items": ["AB-1"]}` -> `["pay_7", "AB-1"]`
    """
    if isinstance(value, str):
        return [value]
    texts: list[str] = []
    if isinstance(value, dict):
        for key, part in value.items():
            if key != "id":
                texts += _texts_in(part)
    elif isinstance(value, list):
        for part in value:
            texts += _texts_in(part)
    return texts


@layout_from_harness
def read_all(layout: ShopLayout, path: str) -> FunctionResult[str]:
    """Return the whole text of a file, even if one read returns only the first lines."""
    text = layout.files.text_of(path)
    reference = Reference(path, f"{path} with its {len(text.splitlines())} lines")
    return FunctionResult(text, (reference,))


@layout_from_harness
def who_asks(layout: ShopLayout) -> FunctionResult[dict[str, Any]]:
    """Return the asker's `user` and `roles`, and what the asker `is`: customer, staff or guest."""
    asker = layout.asker
    if asker.is_staff:
        kind = "staff"
    elif asker.is_customer:
        kind = "customer"
    else:
        kind = "guest"
    return FunctionResult(
        {"user": asker.user, "roles": sorted(asker.roles), "is": kind}
    )


@layout_from_harness
def staff_with_role(
    layout: ShopLayout, role: str, branch: str = ""
) -> FunctionResult[int]:
    """Return the number of people with a role, at one branch if it is given.

    `staff_with_role("floor_lead", "Graz Centre")` -> 3. If nobody has the role, a note names
    roles with similar names. Raises `CannotRead` for an unknown branch.
    """
    require(role.strip(), "no role is named")
    branch_record = branch_called(layout, branch) if branch else None
    holders = role_holders(layout.records, role, branch_record)
    if holders.value:
        return holders
    # Nobody has the role. A note names the roles of a few sampled people.
    other_roles: set[str] = set()
    for person in layout.kinds.samples(Kind.EMPLOYEE):
        other_roles.update(Record("", person, layout.keys).roles)
    closest = get_close_matches(role, sorted(other_roles), n=MAX_CLOSEST, cutoff=0)
    note = f"nobody has the role {role!r} there; roles of others: {', '.join(closest)}"
    return replace(holders, notes=(*holders.notes, note))


@layout_from_harness
def pick_basket(layout: ShopLayout, selector: str = "") -> FunctionResult[list[str]]:
    """Return the ids of the customer's open baskets, newest first: `["basket_2", "basket_1"]`.

    The selector `newest` or `oldest` picks one of them. If there are several and no
    selector, the customer must be asked which one is meant. Raises `CannotRead` if the
    asker is not a customer.
    """
    is_known = selector in ("", "newest", "oldest")
    require(is_known, f"selector is newest, oldest or empty, not {selector!r}")
    asker = layout.asker
    who = asker.user or "the asker"
    require(asker.is_customer, f"only a customer has baskets; {who} is not a customer")
    state = layout.open_state
    own = open_records(layout.records, asker, {state}, layout.kinds.group(Kind.BASKET))
    chosen = choose_record(own, selector)
    references = []
    for basket in chosen:
        references.append(
            Reference(basket.path, f"basket {basket.id} is {basket.state}")
        )
    notes = () if own else (f"{asker.user} has no basket in the state {state}",)
    return FunctionResult([basket.id for basket in chosen], tuple(references), notes)


@layout_from_harness
def retry_moment(layout: ShopLayout, payment: str) -> FunctionResult[dict[str, Any]]:
    """Return when a payment's bank check may be retried, and what it has come to.

    The value has the check's `state`, its `attempts`, their limit `max_attempts`, the time
    `retry_at`, `passed`, which is true if that time has passed, and `payment_state`, the
    state of the payment itself. Raises `CannotRead` for a payment without a bank check,
    or one that the asker may not see.
    """
    record = named_record(layout, payment)
    require(layout.kinds.of(record.path) is Kind.PAYMENT, f"{payment} is no payment")
    is_visible = layout.asker.may_see(record.owner)
    require(is_visible, f"{payment} is not the asker's: nothing is told of it")

    # Shops call the fields of a check as they like. Samples of other payments help to find
    # out their names if this payment has no check.
    names = check_fields([record.data, *layout.kinds.samples(Kind.PAYMENT)])
    no_check = f"{payment} holds no bank check; its state is {record.state}"
    if names is None:
        raise CannotRead(no_check)
    check = record.data.get(names.check)
    if not check or not isinstance(check, dict):
        raise CannotRead(no_check)
    retry_at = check[names.retry_at]
    value = {
        "state": check[names.state],
        "attempts": check[names.attempts],
        "max_attempts": check[names.max_attempts],
        "retry_at": retry_at,
        "passed": str(retry_at) <= layout.clock,  # ISO times compare as texts.
        "payment_state": record.state,
    }
    return FunctionResult(value, (reference_to(record, Kind.PAYMENT),))


@layout_from_harness
def relative_date(layout: ShopLayout, request: str) -> FunctionResult[str]:
    """Return the date that a request asks for, in the format that it asks for.

    `relative_date("the date in a week as DD-MM-YYYY")` -> `08-03-2027`. Raises `CannotRead`
    if the request does not name a day and a format.
    """
    date = request_dates.relative_date(request, layout.clock)
    refusal = "the request names no single day (today, tomorrow, ...) or no form such as DD-MM-YYYY"
    return FunctionResult(value_or_raise(date, refusal))


@layout_from_harness
def workspace_layout(layout: ShopLayout) -> FunctionResult[dict[str, Any]]:
    """Return the names that a shop uses: of folders, fields and states, and for yes and no.

    `roots` are the folders by kind of record. `owner`, `state` and `time` are names of
    fields. `open_state` is the state of open baskets. `policies` are paths by subject.
    A value that is not certain is empty, and a note says why.
    """
    notes: list[str] = []
    roots = {}
    for kind in RECORD_KINDS:
        group = layout.kinds.known_group(kind)
        if group is None:
            notes.append(f"no records of the kind {kind} are to be seen")
        else:
            roots[str(kind)] = group.root

    field_names = {"owner": "", "state": "", "time": ""}
    try:
        field_names["owner"] = _first_name(layout.keys.owner)
        field_names["state"] = _first_name(layout.keys.state)
        field_names["time"] = _first_name(layout.keys.time)
    except CannotRead as error:
        notes.append(str(error))
    open_state = ""
    try:
        open_state = layout.open_state
    except CannotRead as error:
        notes.append(str(error))
    policies = dict(layout.policies.by_subject)
    yes_no = YesNoWords(yes="", no="")
    try:
        yes_no = layout.documents.yes_no
    except CannotRead as error:
        notes.append(str(error))

    value = {
        "roots": roots,
        **field_names,
        "open_state": open_state,
        "policies": policies,
        "yes": yes_no.yes,
        "no": yes_no.no,
    }
    return FunctionResult(value, (), tuple(dict.fromkeys(notes)))


def _first_name(keys: Sequence[str]) -> str:
    """Return the first of a field's names; empty if none is known."""
    return keys[0] if keys else ""
