"""Initial calls are made at the same time if the environment allows it.

An environment that is far away takes long for each call. If it declares `reads_side_by_side`, all
calls that only read are begun before the first one is waited for. The first message and the
journal are the same as for calls one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from controlplane.agent.events import CallEvent, varying_fields
from controlplane.agent.loop import LeftOpen
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    EachOf,
    InitialCall,
    Plain,
    ToolSchema,
)
from tests.agent.loop.initial_prompt.opened_trial import OpenedTrial
from tests.agent.loop.initial_prompt.prompt_shop import Shop

DOCUMENTS = {f"/docs/{number:02}.md": f"document {number}" for number in range(20)}
EACH_DOCUMENT = EachOf("find", {"name": "*.md", "root": "/docs", "limit": 20}, "paths")
ONE_BY_ONE = ToolSchema(
    operations=FILE_OPERATIONS,
    initial_calls=(
        InitialCall("tree", {"root": "/", "level": 2}),
        InitialCall("read", each_of=EACH_DOCUMENT),  # 20 calls
        InitialCall("exec", {"path": "/bin/odd"}),  # It may change something.
        InitialCall("read", {"path": "/docs/07.md"}),
    ),
)
SIDE_BY_SIDE = replace(ONE_BY_ONE, reads_side_by_side=True)


class CountingShop(Shop):
    """Counts the calls that are begun before the result of an earlier one was waited for.

    The product can make a call in two ways:

        result = shop.call("read", {...})       waits for the result; nothing is counted
        finish = shop.begin("read", {...})      the call is begun, and counts ...
        result = finish()                       ... until the product waits for its result
    """

    def __init__(self, tool_schema: ToolSchema) -> None:
        super().__init__(tool_schema, files=DOCUMENTS)
        self.begun = 0
        """The calls that are begun now, and not waited for."""
        self.most_begun_at_once = 0
        """The most that `begun` has been; 0 if all calls were made by `call`."""
        self.most_begun_at_a_change = 0
        """The most that `begun` was at a call that may change something."""

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        if operation == "exec":
            self.most_begun_at_a_change = max(self.most_begun_at_a_change, self.begun)
        return super().call(operation, arguments)

    def begin(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> Callable[[], dict[str, Plain]]:
        self.begun += 1
        self.most_begun_at_once = max(self.most_begun_at_once, self.begun)

        def finish() -> dict[str, Plain]:
            self.begun -= 1
            return self.call(operation, arguments)

        return finish


class TestCallsUnderWay:
    """Calls that only read are under way at the same time, if the environment allows it.

    `OpenedTrial(request, shop)` makes the initial calls of the shop: 20 that read documents, and
    one of a program, which may change something. `SIDE_BY_SIDE` allows that calls are made at the
    same time, and `ONE_BY_ONE` does not.
    """

    def test_all_reading_calls_are_under_way_at_once(self) -> None:
        """The calls that read the 20 documents are begun before the first one is waited for."""
        shop = CountingShop(SIDE_BY_SIDE)

        OpenedTrial("Read.", shop)

        assert shop.most_begun_at_once == 20

    def test_a_call_that_may_change_something_is_made_alone(self) -> None:
        """A change beside a read would make it a matter of luck what is read."""
        shop = CountingShop(SIDE_BY_SIDE)

        OpenedTrial("Read.", shop)

        assert shop.most_begun_at_a_change == 0

    def test_calls_are_made_one_by_one_if_the_environment_does_not_allow_more(
        self,
    ) -> None:
        """All calls are made by `call`, which waits for the result, and none is begun by `begin`."""
        shop = CountingShop(ONE_BY_ONE)

        OpenedTrial("Read.", shop)

        assert shop.most_begun_at_once == 0


@pytest.fixture(scope="module")
def trial_side_by_side() -> OpenedTrial:
    """Return a trial whose environment allows calls at the same time."""
    return OpenedTrial("Read.", CountingShop(SIDE_BY_SIDE))


@pytest.fixture(scope="module")
def trial_one_by_one() -> OpenedTrial:
    """Return a trial whose environment does not allow that."""
    return OpenedTrial("Read.", CountingShop(ONE_BY_ONE))


def call_events(
    trial: OpenedTrial, *, is_announcement: bool
) -> list[dict[str, object]]:
    """Return the events of a trial's calls, without times and others that differ in every run.

    A call has one event when it is begun, the announcement, and one when its result is there.
    """
    events: list[dict[str, object]] = []
    for event in trial.events:
        if isinstance(event, CallEvent) and event.is_announcement is is_announcement:
            events.append(event.model_dump(exclude=varying_fields()))
    return events


class TestSameResults:
    """The message, the journal and what can be cited do not depend on how calls are made.

    The two trials make the same initial calls: one at the same time, and one after the other.
    """

    def test_the_first_message_is_the_same(
        self, trial_side_by_side: OpenedTrial, trial_one_by_one: OpenedTrial
    ) -> None:
        """A provider can then use its cache of the message for both."""
        assert trial_side_by_side.message == trial_one_by_one.message

    @pytest.mark.parametrize(
        "is_announcement",
        [
            pytest.param(True, id="announcements of calls"),
            pytest.param(False, id="results of calls"),
        ],
    )
    def test_the_journal_has_the_same_events_in_the_same_order(
        self,
        trial_side_by_side: OpenedTrial,
        trial_one_by_one: OpenedTrial,
        is_announcement: bool,
    ) -> None:
        """A call is recorded when it is begun (announced), and when its result is there."""
        events_side_by_side = call_events(
            trial_side_by_side, is_announcement=is_announcement
        )
        events_one_by_one = call_events(
            trial_one_by_one, is_announcement=is_announcement
        )

        assert events_side_by_side == events_one_by_one

    @pytest.mark.parametrize("path", DOCUMENTS)
    def test_every_document_that_was_read_can_be_cited(
        self, trial_side_by_side: OpenedTrial, trial_one_by_one: OpenedTrial, path: str
    ) -> None:
        """What the first message shows counts as read."""
        for trial in (trial_side_by_side, trial_one_by_one):
            assert trial.check_citation(path, "holds a document") == path


class ShopThatIsLeft(CountingShop):
    """Ends the trial (`LeftOpen`) during its first call, as if the user had stopped the run."""

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        if arguments.get("path") == "/docs/00.md":
            raise LeftOpen
        return super().call(operation, arguments)


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


class TestInterruptedCalls:
    """A trial that ends during its initial calls leaves none of them behind.

    The exception `LeftOpen` ends a trial, for example when the user stops the run. Here the shop
    raises it in the first of 20 reads.
    """

    def test_a_trial_that_ends_while_calls_are_under_way_waits_for_them(self) -> None:
        """The first of 20 calls ends the trial. The others must not go on behind its back."""
        shop = ShopThatIsLeft(SIDE_BY_SIDE)

        with pytest.raises(LeftOpen):
            OpenedTrial("Read.", shop)

        assert shop.most_begun_at_once == 20
        assert shop.begun == 0

    def test_a_trial_that_ends_makes_no_call_that_was_not_started(self) -> None:
        """The first of 20 reads ends the trial. The others wait for their turn, and get none."""
        shop = ShopWithoutBegin()

        with pytest.raises(LeftOpen):
            OpenedTrial("Read.", shop)

        assert shop.read_paths == ["/docs/00.md"]
