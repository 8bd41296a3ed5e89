"""The message, the journal and what can be cited do not depend on how calls are made.

The calls before a model is asked run side by side, or one by one, as the environment allows it.
`OpenedTrial("Read.", shop)` is a trial whose request is "Read.", after these calls.
"""

import pytest

from controlplane.agent.events import CallEvent, varying_fields
from controlplane.sandbox.interface import ToolSchema
from tests.agent.loop.initial_prompt.opened_trial import OpenedTrial
from tests.agent.loop.initial_prompt.side_by_side.timed_shop import (
    FILES,
    ONE_BY_ONE,
    SIDE_BY_SIDE,
    TimedShop,
)


def call_events(trial: OpenedTrial, is_announcement: bool) -> list[dict[str, object]]:
    """Return the events of a trial's calls, without times and others that differ in every run:
    those of results, or announcements, which some calls have before."""
    events = []
    for event in trial.events:
        if isinstance(event, CallEvent) and event.is_announcement is is_announcement:
            events.append(event.model_dump(exclude=varying_fields()))
    return events


def test_the_first_message_is_the_same() -> None:
    """A provider can then use its cache of the message for both."""
    side_by_side = OpenedTrial("Read.", TimedShop(SIDE_BY_SIDE))
    one_by_one = OpenedTrial("Read.", TimedShop(ONE_BY_ONE))

    assert side_by_side.message == one_by_one.message
    assert "This document is /keys.md." in one_by_one.message


@pytest.mark.parametrize(
    ("is_announcement", "expected_operations"),
    [
        # Only what may change something is announced before it is made.
        pytest.param(True, ["exec"], id="announcements"),
        pytest.param(
            False, ["read", "read", "exec", "find", "read", "read"], id="results"
        ),
    ],
)
def test_the_journal_has_the_same_events_in_the_same_order(
    is_announcement: bool, expected_operations: list[str]
) -> None:
    side_by_side = OpenedTrial("Read.", TimedShop(SIDE_BY_SIDE))
    one_by_one = OpenedTrial("Read.", TimedShop(ONE_BY_ONE))

    events = call_events(side_by_side, is_announcement)
    assert events == call_events(one_by_one, is_announcement)
    assert [event["operation"] for event in events] == expected_operations


@pytest.mark.parametrize("path", FILES)
@pytest.mark.parametrize(
    "schema",
    [
        pytest.param(SIDE_BY_SIDE, id="side by side"),
        pytest.param(ONE_BY_ONE, id="one by one"),
    ],
)
def test_every_document_that_was_read_can_be_cited(
    schema: ToolSchema, path: str
) -> None:
    """What the first message shows counts as read."""
    trial = OpenedTrial("Read.", TimedShop(schema))

    assert trial.check_citation(path, "holds a document") == path
