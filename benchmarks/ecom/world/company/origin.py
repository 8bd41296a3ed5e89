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
    # 1. The dates
    named_on = date(1994, 1, 10) + timedelta(days=rng.randrange(2000))
    registered_on = named_on + timedelta(days=rng.randint(20, 90))
    opened_on = registered_on + timedelta(days=rng.randint(5, 60))

    # 2. The branches and founders
    first, other, newest = rng.sample(list(stores.values()), 3)
    founders = rng.sample(DATA["founders"], 2)
    # The old postcode has the digits of today's, with letters that no branch has today.
    digits = first.postal_code[:-2]
    postcode = f"{digits}{rng.choice('SVWZ')}{rng.choice('ABCD')}"
    first_street = f"{rng.choice(DATA['old_streets'])} {rng.randint(1, 90)}"

    # 3. The false dates
    named_rumour = named_on + timedelta(days=rng.randint(2, 15))
    registered_rumour = registered_on - timedelta(days=rng.randint(2, 15))
    opened_rumour = opened_on - timedelta(days=9)
    return {
        "named_on": named_on.isoformat(),
        "registered_on": registered_on.isoformat(),
        "opened_on": opened_on.isoformat(),
        "first_branch": first.name,
        "first_address": f"{first_street}, {postcode} {first.city}",
        "first_postcode": postcode,
        "first_city": first.city,
        "named_rumour": named_rumour.isoformat(),
        "registered_rumour": registered_rumour.isoformat(),
        "opened_rumour": opened_rumour.isoformat(),
        "other_branch": other.name,
        "other_address": f"{other.street}, {other.postal_code} {other.city}",
        "newest_branch": newest.name,
        "founder_a": founders[0],
        "founder_b": founders[1],
        "colour": rng.choice(DATA["colours"]),
    }
