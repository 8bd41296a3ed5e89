"""The events of a trial's calls do not depend on how the calls are made.

The calls before a model is asked run side by side, or one by one, as the environment allows it. An event
with the result comes after each call. A call that may change something has an announcement before it.
"""

from collections.abc import Callable, Sequence

import pytest

from controlplane.agent.events import CallEvent, varying_fields
from tests.agent.loop.initial_prompt.opened_trial import OpenedTrial
from tests.agent.loop.initial_prompt.side_by_side.timed_shop import (
    ONE_BY_ONE,
    SIDE_BY_SIDE,
    TimedShop,
)


def announcements(trial: OpenedTrial) -> list[CallEvent]:
    """Return the events before calls."""
    return [event for event in call_events(trial) if event.is_announcement]


def results(trial: OpenedTrial) -> list[CallEvent]:
    """Return the events after calls."""
    return [event for event in call_events(trial) if not event.is_announcement]


def call_events(trial: OpenedTrial) -> list[CallEvent]:
    """Return all events of the calls of a trial."""
    return [event for event in trial.events if isinstance(event, CallEvent)]


def without_times(events: Sequence[CallEvent]) -> list[dict[str, object]]:
    """Return the fields of events, without those that differ in every run, such as times."""
    return [event.model_dump(exclude=varying_fields()) for event in events]


@pytest.mark.parametrize(
    ("kind_of_events", "operations"),
    [
        pytest.param(announcements, ["exec"], id="announcements"),
        pytest.param(
            results, ["read", "read", "exec", "find", "read", "read"], id="results"
        ),
    ],
)
def test_the_journal_has_the_same_events_in_the_same_order(
    kind_of_events: Callable[[OpenedTrial], list[CallEvent]], operations: list[str]
) -> None:
    side_by_side = kind_of_events(OpenedTrial("Read.", TimedShop(SIDE_BY_SIDE)))
    one_by_one = kind_of_events(OpenedTrial("Read.", TimedShop(ONE_BY_ONE)))

    assert without_times(side_by_side) == without_times(one_by_one)
    assert [event.operation for event in side_by_side] == operations
