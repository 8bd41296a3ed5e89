"""The task to give a date: "Which date is it in 10 days? Answer as DD-MM-YYYY."

The date counts from the clock of the world, which a tool tells, not from the real one. The
request gives one of several formats, and the answer must have it.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from controlplane.benchmarks.ecom.tasks.truth import Truth, truth_with_exact_message
from controlplane.benchmarks.ecom.world.sign_in import sign_in_anyone
from controlplane.benchmarks.ecom.world.world import World

DAYS_BY_WORDS: Final = {
    "tomorrow": 1,
    "the day after tomorrow": 2,
    "yesterday": -1,
    "in a week": 7,
    "in 10 days": 10,
}
DATE_FORMATS: Final = {
    "YYYY-MM-DD": "%Y-%m-%d",
    "DD-MM-YYYY": "%d-%m-%Y",
    "MM/DD/YYYY": "%m/%d/%Y",
}


def calendar_date(world: World, _case: str) -> Truth:
    """Ask for the date some days from now.

    Right: compute it by the world's clock, and give it in the requested format.
    """
    sign_in_anyone(world)
    words, days = world.rng.choice(list(DAYS_BY_WORDS.items()))
    format_name, strftime_format = world.rng.choice(list(DATE_FORMATS.items()))
    verb = "was it" if days < 0 else "is it"
    day = world.clock.date() + timedelta(days)
    return truth_with_exact_message(
        world.wording("calendar-date", verb=verb, words=words, shape=format_name),
        day.strftime(strftime_format),
        for_tests={"days": str(days), "pattern": strftime_format},
    )
