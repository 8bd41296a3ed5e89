"""Asks for the date some days from now, in a given format, by the world's clock."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from benchmarks.ecom.tasks.shares import Variant
from benchmarks.ecom.tasks.task import Truth
from benchmarks.ecom.tasks.task_setup import sign_in_anyone
from benchmarks.ecom.world.generator import World
from benchmarks.ecom.world.pages import Wordings

VARIANTS: Final = (Variant("some days from now"),)
DAYS: Final = {"tomorrow": 1, "the day after tomorrow": 2, "yesterday": -1, "in a week": 7, "in 10 days": 10}
FORMATS: Final = {"YYYY-MM-DD": "%Y-%m-%d", "DD-MM-YYYY": "%d-%m-%Y", "MM/DD/YYYY": "%m/%d/%Y"}

WORDINGS: Final = Wordings(
    ("What date {verb} {words}? Answer as {shape} only.",),
    ("Give me the date: what day {verb} {words}? Format {shape}, without any other text.",),
)


def pose(world: World, variant: int) -> Truth:
    """Ask for a date."""
    sign_in_anyone(world)
    words, days = world.rng.choice(list(DAYS.items()))
    shape, pattern = world.rng.choice(list(FORMATS.items()))
    day = world.clock.date() + timedelta(days)
    verb = "was it" if days < 0 else "is it"
    return Truth(
        instruction=world.say(WORDINGS).format(verb=verb, words=words, shape=shape),
        message=day.strftime(pattern),
        is_exact=True,
        inputs={"days": str(days), "pattern": pattern},
    )
