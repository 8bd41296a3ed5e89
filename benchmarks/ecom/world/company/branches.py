"""The branches of one world's company, each in a district of a Dutch city.

A branch is a `Store` in the records: `store-utr-lombok`, named "Veerhaven Utrecht Lombok". People
call it by other names as well, such as "the lombok shop". Most districts have a branch, and
a few branches are closed today.
"""

from __future__ import annotations

from random import Random
from typing import Final, NamedTuple

from controlplane.benchmarks.ecom.world.data import DATA
from controlplane.benchmarks.ecom.world.names.layout import Layout
from controlplane.benchmarks.ecom.world.records import Store

BRAND: Final = "Veerhaven"
"""The company's name, in every world."""


class District(NamedTuple):
    """A district that may have a branch, and the branch's address."""

    city: str
    name: str
    street: str
    postal_digits: str


DISTRICTS: Final = [District(**district) for district in DATA["districts"]]
DISTRICTS_WITHOUT_BRANCH: Final = 2
CLOSED_BRANCHES: Final = 3


def choose_stores(rng: Random, layout: Layout) -> dict[str, Store]:
    """Choose the branches of one world: 17 of 19 districts have one, and three are closed.

    Return them by id.
    """
    branch_count = len(DISTRICTS) - DISTRICTS_WITHOUT_BRANCH
    chosen_numbers = sorted(rng.sample(range(len(DISTRICTS)), branch_count))
    closed_numbers = set(rng.sample(chosen_numbers, CLOSED_BRANCHES))
    stores = {}
    for number in chosen_numbers:
        district = DISTRICTS[number]
        # The part of the id after `store`: `utr-lombok`.
        slug = f"{district.city[:3]}{layout.separator}{district.name}".lower()
        # The old postcode of the first branch begins with none of these (`choose_origin`).
        postal_letters = rng.choice("ABCDEFGH") + rng.choice("KLMNPRTX")
        store = Store(
            id=f"store{layout.separator}{slug}",
            name=f"{BRAND} {district.city} {district.name}",
            street=district.street,
            postal_code=f"{district.postal_digits} {postal_letters}",
            city=district.city,
            is_open=number not in closed_numbers,
        )
        stores[store.id] = store
    return stores


def nicknames(store: Store) -> tuple[str, ...]:
    """Return the names by which people call a branch. Each fits only this branch."""
    return (
        store.name,
        f"{BRAND} {store.district}",
        f"the {store.district} branch in {store.city}",
        f"the {store.district.lower()} shop",
        f"{BRAND} in {store.city}, {store.district}",
    )
