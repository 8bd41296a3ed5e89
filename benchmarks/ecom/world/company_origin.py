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
OLD_STREETS: Final = ("Havenkade", "Oude Werf", "Zeilmakersgang", "Touwslagerspad", "Lange Steiger", "Smidsplein")
COLOURS: Final = ("green", "dark blue", "orange", "slate grey", "rust red")


@dataclass(frozen=True, slots=True)
class Origin:
    """The recorded origins, with ISO dates, and what other texts tell instead of them."""

    named_on: str
    registered_on: str
    opened_on: str
    first_branch: str
    """The name of the first branch."""
    first_address: str
    """Where it opened: `STREET NUMBER, POSTCODE CITY`; it has moved since, so its record has another one."""
    first_postcode: str
    first_city: str
    named_rumour: str
    registered_rumour: str
    rumour: str
    """The day that a story tells instead of `opened_on`."""
    other_branch: str
    """The name of the branch that stories take for the first."""
    other_address: str
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
    postcode = f"{first.postal_code[:-2]}{rng.choice('SVWZ')}{rng.choice('ABCD')}"
    return Origin(
        named_on=named.isoformat(),
        registered_on=registered.isoformat(),
        opened_on=opened.isoformat(),
        first_branch=first.name,
        first_address=f"{rng.choice(OLD_STREETS)} {rng.randint(1, 90)}, {postcode} {first.city}",
        first_postcode=postcode,
        first_city=first.city,
        named_rumour=(named + timedelta(days=rng.randint(2, 15))).isoformat(),
        registered_rumour=(registered - timedelta(days=rng.randint(2, 15))).isoformat(),
        rumour=(opened - timedelta(days=9)).isoformat(),
        other_branch=other.name,
        other_address=f"{other.street}, {other.postal_code} {other.city}",
        newest_branch=newest.name,
        founder_a=founders[0],
        founder_b=founders[1],
        colour=rng.choice(COLOURS),
    )
