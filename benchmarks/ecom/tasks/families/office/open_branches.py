"""Asks for the open branches of a city, by their full names, one per line."""

from __future__ import annotations

from typing import Final

from benchmarks.ecom.tasks.shares import Variant
from benchmarks.ecom.tasks.task import Truth
from benchmarks.ecom.tasks.task_setup import cite_records, nickname, sign_in_anyone, some_store
from benchmarks.ecom.world.generator import World
from benchmarks.ecom.world.pages import Wordings

VARIANTS: Final = (Variant("the city of a named branch"),)
WORDINGS: Final = Wordings(
    (
        "Take the city in which {branch} lies. Which branches there are open? Answer with their full names as "
        "recorded, "
        "one per line, sorted alphabetically, and nothing else.",
    ),
    (
        "I need the open branches in the same city as {branch}: full recorded names only, one per line, in "
        "alphabetical order.",
    ),
)


def pose(world: World, variant: int) -> Truth:
    """Ask for the open branches of a city that has at least one."""
    sign_in_anyone(world)
    store = some_store(world, is_open=True)
    city = [each for each in world.stores.values() if each.city == store.city]
    names = sorted(each.name for each in city if each.is_open)
    return Truth(
        instruction=world.say(WORDINGS).format(branch=nickname(world, world.rng.choice(city))),
        message="\n".join(names),
        is_exact=True,
        records=cite_records(world, city),
        inputs={"city": store.city, "first": world.path(city[0])},
    )
