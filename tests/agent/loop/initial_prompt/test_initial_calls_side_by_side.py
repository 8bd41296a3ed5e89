"""Initial calls, those before the model is asked, run side by side if the environment allows it.

An environment that is far away takes long for each call. If it declares `reads_side_by_side`, all
reads are begun before the first one is waited for. What the model and the journal get is the same.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from controlplane.agent.events import CallEvent, varying_fields
from controlplane.agent.loop import LeftOpen
from controlplane.sandbox.interface import Plain, ToolSchema
from tests.agent.loop.initial_prompt.opened_trial import OpenedTrial
from tests.agent.loop.initial_prompt.prompt_shop import Shop
from tests.agent.loop.initial_prompt.timed_shop import (
    FILES,
    ONE_BY_ONE,
    SIDE_BY_SIDE,
    TimedShop,
)


class TestOrderOfCalls:
    """The shop declares reads of two files, a run of a program, and reads of all files in /docs.

    Before these are read, they are listed, by `find`. The program may change something.
    """

    def test_reads_run_side_by_side_if_the_environment_allows_it(self) -> None:
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

    def test_calls_are_made_one_by_one_if_the_environment_does_not_allow_more(
        self,
    ) -> None:
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


def call_events(trial: OpenedTrial, is_announcement: bool) -> list[dict[str, object]]:
    """Return the events of a trial's calls, without times and others that differ in every run.

    A call has an event when its result is there. Some have another one before, an announcement.
    """
    events = []
    for event in trial.events:
        if isinstance(event, CallEvent) and event.is_announcement is is_announcement:
            events.append(event.model_dump(exclude=varying_fields()))
    return events


class TestSameResults:
    """The message, the journal and what can be cited do not depend on how calls are made."""

    def test_the_first_message_is_the_same(self) -> None:
        """A provider can then use its cache of the message for both."""
        side_by_side = OpenedTrial("Read.", TimedShop(SIDE_BY_SIDE))
        one_by_one = OpenedTrial("Read.", TimedShop(ONE_BY_ONE))

        assert side_by_side.message == one_by_one.message
        assert "This document is about keys." in one_by_one.message

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
        self, is_announcement: bool, expected_operations: list[str]
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
        self, schema: ToolSchema, path: str
    ) -> None:
        """What the first message shows counts as read."""
        trial = OpenedTrial("Read.", TimedShop(schema))

        assert trial.check_citation(path, "holds a document") == path


class ShopThatIsLeft(TimedShop):
    """Ends the trial (`LeftOpen`) during the first read, as if the user stopped the run."""

    def result_of(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> dict[str, Plain]:
        if arguments.get("path") == "/rules.md":
            raise LeftOpen
        return super().result_of(operation, arguments)


class ShopWithoutBegin(Shop):
    """Declares that it allows reads at the same time, but can only make them one by one.

    The first read ends the trial.
    """

    def __init__(self) -> None:
        super().__init__(SIDE_BY_SIDE, files=FILES)
        self.read_paths: list[Plain] = []

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        if operation == "read":
            self.read_paths.append(arguments["path"])
            raise LeftOpen
        return super().call(operation, arguments)


class TestInterruptedCalls:
    """A trial that ends during its initial calls leaves none of them behind."""

    def test_a_trial_that_ends_while_calls_are_under_way_waits_for_them(self) -> None:
        """The second read must not go on behind its back."""
        shop = ShopThatIsLeft(SIDE_BY_SIDE)

        with pytest.raises(LeftOpen):
            OpenedTrial("Read.", shop)

        assert shop.timeline == [
            "begin read /rules.md",
            "begin read /keys.md",
            "end read /rules.md",  # which ends the trial
            "end read /keys.md",
        ]

    def test_a_trial_that_ends_makes_no_call_that_was_not_started(self) -> None:
        """The reads wait for their turn. The first one ends the trial."""
        shop = ShopWithoutBegin()

        with pytest.raises(LeftOpen):
            OpenedTrial("Read.", shop)

        assert shop.read_paths == ["/rules.md"]
