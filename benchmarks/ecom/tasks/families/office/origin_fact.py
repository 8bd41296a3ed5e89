"""Asks for a fact of the company's origins, which one document settles and others contradict.

Dates stand in its table, postcode and city in its address line; the id is that of the branch which the table names.
"""

from __future__ import annotations

from typing import Final

from benchmarks.ecom.tasks.shares import Variant
from benchmarks.ecom.tasks.task import Truth
from benchmarks.ecom.tasks.task_setup import cite_records, sign_in_anyone
from benchmarks.ecom.world.documents import HISTORY, ORIGINS
from benchmarks.ecom.world.generator import World
from benchmarks.ecom.world.pages import Wordings

VARIANTS: Final = (Variant("a date, or the first branch"),)
DATES: Final = {
    "opened_on": Wordings(
        (
            "When did Veerhaven open its doors for the first time?",
            "On which day did the first customers of Veerhaven find the door open?",
        ),
        ("What was the first day of opening of Veerhaven?",),
    ),
    "registered_on": Wordings(
        (
            "When was Veerhaven registered as a company?",
            "What is the day of Veerhaven's registration?",
        ),
        ("Since which day has Veerhaven been a registered company?",),
    ),
    "named_on": Wordings(
        (
            "When was the name Veerhaven chosen?",
            "On what date did the company get its name?",
        ),
        ("What date does the choice of the name Veerhaven have?",),
    ),
}
PLACES: Final = {
    "first_postcode": Wordings(
        (
            "Postcode of our first branch when it opened?",
            "Under which postcode did Veerhaven's very first branch open?",
        ),
        ("Which postcode did branch number one have at the opening?",),
    ),
    "first_city": Wordings(
        (
            "In which city did Veerhaven open its very first branch?",
            "City where the company opened our 1st branch?",
        ),
        ("Where (city) was Veerhaven's first branch opened?",),
    ),
    "id": Wordings(
        (
            "Which record id does Veerhaven's very first branch have?",
            "ID of the first Veerhaven branch?",
        ),
        ("Which branch was the first one? I need its id.",),
    ),
}
RUMOURS: Final = {"opened_on": "rumour", "registered_on": "registered_rumour", "named_on": "named_rumour"}


def pose(world: World, variant: int) -> Truth:
    """Ask for one fact."""
    sign_in_anyone(world)
    rng, origin = world.rng, world.origin
    stores = {each.name: each for each in world.stores.values()}
    first, other = stores[origin.first_branch], stores[origin.other_branch]
    facts = PLACES if rng.random() < 0.5 else DATES
    field = rng.choice(list(facts))
    if facts is DATES:
        value, rumour, form = getattr(origin, field), getattr(origin, RUMOURS[field]), "as YYYY-MM-DD only"
    else:
        form = "with the value only"
        value, rumour = (first.id, other.id) if field == "id" else (getattr(origin, field), other.postal_code)
    return Truth(
        instruction=f"{world.say(facts[field])} Answer {form}.",
        message=value,
        is_exact=True,
        tolerated=frozenset(cite_records(world, [] if facts is DATES else [first])),
        inputs={
            "path": world.path(first) if field == "id" else "",
            "field": field,
            "rumour": rumour,
            "origins": world.names.document(ORIGINS),
            "history": world.names.document(HISTORY),
        },
    )
