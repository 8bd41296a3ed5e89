"""Initial calls are made at the same time if the environment allows it.

An environment that is far away takes long for each call. If it declares `reads_side_by_side`, all
calls that only read are begun before the first one is waited for. The first message and the
journal are the same as for calls one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from controlplane.agent.events import CallEvent, TrialEvent, varying_fields
from controlplane.agent.evidence import Recorder
from controlplane.agent.loop import LeftOpen
from controlplane.agent.loop.initial_prompt.initial_prompt import build_initial_prompt
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    EachOf,
    InitialCall,
    Plain,
    ToolSchema,
)
from tests.agent.loop.initial_prompt.prompt_shop import Shop, recorder_of

DOCUMENT_COUNT = 20
DOCUMENTS = {
    f"/docs/{number:02}.md": f"document {number}" for number in range(DOCUMENT_COUNT)
}
ONE_BY_ONE = ToolSchema(
    operations=FILE_OPERATIONS,
    initial_calls=(
        InitialCall("tree", {"root": "/", "level": 2}),
        InitialCall(
            "read",
            {},
            EachOf(
                "find",
                {"name": "*.md", "root": "/docs", "limit": DOCUMENT_COUNT},
                "paths",
            ),
        ),
        InitialCall("exec", {"path": "/bin/odd"}),  # it may change something
        InitialCall("read", {"path": "/docs/07.md"}),
    ),
)
SIDE_BY_SIDE = replace(ONE_BY_ONE, reads_side_by_side=True)


class CountingShop(Shop):
    """Counts the calls that are under way at the same time."""

    def __init__(self, tool_schema: ToolSchema) -> None:
        super().__init__(tool_schema, files=DOCUMENTS)
        self.under_way = 0
        self.most_under_way = 0
        self.most_beside_a_change = 0
        """How many calls were under way when a call began that may change something."""

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make a call by itself."""
        if operation == "exec":
            self.most_beside_a_change = max(self.most_beside_a_change, self.under_way)
        return super().call(operation, arguments)

    def begin(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> Callable[[], dict[str, Plain]]:
        """Begin a call beside others. The returned function waits for its result."""
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)

        def finish() -> dict[str, Plain]:
            self.under_way -= 1
            return self.call(operation, arguments)

        return finish


class OpenedTrial:
    """A trial whose first message has been made."""

    def __init__(self, tool_schema: ToolSchema) -> None:
        self.events: list[TrialEvent] = []
        self.shop = CountingShop(tool_schema)
        self.recorder = Recorder("t", self.shop, self.events.append)
        self.recorder.step_log.begin(0)
        opened = build_initial_prompt("Read.", self.recorder)
        self.first_message = "".join(opened.first_message)

    def call_events(self, *, is_announcement: bool) -> list[dict[str, object]]:
        """Return the events before or after each call, without what differs in every run."""
        events: list[dict[str, object]] = []
        for event in self.events:
            if isinstance(event, CallEvent):
                if event.is_announcement is is_announcement:
                    events.append(event.model_dump(exclude=varying_fields()))
        return events


@pytest.fixture(scope="module")
def side_by_side() -> OpenedTrial:
    """Return a trial whose environment allows calls at the same time."""
    return OpenedTrial(SIDE_BY_SIDE)


@pytest.fixture(scope="module")
def one_by_one() -> OpenedTrial:
    """Return a trial whose environment does not allow that."""
    return OpenedTrial(ONE_BY_ONE)


def test_all_reading_calls_are_under_way_at_once(side_by_side: OpenedTrial) -> None:
    """The calls that read the 20 documents are begun before the first one is waited for."""
    assert side_by_side.shop.most_under_way == DOCUMENT_COUNT


def test_a_call_that_may_change_something_is_made_alone(
    side_by_side: OpenedTrial,
) -> None:
    """A change beside a read would make it a matter of luck what is read."""
    assert side_by_side.shop.most_beside_a_change == 0


def test_calls_are_made_one_by_one_if_the_environment_does_not_allow_more(
    one_by_one: OpenedTrial,
) -> None:
    """No call was begun by `begin`."""
    assert one_by_one.shop.most_under_way == 0


def test_the_first_message_does_not_depend_on_how_the_calls_are_made(
    side_by_side: OpenedTrial, one_by_one: OpenedTrial
) -> None:
    """A provider can then use its cache of the message for both."""
    assert side_by_side.first_message == one_by_one.first_message


@pytest.mark.parametrize("is_announcement", [True, False])
def test_the_journal_does_not_depend_on_how_the_calls_are_made(
    side_by_side: OpenedTrial, one_by_one: OpenedTrial, is_announcement: bool
) -> None:
    """A call is recorded when it is begun (announced), and when its result is there."""
    assert side_by_side.call_events(
        is_announcement=is_announcement
    ) == one_by_one.call_events(is_announcement=is_announcement)


@pytest.mark.parametrize("path", DOCUMENTS)
def test_every_document_that_was_read_can_be_cited(
    side_by_side: OpenedTrial, one_by_one: OpenedTrial, path: str
) -> None:
    """What the first message shows counts as read."""
    for trial in (side_by_side, one_by_one):
        citations = trial.recorder.evidence_log.citations
        assert citations.check(path, "holds a document").spelling == path


class ShopThatIsLeft(CountingShop):
    """Ends the trial during its first call, as if the user had stopped the run."""

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        if arguments.get("path") == "/docs/00.md":
            raise LeftOpen
        return super().call(operation, arguments)


def test_a_trial_that_ends_while_calls_are_under_way_waits_for_them() -> None:
    """The first of 20 calls ends the trial. The others must not go on behind its back."""
    shop = ShopThatIsLeft(SIDE_BY_SIDE)

    with pytest.raises(LeftOpen):
        build_initial_prompt("Read.", recorder_of(shop))

    assert shop.most_under_way == DOCUMENT_COUNT
    assert shop.under_way == 0


class ShopWithoutBegin(Shop):
    """Declares that it allows calls at the same time, but can only make them one by one."""

    def __init__(self) -> None:
        super().__init__(SIDE_BY_SIDE, files=DOCUMENTS)
        self.read_paths: list[Plain] = []

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make a call. The first read ends the trial."""
        if operation == "read":
            self.read_paths.append(arguments["path"])
            raise LeftOpen
        return super().call(operation, arguments)


def test_a_trial_that_ends_makes_no_call_that_was_not_started() -> None:
    """The first of 20 reads ends the trial. The others wait for their turn, and get none."""
    shop = ShopWithoutBegin()

    with pytest.raises(LeftOpen):
        build_initial_prompt("Read.", recorder_of(shop))

    assert shop.read_paths == ["/docs/00.md"]
