"""Chooses the branches of one world and the people who work there."""

from __future__ import annotations

import json
from importlib.resources import files
from random import Random
from typing import Final

from benchmarks.ecom.world.layout import Layout
from benchmarks.ecom.world.names import WorldNames
from benchmarks.ecom.world.shop_policy import Policy
from benchmarks.ecom.world.shop_records import Employee, Store

BRAND: Final = "Veerhaven"

_DATA: Final = json.loads((files(__package__) / "branches.json").read_text("utf-8"))
DISTRICTS: Final[list[list[str]]] = _DATA["districts"]
"""City, district, street and postal code of every possible branch."""

TITLES: Final = (
    "Branch Manager",
    "Customer Desk Lead",
    "Sales Advisor",
    "Sales Advisor",
    "Stock Clerk",
    "Dispatch Clerk",
    "Returns Clerk",
)


def choose_stores(rng: Random, layout: Layout) -> dict[str, Store]:
    """Return the 17 branches of one world by id, three of them closed."""
    kept = sorted(rng.sample(range(len(DISTRICTS)), len(DISTRICTS) - 2))
    closed = set(rng.sample(kept, 3))
    stores = {}
    for index in kept:
        city, district, street, postal = DISTRICTS[index]
        slug = f"{city[:3]}{layout.separator}{district}".lower()
        store = Store(
            id=f"store{layout.separator}{slug}",
            name=f"{BRAND} {city} {district}",
            district=district,
            street=street,
            postal_code=f"{postal} {rng.choice('ABCDEFGH')}{rng.choice('KLMNPRTX')}",
            city=city,
            is_open=index not in closed,
        )
        stores[store.id] = store
    return stores


def _roles(title: str, names: WorldNames, policy: Policy, rng: Random) -> list[str]:
    roles = ["employee"]
    match title:
        case "Branch Manager":
            roles.append(policy.lead_role)
        case "Customer Desk Lead":
            roles.append(names.roles["desk"])
        case "Stock Clerk":
            roles += [policy.stock_role] if rng.random() < 0.7 else []
        case "Returns Clerk":
            roles += [names.roles["viewer"]]
        case _:
            roles += [names.roles["packing"]] if rng.random() < 0.4 else []
    if rng.random() < 0.25:
        roles.append(policy.discount_role)
    if rng.random() < 0.25:
        roles.append(policy.refund_role)
    return roles


def choose_employees(rng: Random, names: WorldNames, policy: Policy, stores: dict[str, Store]) -> dict[str, Employee]:
    """Return seven employees per branch by id, all with different names."""
    numbers = list(range(1, len(TITLES) * len(stores) + 30))
    rng.shuffle(numbers)
    people = rng.sample(
        [(first, last) for first in _DATA["first_names"] for last in _DATA["last_names"]], len(TITLES) * len(stores)
    )
    employees = {}
    for store in stores.values():
        for title in TITLES:
            first, last = people.pop()
            number = numbers.pop()
            employee = Employee(
                id=names.layout.id_of("emp", number),
                display_name=f"{first} {last}",
                email=f"{first}.{last}.{number}@staff.veerhaven.example".lower(),
                title=title,
                store_id=store.id,
                roles=_roles(title, names, policy, rng),
            )
            employees[employee.id] = employee
    return employees


def nicknames(store: Store) -> tuple[str, ...]:
    """Return the names that people give a branch, each of which fits this branch alone."""
    return (
        store.name,
        f"{BRAND} {store.district}",
        f"the {store.district} branch in {store.city}",
        f"the {store.district.lower()} shop",
        f"{BRAND} in {store.city}, {store.district}",
    )
