"""Names the parts of a record by what they hold, as fields are called otherwise in every workspace.

An id tells whose it is by its prefix, an instant and an address of mail by their form, a list by its rows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

ID: Final = re.compile(r"([a-z]+)[-_][a-z0-9][\w-]*")
OWNERS: Final = {
    "cust": "customer_id",
    "store": "store_id",
    "basket": "basket_id",
    "pay": "payment_id",
    "payment": "payment_id",
    "emp": "issuer_id",
    "fam": "family_id",
    "kind": "kind_id",
    "cat": "category_id",
}
INSTANT: Final = re.compile(r"\d{4}-\d\d-\d\dT[\d:]+Z")
STATE: Final = re.compile(r"[a-z0-9][a-z0-9_-]*[a-z0-9]")
PRICE: Final = re.compile(r"price|cents|_ct\b")
KEPT: Final = ("id", "sku", "name", "city")


def by_shape(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record under one set of names for its parts; what has no shape of its own keeps its name."""
    found: dict[str, Any] = {}
    for shown, value in data.items():
        name = shown if shown in KEPT else _name(shown, value, data, found)
        found[shown if name in found else name] = value if name == "properties" else _value(value)
    return found


def _value(value: Any) -> Any:
    if isinstance(value, dict):
        return by_shape(value)
    if isinstance(value, list):
        return [by_shape(each) if isinstance(each, dict) else each for each in value]
    return value


def _name(shown: str, value: Any, data: Mapping[str, Any], found: Mapping[str, Any]) -> str:
    if isinstance(value, bool):
        return "is_open" if "city" in data else shown
    if isinstance(value, int):
        return _number_name(shown, data, found)
    if isinstance(value, str):
        return _text_name(shown, value, data, found)
    if isinstance(value, list):
        return _list_name(value, shown)
    return _part_name(value, data) if isinstance(value, dict) else shown


def _text_name(shown: str, value: str, data: Mapping[str, Any], found: Mapping[str, Any]) -> str:
    owner = ID.fullmatch(value)
    if owner and owner[1] in OWNERS:
        return OWNERS[owner[1]]
    if INSTANT.fullmatch(value):
        return "created_at" if "id" in data else "retry_after"
    if "@" in value:
        return "email"
    if STATE.fullmatch(value) and "sku" not in data and "status" not in found:
        return "status"
    return shown


def _number_name(shown: str, data: Mapping[str, Any], found: Mapping[str, Any]) -> str:
    if "id" in data:
        return "price_cents" if "sku" in data and PRICE.search(shown) else shown
    numbers = [name for name, each in data.items() if isinstance(each, int) and not isinstance(each, bool)]
    at = numbers.index(shown)
    if "sku" in data:
        return ("quantity",)[at] if len(numbers) == 1 else ("on_hand", "reserved", shown)[min(at, 2)]
    if any(isinstance(each, str) and INSTANT.fullmatch(each) for each in data.values()):
        return ("attempts", "max_attempts", shown)[min(at, 2)]
    if len(numbers) == 2 and len(data) == 2:
        return "arrives_in_days" if "day" in shown else "quantity"
    return "percent" if len(numbers) == 1 and any("emp" in str(each) for each in data.values()) else shown


def _list_name(rows: list[Any], shown: str) -> str:
    if rows and all(isinstance(each, str) for each in rows):
        return "roles"
    if not rows or not all(isinstance(each, dict) for each in rows):
        return shown
    if "sku" not in rows[0]:
        return "incoming"
    numbers = [each for each in rows[0].values() if isinstance(each, int) and not isinstance(each, bool)]
    return "lines" if len(numbers) == 1 else "inventory"


def _part_name(part: Mapping[str, Any], data: Mapping[str, Any]) -> str:
    if "sku" in data:
        return "properties"
    is_timed = any(isinstance(each, str) and INSTANT.fullmatch(each) for each in part.values())
    return "verification" if is_timed else "discount"
