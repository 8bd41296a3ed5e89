"""The origin of one world's company: when it was named, and where its first branch was.

Some pages state these facts, and others tell rumours that contradict them: the first branch
opened on 1994-06-02, but "people at the harbour say" that it was nine days earlier. Tasks
ask for the facts.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from random import Random

from controlplane.benchmarks.ecom.world.data import DATA
from controlplane.benchmarks.ecom.world.records import Store


def choose_origin(rng: Random, stores: Mapping[str, Store]) -> dict[str, str]:
    """Choose facts about the company's history, and false ones (rumours), by name.

    - `named_on` is the day on which the company got its name, `registered_on` that of its
      entry in the trade register, and `opened_on` its first day of opening. Each has a
      false date a few days away: `named_rumour`, `registered_rumour`, `opened_rumour`.
    - The first branch has moved since, so `first_address`, `STREET NUMBER, POSTCODE
      CITY`, is not the address in its record.
    - According to a rumour, `other_branch` was the first one.
    """
    named_on = date(1994, 1, 10) + timedelta(days=rng.randrange(2000))
    registered_on = named_on + timedelta(days=rng.randint(20, 90))
    opened_on = registered_on + timedelta(days=rng.randint(5, 60))
    first, other, newest = rng.sample(list(stores.values()), 3)
    founder_a, founder_b = rng.sample(DATA["founders"], 2)
    old_postcode = _draw_old_postcode(rng, first)
    old_street = f"{rng.choice(DATA['old_streets'])} {rng.randint(1, 90)}"
    named_rumour = named_on + timedelta(days=rng.randint(2, 15))
    registered_rumour = registered_on - timedelta(days=rng.randint(2, 15))
    opened_rumour = opened_on - timedelta(days=9)
    return {
        # Facts
        "named_on": named_on.isoformat(),
        "registered_on": registered_on.isoformat(),
        "opened_on": opened_on.isoformat(),
        "first_branch": first.name,
        "first_address": f"{old_street}, {old_postcode} {first.city}",
        "first_postcode": old_postcode,
        "first_city": first.city,
        "newest_branch": newest.name,
        "founder_a": founder_a,
        "founder_b": founder_b,
        "colour": rng.choice(DATA["colours"]),
        # Rumours
        "named_rumour": named_rumour.isoformat(),
        "registered_rumour": registered_rumour.isoformat(),
        "opened_rumour": opened_rumour.isoformat(),
        "other_branch": other.name,
        "other_address": f"{other.street}, {other.postal_code} {other.city}",
    }


def _draw_old_postcode(rng: Random, first_branch: Store) -> str:
    """Return the postcode that the first branch had: `1234 SB`.

    It has the digits of today's postcode, with letters that no branch has today.
    """
    digits = first_branch.postal_code[:-2]
    return f"{digits}{rng.choice('SVWZ')}{rng.choice('ABCD')}"
