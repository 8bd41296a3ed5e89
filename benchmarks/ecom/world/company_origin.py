"""Chooses the company's origins, which the documents of one world state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random

from benchmarks.ecom.world.shop_records import Store


@dataclass(frozen=True, slots=True)
class Origin:
    """The recorded origins, with ISO dates; `rumour` is the day that a story tells instead of `opened_on`."""

    named_on: str
    registered_on: str
    opened_on: str
    first_branch: str
    """The name of the first branch."""
    rumour: str


def choose_origin(rng: Random, stores: Mapping[str, Store]) -> Origin:
    """Return the origins of one world."""
    named = date(1994, 1, 10) + timedelta(days=rng.randrange(2000))
    registered = named + timedelta(days=rng.randint(20, 90))
    opened = registered + timedelta(days=rng.randint(5, 60))
    return Origin(
        named_on=named.isoformat(),
        registered_on=registered.isoformat(),
        opened_on=opened.isoformat(),
        first_branch=rng.choice(list(stores.values())).name,
        rumour=(opened - timedelta(days=9)).isoformat(),
    )
