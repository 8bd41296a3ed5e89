"""Gives the fields of a shop's records the names that the rules use, told by what the fields hold.

Shops call the same field differently; an owner's id, an instant or the rows of stock look alike everywhere. A field
that cannot be told from another keeps its own name, so that a rule that needs it finds nothing and does not apply.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from benchmarks.shop.language.record_kinds import Kind, kind_of_id
from toolkit.layout import is_foreign_id
from toolkit.stock import CountFields, count_fields, delivery_fields

Data: TypeAlias = Mapping[str, Any]
Holds: TypeAlias = Callable[[object, Data], bool]
_INSTANT: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_STATE: Final = re.compile(r"[a-z][a-z0-9_]*")
_CENTS: Final = re.compile(r"(?:^|_)(?:cents?|ct)$")
"""The unit at the end of a field's name."""


def is_instant(value: object) -> bool:
    """Say whether a value is an instant in UTC."""
    return isinstance(value, str) and _INSTANT.fullmatch(value) is not None


def is_state(value: object) -> bool:
    """Say whether a value may be a state: a name in lower case that is no id."""
    return isinstance(value, str) and _STATE.fullmatch(value) is not None and not _is_numbered(value)


def _is_numbered(value: str) -> bool:
    """Say whether a value is formed like the id of a record: with a number of its own, or with the word for a kind."""
    return any(map(str.isdigit, re.split("[-_]", value))) or kind_of_id(value) is not None


def _number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _names(kind: Kind) -> Holds:
    return lambda value, data: kind_of_id(str(value)) is kind


def _owner(value: object, data: Data) -> bool:
    return is_foreign_id(value, lambda name: kind_of_id(name) is not None)


def _instant(value: object, data: Data) -> bool:
    return is_instant(value)


def _state(value: object, data: Data) -> bool:
    return is_state(value)


def _object(value: object, data: Data) -> bool:
    return isinstance(value, dict)


def _rows(value: object, data: Data) -> bool:
    return isinstance(value, list) and all(isinstance(each, dict) and "sku" in each for each in value)


def _words(value: object, data: Data) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, str) for each in value)


def _begins(beginning: str) -> Holds:
    return lambda value, data: isinstance(value, str) and value.startswith(f"{beginning}-")


def _brand(value: object, data: Data) -> bool:
    name = str(data.get("name", ""))
    return isinstance(value, str) and name.startswith(f"{value} ")


_FIELDS: Final[Mapping[Kind | None, Mapping[str, Holds]]] = {
    Kind.BASKET: {
        "customer_id": _owner,
        "store_id": _names(Kind.STORE),
        "status": _state,
        "created_at": _instant,
        "lines": _rows,
        "discount": _object,
    },
    Kind.PAYMENT: {
        "basket_id": _names(Kind.BASKET),
        "customer_id": _owner,
        "store_id": _names(Kind.STORE),
        "status": _state,
        "created_at": _instant,
        "verification": _object,
    },
    Kind.RETURN: {"customer_id": _owner, "payment_id": _names(Kind.PAYMENT), "created_at": _instant},
    Kind.EMPLOYEE: {"store_id": _names(Kind.STORE), "roles": _words},
    Kind.STORE: {"is_open": lambda value, data: isinstance(value, bool), "inventory": _rows},
    Kind.PRODUCT: {
        "brand": _brand,
        "category_id": _begins("cat"),
        "kind_id": _begins("kind"),
        "family_id": _begins("fam"),
        "properties": _object,
    },
}


def fields_by_name(kind: Kind | None, data: Data, status: str = "") -> dict[str, str]:
    """Return what the fields of a record are called in it, by the names that the rules use.

    `status` is the name under which other records of the workspace hold their state, for records with several words.
    """
    found = {}
    for name, holds in _FIELDS.get(kind, {}).items():
        fitting = [field for field, value in data.items() if field != "id" and holds(value, data)]
        if len(fitting) == 1:
            found[name] = fitting[0]
    if kind is Kind.RETURN and is_state(data.get(status)):
        found["status"] = status
    if kind is Kind.PRODUCT:
        prices = [field for field, value in data.items() if _number(value) and _CENTS.search(field)]
        known = {"id", "sku", "name", *found.values(), *prices}
        left = [field for field, value in data.items() if field not in known and (is_state(value) or _number(value))]
        found |= {"price_cents": prices[0]} if len(prices) == 1 else {}
        found |= {"fulfilment": left[0]} if len(left) == 1 else {}
    return found


def renamed(kind: Kind | None, data: Data, fields: Mapping[str, str]) -> dict[str, Any]:
    """Return a record under the names that the rules use, `fields` by them, and everything else in it as it is."""
    names = {field: name for name, field in fields.items()}
    found = {names.get(field, field): value for field, value in data.items()}
    found |= {names[field]: value for field, value in data.items() if field in names}
    if kind is Kind.BASKET and _rows(found.get("lines"), found):
        found["lines"] = [_line(each) for each in found["lines"]]
    if kind is Kind.STORE and _rows(found.get("inventory"), found):
        found["inventory"] = stock_rows(found["inventory"])
    if kind is Kind.PAYMENT and isinstance(found.get("verification"), dict):
        found["verification"] = _verification(found["verification"])
    return found


def _line(line: Data) -> Data:
    numbers = [value for value in line.values() if _number(value)]
    return {"sku": line["sku"], "quantity": numbers[0]} if len(numbers) == 1 == len(line) - 1 else line


def stock_rows(rows: Sequence[Data]) -> list[Data]:
    """Return rows of stock under the names that the rules use; as they are if two readings are left."""
    counts = count_fields(rows)
    return list(rows) if counts is None else [_row(row, counts) for row in rows]


def _row(row: Data, counts: CountFields) -> Data:
    found = {"sku": row["sku"], "on_hand": row[counts.on_hand], "reserved": row[counts.reserved]}
    rest = [field for field in row if field not in ("sku", *counts)]
    if not rest:
        return found
    deliveries = [_delivery(each) for each in row[rest[0]]] if isinstance(row[rest[0]], list) else []
    if len(rest) > 1 or not deliveries or any(not each for each in deliveries):
        return row
    return {**found, "incoming": deliveries}


def _delivery(entry: object) -> Data:
    """Return a delivery's units and days, told by the unit in a field's name, or nothing."""
    if not isinstance(entry, dict) or not all(map(_number, entry.values())):
        return {}
    told = delivery_fields(entry)
    return {} if told is None else {"quantity": entry[told.quantity], "arrives_in_days": entry[told.days]}


def _verification(data: Data) -> Data:
    """Return a card verification under the names that the rules use: no more attempts are made than are allowed."""
    states = [value for value in data.values() if isinstance(value, str) and not is_instant(value)]
    instants = [value for value in data.values() if is_instant(value)]
    numbers = sorted(value for value in data.values() if _number(value))
    if len(states) != 1 or len(instants) != 1 or len(numbers) != 2 or len(data) != 4:
        return data
    return {"state": states[0], "attempts": numbers[0], "max_attempts": numbers[1], "retry_after": instants[0]}
