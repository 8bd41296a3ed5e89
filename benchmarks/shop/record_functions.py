"""Functions for scripts about records, people and the workspace as a whole.

A record is a file about one basket, payment, person or other thing. A script calls
`harness.tools.find_records("payments", "state", "paid")`, and gets the paid payments that the
asker may see. `layout_from_harness` makes the first argument, the `ShopLayout`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from difflib import get_close_matches
from typing import Any, Final

from controlplane.benchmarks.shop.branches import branch_called
from controlplane.benchmarks.shop.products import catalogue_of, notes_on_coming_days
from controlplane.benchmarks.shop.texts import (
    YesNoWords,
    asked_date,
    require,
    value_or_raise,
)
from controlplane.benchmarks.shop.workspace.fields import check_fields
from controlplane.benchmarks.shop.workspace.kinds import OWNED, RECORD_KINDS, Kind
from controlplane.benchmarks.shop.workspace.reading import is_same_id
from controlplane.benchmarks.shop.workspace.records import (
    MAX_READ_WITHOUT_SEARCH,
    RecordKeys,
    WorkspaceRecord,
    choose_record,
    open_records,
)
from controlplane.benchmarks.shop.workspace.staff import (
    is_visible,
    named_record,
    reference_to,
    role_holders,
)
from controlplane.benchmarks.shop.workspace.workspace import (
    ShopLayout,
    layout_from_harness,
)
from controlplane.sandbox.functions import CannotRead, FunctionResult, Reference

# Finds the records of a kind that have a value in a field, as a script names these.
#
# `find_records("payments", "owner", "cust-7")` names the kind in the plural, and `owner` for what
# the shop perhaps calls `customer_id`. A value may be part of a list or of an object, and is
# compared without regard to case and separators: `Cust 7`.


def _kind_called(name: str) -> Kind:
    """Return the kind with a singular or plural name: `branches` -> `Kind.BRANCH`.

    Raises `CannotRead` for any other name.
    """
    for kind in RECORD_KINDS:
        if name in (kind, f"{kind}s", f"{kind}es"):
            return kind
    msg = f"there is no kind {name!r}, but {', '.join(RECORD_KINDS)}"
    raise CannotRead(msg)


def _keys_called(layout: ShopLayout, kind: Kind, field: str) -> tuple[str, ...]:
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


def _has_value(record: WorkspaceRecord, keys: tuple[str, ...], value: str) -> bool:
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


_HIDDEN_RECORDS: Final = "records that are not the asker's to see were left out"
_MAX_CLOSEST: Final = 3
"""The number of closest records, or roles, that a note names."""


@layout_from_harness
def may_use(layout: ShopLayout, record: str) -> FunctionResult[dict[str, Any]]:
    """Return a record's owner and state, and whether the asker may `see`, `change` and `cite` it.

    `may_use("basket_1")` -> `{"owner": "cust_7", "state": "open", "see": True, "change": True,
    "cite": True, ...}`. Customers see neither people nor the records of others, and change only
    their own. Staff see all; `change` is None for them, and a note says that it depends on their
    role. Owner and state are empty if the asker may not see the record.
    """
    named = named_record(layout, record)
    kind = layout.kinds.of(named.path)
    value = {
        "path": named.path,
        "kind": str(kind or ""),
        "owner": "",
        "state": "",
        "see": False,
        "change": False,
        "cite": False,
    }
    if not is_visible(layout, named, kind):
        return FunctionResult(value)

    owner = named.owner if kind in OWNED else ""
    value |= {"owner": owner, "state": named.state, "see": True, "cite": True}
    notes: tuple[str, ...] = ()
    if layout.asker.is_staff:
        value["change"] = None
        notes = ("what staff may change depends on the role that the policy names",)
    else:
        value["change"] = layout.asker.owns(owner)
    return FunctionResult(value, (reference_to(named, kind),), notes)


@layout_from_harness
def find_records(
    layout: ShopLayout, kind: str, field: str = "", value: str = ""
) -> FunctionResult[list[dict[str, Any]]]:
    """Return the records of a kind that have a value in a field; without a field, all of them.

    `find_records("payments", "state", "paid")` -> `[{"path": "/proc/payments/pay_1.json", "id":
    "pay_1", "owner": "cust_3", "state": "paid"}]`. Rows of products have more. `owner` and `state`
    mean the fields that the shop uses for these. Records that the asker may not see are left out,
    and a note says so. Raises `CannotRead` for an unknown kind or field, and for too many records.
    """
    # 1. Check the arguments.
    record_kind = _kind_called(kind)
    group = layout.kinds.group(record_kind)
    # What records call the field: `("customer_id",)` for `owner`, and nothing without a field.
    keys = _keys_called(layout, record_kind, field)
    refusal = f"there are {len(group.paths)} records of the kind {record_kind}: name a field and its value"
    require(keys or len(group.paths) <= MAX_READ_WITHOUT_SEARCH, refusal)

    # 2. Read the records. A search finds candidates, with the value in any field.
    if keys:
        candidates = layout.records.with_words_in(group, value)
        records = [record for record in candidates if _has_value(record, keys, value)]
    else:
        candidates = layout.records.read(group.paths)
        records = candidates
    visible = [record for record in records if is_visible(layout, record, record_kind)]

    # 3. Note what was left out, or what comes closest: records with the value in another field.
    notes = []
    if len(visible) < len(records):
        notes.append(_HIDDEN_RECORDS)
    rows: list[dict[str, Any]] = []
    for record in visible:
        row = {
            "path": record.path,
            "id": record.id,
            "owner": record.owner,
            "state": record.state,
        }
        rows.append(row)
    if record_kind is Kind.PRODUCT:
        catalogue = catalogue_of(layout)
        products = [catalogue.product(record) for record in visible]
        for row, product in zip(rows, products, strict=True):
            row |= product.as_result  # `sku`, `name`, `price_cents`, `properties`
        notes += notes_on_coming_days(layout, products)
    if not records and value:
        closest = _closest_paths(layout, value, record_kind, candidates)
        notes.append(
            f"no {record_kind} holds {value!r} as its {field}; closest: {closest}"
        )
    references = [reference_to(record, record_kind) for record in visible]
    return FunctionResult(rows, tuple(references), tuple(notes))


def _closest_paths(
    layout: ShopLayout, value: str, kind: Kind, candidates: Sequence[WorkspaceRecord]
) -> str:
    """Return the paths that come closest to a value that no record has in the field asked for.

    They are those of `candidates`, which have the value in another field, if the asker may see
    them. If there are none, they are the paths whose names are most like the value: `pay_8` ->
    `/proc/payments/pay_7.json, ...`.
    """
    paths = [record.path for record in candidates if is_visible(layout, record, kind)]
    if paths:
        return ", ".join(paths[:_MAX_CLOSEST])
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

    # 2. Find the records that name it. The search finds the id anywhere in a record, even as a part
    #    of a text. A record names it if the whole text of a field is the id.
    for candidate in layout.records.with_words(origin.id):
        if candidate.path in paths or candidate.path == origin.path:
            continue
        if origin.id in _texts_in(candidate.data):
            linked.append(candidate)

    # 3. Report those that the asker may see.
    rows = []
    references = []
    notes: tuple[str, ...] = ()
    for linked_record in linked:
        kind = layout.kinds.of(linked_record.path)
        if is_visible(layout, linked_record, kind):
            row = {
                "path": linked_record.path,
                "id": linked_record.id,
                "kind": str(kind or ""),
            }
            rows.append(row)
            references.append(reference_to(linked_record, kind))
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
    # Nobody has the role. A note names the most similar roles of a few people who were read.
    other_roles: set[str] = set()
    for person_data in layout.kinds.samples(Kind.EMPLOYEE):
        other_roles.update(WorkspaceRecord("", person_data, layout.keys).roles)
    closest = get_close_matches(role, sorted(other_roles), n=_MAX_CLOSEST, cutoff=0)
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
    """Return when a payment's bank check may be retried, and how it stands.

    `retry_moment("pay_7")` -> `{"state": "locked", "attempts": 2, "max_attempts": 3, "retry_at":
    "2027-03-01T10:00:00Z", "passed": True, "payment_state": "open"}`. `passed` is true if the time
    `retry_at` has passed. Raises `CannotRead` for a payment without a bank check, or one that the
    asker may not see.
    """
    record = named_record(layout, payment)
    require(layout.kinds.of(record.path) is Kind.PAYMENT, f"{payment} is no payment")
    may_see = layout.asker.may_see(record.owner)
    require(may_see, f"{payment} is not the asker's: nothing is told of it")

    # Each shop has its own names for the fields of a check, and they are found by their values.
    # Those in a few other payments help to tell two numbers apart.
    fields = check_fields([record.data, *layout.kinds.samples(Kind.PAYMENT)])
    no_check = f"{payment} holds no bank check; its state is {record.state}"
    if fields is None:
        raise CannotRead(no_check)
    check = record.data.get(fields.check)
    if not check or not isinstance(check, dict):
        raise CannotRead(no_check)
    retry_at = check[fields.retry_at]
    value = {
        "state": check[fields.state],
        "attempts": check[fields.attempts],
        "max_attempts": check[fields.max_attempts],
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
    date = asked_date(request, layout.clock)
    refusal = "the request names no single day (today, tomorrow, ...) or no form such as DD-MM-YYYY"
    return FunctionResult(value_or_raise(date, refusal))


@layout_from_harness
def workspace_layout(layout: ShopLayout) -> FunctionResult[dict[str, Any]]:
    """Return the names that a shop uses: of folders, fields and states, and for yes and no.

    `{"roots": {"basket": "/proc/carts"}, "owner": "buyer", "state": "status", "time": "made",
    "open_state": "open", "policies": {"checkout": "/docs/checkout.md"}, "yes": "<YES>", "no":
    "<NO>"}`. A value that is not certain is empty, and a note says why.
    """
    notes: list[str] = []
    roots = {}
    for kind in RECORD_KINDS:
        group = layout.kinds.known_group(kind)
        if group is None:
            notes.append(f"no records of the kind {kind} are to be seen")
        else:
            roots[str(kind)] = group.root

    keys = RecordKeys(owner=(), state=(), time=())
    with _noted_refusal(notes):
        keys = layout.keys
    open_state = ""
    with _noted_refusal(notes):
        open_state = layout.open_state
    policies = dict(layout.policies.by_subject)
    yes_no = YesNoWords(yes="", no="")
    with _noted_refusal(notes):
        yes_no = layout.documents.yes_no

    value = {
        "roots": roots,
        "owner": _first_name(keys.owner),
        "state": _first_name(keys.state),
        "time": _first_name(keys.time),
        "open_state": open_state,
        "policies": policies,
        "yes": yes_no.yes,
        "no": yes_no.no,
    }
    return FunctionResult(value, (), tuple(dict.fromkeys(notes)))


@contextmanager
def _noted_refusal(notes: list[str]) -> Iterator[None]:
    """Add to `notes` why the code in the `with` block cannot read something, and go on after it."""
    try:
        yield
    except CannotRead as error:
        notes.append(str(error))


def _first_name(keys: Sequence[str]) -> str:
    """Return the first of a field's names; empty if none is known."""
    return keys[0] if keys else ""
