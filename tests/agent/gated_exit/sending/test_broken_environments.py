"""A bug of the environment to which a trial sends its answer is told from a passing failure.

Its own code fails whenever an answer is sent. `host_broke` says so, and keeps the end of the trial from
sending the answer again and again.
"""

import pytest

from controlplane.sandbox.interface import CallError
from tests.agent.gated_exit.sending.trial_exits import ACCEPTABLE, exit_of
from tests.support.one_tool_environment import OneToolEnvironment
from tests.support.phonebook import LOOKUP, look_up


class BrokenEnvironment(OneToolEnvironment):
    """An environment whose own code fails whenever an answer is sent."""

    def answer(self, message: str, outcome: str, refs: object) -> None:
        raise ZeroDivisionError


def test_a_bug_of_the_environment_is_told_from_a_passing_failure() -> None:
    gated_exit = exit_of(BrokenEnvironment(LOOKUP, look_up), [])

    with pytest.raises(CallError) as caught:
        gated_exit.submit(ACCEPTABLE)

    assert caught.value.host_broke
