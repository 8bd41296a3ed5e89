"""Chooses the company's origins, which the documents of one world state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random
from typing import Final

from benchmarks.ecom.world.shop_records import Store

FOUNDERS: Final = (
    "Aleida Brandsma",
    "Wouter Kooistra",
    "Femke Zijlstra",
    "Joris van Dalen",
    "Griet Postma",
    "Sipke Haan",
)
COLOURS: Final = ("green", "dark blue", "orange", "slate grey", "rust red")


@dataclass(frozen=True, slots=True)
class Origin:
    """The recorded origins, with ISO dates; `rumour` is the day that a story tells instead of `opened_on`."""

    named_on: str
    registered_on: str
    opened_on: str
    first_branch: str
    """The name of the first branch."""
    first_address: str
    rumour: str
    other_branch: str
    """The name of the branch that stories take for the first."""
    newest_branch: str
    founder_a: str
    founder_b: str
    colour: str


def choose_origin(rng: Random, stores: Mapping[str, Store]) -> Origin:
    """Return the origins of one world."""
    named = date(1994, 1, 10) + timedelta(days=rng.randrange(2000))
    registered = named + timedelta(days=rng.randint(20, 90))
    opened = registered + timedelta(days=rng.randint(5, 60))
    first, other, newest = rng.sample(list(stores.values()), 3)
    founders = rng.sample(FOUNDERS, 2)
    return Origin(
        named_on=named.isoformat(),
        registered_on=registered.isoformat(),
        opened_on=opened.isoformat(),
        first_branch=first.name,
        first_address=f"{first.street}, {first.postal_code} {first.city}",
        rumour=(opened - timedelta(days=9)).isoformat(),
        other_branch=other.name,
        newest_branch=newest.name,
        founder_a=founders[0],
        founder_b=founders[1],
        colour=rng.choice(COLOURS),
    )
