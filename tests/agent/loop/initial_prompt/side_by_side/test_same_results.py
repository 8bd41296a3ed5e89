"""The first message, and what can be cited, do not depend on how calls are made.

The calls before a model is asked run side by side, or one by one, as the environment allows it.
`OpenedTrial("Read.", shop)` is a trial whose request is "Read.", after these calls.
"""

import pytest

from controlplane.sandbox.interface import ToolSchema
from tests.agent.loop.initial_prompt.opened_trial import OpenedTrial
from tests.agent.loop.initial_prompt.side_by_side.timed_shop import (
    FILES,
    ONE_BY_ONE,
    SIDE_BY_SIDE,
    TimedShop,
)


def test_the_first_message_is_the_same() -> None:
    """A provider can then use its cache of the message for both."""
    side_by_side = OpenedTrial("Read.", TimedShop(SIDE_BY_SIDE))
    one_by_one = OpenedTrial("Read.", TimedShop(ONE_BY_ONE))

    assert side_by_side.message == one_by_one.message
    assert "This document is /keys.md." in one_by_one.message


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
    """What the first message shows counts as read. The reason names a word of each document."""
    trial = OpenedTrial("Read.", TimedShop(schema))

    assert trial.check_citation(path, "holds a document") == path
