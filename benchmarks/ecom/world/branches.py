"""Chooses the branches of one world and the people who work there."""

from __future__ import annotations

from random import Random
from typing import Final

from benchmarks.ecom.world.layout import Layout
from benchmarks.ecom.world.shop_policy import Policy
from benchmarks.ecom.world.shop_records import Employee, Store

BRAND: Final = "Veerhaven"

DISTRICTS: Final = (
    ("Utrecht", "Lombok", "Kanaalweg 12", "3531"),
    ("Utrecht", "Overvecht", "Zamenhofdreef 4", "3562"),
    ("Utrecht", "Hoograven", "Liesboslaan 30", "3523"),
    ("Groningen", "Oosterpark", "Zaagmuldersweg 71", "9713"),
    ("Groningen", "Paddepoel", "Dierenriemstraat 9", "9742"),
    ("Arnhem", "Klarendal", "Sonsbeeksingel 88", "6822"),
    ("Arnhem", "Presikhaaf", "Lange Wal 15", "6826"),
    ("Leiden", "Merenwijk", "Rosmolen 2", "2317"),
    ("Leiden", "Stevenshof", "Trix Terwindtstraat 6", "2331"),
    ("Zwolle", "Assendorp", "Luttekestraat 21", "8012"),
    ("Zwolle", "Stadshagen", "Belvederelaan 7", "8043"),
    ("Breda", "Haagpoort", "Haagweg 140", "4812"),
    ("Breda", "Belcrum", "Speelhuislaan 3", "4815"),
)
"""City, district, street and postal code of every possible branch."""

TITLES: Final = (
    "Branch Manager",
    "Customer Desk Lead",
    "Sales Advisor",
    "Sales Advisor",
    "Stock Clerk",
    "Returns Clerk",
)
FIRST_NAMES: Final = [
    "Aafke",
    "Bram",
    "Cato",
    "Daan",
    "Eefje",
    "Floris",
    "Geertje",
    "Hidde",
    "Ilse",
    "Jorrit",
    "Katrijn",
    "Lieven",
    "Marit",
    "Niek",
    "Oona",
    "Pieter",
    "Roos",
    "Sybren",
    "Tjitske",
    "Udo",
    "Veerle",
    "Wout",
    "Yara",
    "Zeno",
    "Anouk",
    "Berend",
    "Dieuwke",
    "Ezra",
    "Femke",
    "Gijs",
]
LAST_NAMES: Final = [
    "Aalders",
    "Boelens",
    "Craanen",
    "Dijkema",
    "Elzinga",
    "Feenstra",
    "Groot",
    "Hoekstra",
    "Imhof",
    "Jansma",
    "Kuiken",
    "Lammers",
    "Meinders",
    "Nauta",
    "Oosting",
    "Postma",
    "Ritsema",
    "Schaap",
    "Terpstra",
    "Uiterwijk",
    "Veldman",
    "Wiersma",
    "Ypma",
    "Zijlstra",
]


def choose_stores(rng: Random, layout: Layout) -> dict[str, Store]:
    """Return the branches of one world by id, two of them closed."""
    kept = sorted(rng.sample(range(len(DISTRICTS)), len(DISTRICTS) - 2))
    closed = set(rng.sample(kept, 2))
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


def _roles(title: str, policy: Policy, rng: Random) -> list[str]:
    roles = ["employee"]
    match title:
        case "Branch Manager":
            roles.append(policy.lead_role)
        case "Customer Desk Lead":
            roles.append("customer_desk")
        case "Stock Clerk":
            roles += [policy.stock_role] if rng.random() < 0.7 else []
        case "Returns Clerk":
            roles += ["order_viewer"]
        case _:
            roles += ["packing_operator"] if rng.random() < 0.4 else []
    if rng.random() < 0.25:
        roles.append(policy.discount_role)
    if rng.random() < 0.25:
        roles.append(policy.refund_role)
    return roles


def choose_employees(rng: Random, layout: Layout, policy: Policy, stores: dict[str, Store]) -> dict[str, Employee]:
    """Return six employees per branch by id, all with different names."""
    numbers = list(range(1, 6 * len(stores) + 30))
    rng.shuffle(numbers)
    names = rng.sample([(first, last) for first in FIRST_NAMES for last in LAST_NAMES], 6 * len(stores))
    employees = {}
    for store in stores.values():
        for title in TITLES:
            first, last = names.pop()
            number = numbers.pop()
            employee = Employee(
                id=layout.id_of("emp", number),
                display_name=f"{first} {last}",
                email=f"{first}.{last}.{number}@staff.veerhaven.example".lower(),
                title=title,
                store_id=store.id,
                roles=_roles(title, policy, rng),
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
