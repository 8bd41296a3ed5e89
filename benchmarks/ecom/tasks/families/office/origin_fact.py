"""Asks for a fact of the company's origins, which one document settles and others contradict."""

from __future__ import annotations

from typing import Final

from benchmarks.ecom.tasks.shares import Variant
from benchmarks.ecom.tasks.task import Truth
from benchmarks.ecom.tasks.task_setup import cite_records, sign_in_anyone
from benchmarks.ecom.world.documents import HISTORY, ORIGINS
from benchmarks.ecom.world.generator import World

VARIANTS: Final = (Variant("a date, or the first branch"),)
DATES: Final = {
    "did Veerhaven open its doors for the first time": "opened_on",
    "was Veerhaven registered as a company": "registered_on",
    "was the name Veerhaven chosen": "named_on",
}
PLACES: Final = {"postal code": "postal_code", "city": "city", "record id": "id"}


def pose(world: World, variant: int) -> Truth:
    """Ask for one fact."""
    sign_in_anyone(world)
    first = next(each for each in world.stores.values() if each.name == world.origin.first_branch)
    is_date = world.rng.random() < 0.5
    if is_date:
        words, field = world.rng.choice(list(DATES.items()))
        question, value = f"When {words}? Answer as YYYY-MM-DD only.", str(getattr(world.origin, field))
    else:
        words, field = world.rng.choice(list(PLACES.items()))
        question, value = (
            f"Which {words} does the record of Veerhaven's very first branch have? Answer with the value only.",
            str(world.shown(first, field)),
        )
    return Truth(
        instruction=question,
        message=value,
        is_exact=True,
        tolerated=frozenset(cite_records(world, [] if is_date else [first])),
        inputs={
            "path": "" if is_date else world.path(first),
            "field": field,
            "rumour": world.origin.rumour,
            "origins": world.names.document(ORIGINS),
            "history": world.names.document(HISTORY),
        },
    )
