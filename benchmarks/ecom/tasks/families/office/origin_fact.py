"""A fact about the shop's beginnings, which one document settles and others tell differently."""

from __future__ import annotations

from typing import Final

from benchmarks.ecom.tasks.reference_hands import Desk
from benchmarks.ecom.tasks.scenes import because, cited, sign_in_anyone
from benchmarks.ecom.tasks.task import OK, Answer, Task, Truth
from benchmarks.ecom.world.documents import ORIGINS
from benchmarks.ecom.world.generator import World

VARIANTS: Final = ("a date, or the first branch",)
DATES: Final = {
    "did Veerhaven open its doors for the first time": "opened_on",
    "was Veerhaven registered as a company": "registered_on",
    "was the name Veerhaven chosen": "named_on",
}
PLACES: Final = {"postal code": "postal_code", "city": "city", "record id": "id"}


def pose(world: World, variant: int) -> Task:
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
            str(first.data()[field]),
        )
    return Task(
        question,
        world,
        Truth(
            outcome=OK,
            message=value,
            is_exact=True,
            documents=because(ORIGINS),
            records=cited(world, [] if is_date else [first]),
            handles={
                "path": "" if is_date else world.path(first),
                "field": field,
                "rumour": world.origin.rumour,
            },
        ),
    )


def reference(desk: Desk, truth: Truth) -> Answer:
    """Take the table of origins, and the branch's record for what the table does not say."""
    told = truth.handles
    if told["path"]:
        return desk.conclude(truth, str(desk.record(told["path"])[told["field"]]))
    labels = {
        "opened_on": "first day of opening",
        "registered_on": "registered as a company",
        "named_on": "name chosen",
    }
    row = next(line for line in desk.read(ORIGINS).splitlines() if line.startswith(f"| {labels[told['field']]} |"))
    return desk.conclude(truth, row.split("|")[2].strip())
