"""Learns what a shop calls the fields of its records from samples of baskets and employees.

For example, `{"id": "basket_1", "buyer": "cust-7", "stage": "open", "made": "2027-03-01"}`
shows that `buyer` is the owner, `stage` the state and `made` the time.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from controlplane.benchmarks.shop.certain_values import require
from controlplane.benchmarks.shop.workspace.field_shapes import (
    Data,
    Shape,
    keys_of,
    shape_of,
)
from controlplane.benchmarks.shop.workspace.fields.branch_fields import person_name_key
from controlplane.benchmarks.shop.workspace.record_ids import folded_id
from controlplane.benchmarks.shop.workspace.records.record import RecordKeys
from controlplane.benchmarks.shop.workspace.shop_documents import ShopDocuments


def learned_keys(
    baskets: Sequence[Data],
    people: Sequence[Data],
    record_ids: Collection[str],
    documents: ShopDocuments,
) -> RecordKeys:
    """Return the names of fields: a record's owner, state and time, a person's name and roles.

    `record_ids` are the ids of all records, in one spelling (`folded_id`): `basket1`. The owner
    decides who may see a record, so exactly one field is returned for it. Raises `CannotRead` if
    that field is not certain. For the state and the others, all fields that fit in any sample
    are returned.
    """
    state_keys = []
    time_keys = []
    for basket in baskets:
        state_keys += _state_keys(basket, record_ids)
        time_keys += keys_of(basket, Shape.INSTANT)
    name_keys = []
    role_keys = []
    for person in people:
        name_keys.append(person_name_key(person))
        role_keys += keys_of(person, Shape.WORDS)
    return RecordKeys(
        owner=(_owner_key(baskets, record_ids, documents),),
        state=_each_once(state_keys),
        time=_each_once(time_keys),
        # Records of branches and others often call this field `name`.
        name=(*_each_once(name_keys), "name"),
        roles=_each_once(role_keys),
    )


def _state_keys(basket: Data, record_ids: Collection[str]) -> list[str]:
    """Return the fields of a basket whose value is one word that is not the id of a record."""
    keys = []
    for key in keys_of(basket, Shape.WORD):
        if folded_id(str(basket[key])) not in record_ids:
            keys.append(key)
    return keys


def _owner_key(
    baskets: Sequence[Data], record_ids: Collection[str], documents: ShopDocuments
) -> str:
    """Return the field of a basket that names its customer: `buyer` of `{"buyer": "cust-7"}`.

    Customers have no records, so it is the field with ids of which no record exists. Raises
    `CannotRead` if the field is not certain. `record_ids` are folded.
    """
    # 1. `{"id": "basket_1", "buyer": "cust-7", "payment": "pay_7"}` has three fields with ids. Those
    #    of the basket and the payment have records, and that of the customer has none.
    id_keys = {key for basket in baskets for key in keys_of(basket, Shape.ID)}
    keys_without_records = {
        key for key in id_keys if _has_no_records(key, baskets, record_ids)
    }
    owner_keys = keys_without_records or id_keys

    # 2. If this does not single out one field, it is the only one that documents put in backticks.
    if len(keys_without_records) != 1:
        owner_keys = owner_keys.intersection(documents.marked)
    require(
        len(owner_keys) == 1,
        "it is not certain which field of a basket names its customer",
    )
    return next(iter(owner_keys))


def _has_no_records(
    key: str, baskets: Sequence[Data], record_ids: Collection[str]
) -> bool:
    """Return True if a field of baskets always has an id of which no record exists."""
    for basket in baskets:
        if key not in basket:
            continue
        value = basket[key]
        if shape_of(value) is not Shape.ID or folded_id(str(value)) in record_ids:
            return False
    return True


def _each_once(names: Sequence[str]) -> tuple[str, ...]:
    """Return names without repetitions, in the same order."""
    return tuple(dict.fromkeys(names))
