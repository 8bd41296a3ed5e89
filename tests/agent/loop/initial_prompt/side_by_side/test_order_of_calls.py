"""The calls that are made before a model is asked run side by side if the environment allows it.

An environment that is far away takes long for each call. The shop declares reads of two files, a run of
a program, and reads of all files in `/docs`, which are listed first, by `find`. The program may change
something, so it runs alone.
"""

from tests.agent.loop.initial_prompt.opened_trial import OpenedTrial
from tests.agent.loop.initial_prompt.side_by_side.timed_shop import (
    ONE_BY_ONE,
    SIDE_BY_SIDE,
    TimedShop,
)


def test_reads_run_side_by_side_if_the_environment_allows_it() -> None:
    """The program runs alone: else it would be a matter of luck what the reads return."""
    shop = TimedShop(SIDE_BY_SIDE)

    OpenedTrial("Read.", shop)

    assert shop.timeline == [
        "begin read /rules.md",
        "begin read /keys.md",
        "end read /rules.md",
        "end read /keys.md",
        "call exec /bin/odd",
        "begin find /docs",
        "end find /docs",
        "begin read /docs/fees.md",
        "begin read /docs/hours.md",
        "end read /docs/fees.md",
        "end read /docs/hours.md",
    ]


def test_calls_are_made_one_by_one_if_the_environment_does_not_allow_more() -> None:
    shop = TimedShop(ONE_BY_ONE)

    OpenedTrial("Read.", shop)

    assert shop.timeline == [
        "call read /rules.md",
        "call read /keys.md",
        "call exec /bin/odd",
        "call find /docs",
        "call read /docs/fees.md",
        "call read /docs/hours.md",
    ]
