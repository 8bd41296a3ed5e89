"""A trial that ends during the calls before its model is asked leaves none of them behind.

The calls run side by side: all reads are begun before the first one is waited for. The first read ends
the trial by the exception `LeftOpen`, as if the user stopped the run.
"""

from collections.abc import Mapping

import pytest

from controlplane.agent.loop import LeftOpen
from controlplane.sandbox.interface import Plain
from tests.agent.loop.initial_prompt.opened_trial import OpenedTrial
from tests.agent.loop.initial_prompt.prompt_shop import Shop
from tests.agent.loop.initial_prompt.side_by_side.timed_shop import (
    FILES,
    SIDE_BY_SIDE,
    TimedShop,
)


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


def test_a_trial_that_ends_while_calls_are_under_way_waits_for_them() -> None:
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


def test_a_trial_that_ends_makes_no_call_that_was_not_started() -> None:
    """The reads wait for their turn. The first one ends the trial."""
    shop = ShopWithoutBegin()

    with pytest.raises(LeftOpen):
        OpenedTrial("Read.", shop)

    assert shop.read_paths == ["/rules.md"]
