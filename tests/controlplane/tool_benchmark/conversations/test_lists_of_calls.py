"""The environment of a task keeps the agent's calls, and refuses further ones after the conversation.

`[call.name for call in environment.calls]` is, for example, `["add_bread", "say"]`. A grader looks at
these calls.
"""

import pytest

from controlplane import TaskEnvironment, Tool
from controlplane.sandbox.interface import CallError
from tests.controlplane.tool_benchmark.conversations.turns_of_basket import (
    basket_environment,
)


def test_a_benchmark_may_empty_the_list_of_calls() -> None:
    """A grader that cares only about later calls replaces the list by an empty one."""
    environment = basket_environment()
    environment.call("add_bread", {})

    environment.calls = []
    environment.call("say", {"text": "Bread is in the basket."})
    environment.call("add_tea", {})

    assert [call.name for call in environment.calls] == ["say", "add_tea"]


@pytest.mark.parametrize(
    ("name", "arguments"), [("move", {}), ("say", {"text": "hello?"})]
)
def test_calls_after_the_end_of_the_conversation_are_refused(
    name: str, arguments: dict[str, str]
) -> None:
    """A user that is a function ends the conversation by a reply of None."""
    moves: list[str] = []
    move = Tool(lambda: moves.append("moved"), "acts", name="move")
    environment = TaskEnvironment([move], user=lambda text: None)

    last_result = environment.runtime.call("say", {"text": "bye"})
    with pytest.raises(CallError, match="the environment has ended this trial"):
        environment.runtime.call(name, arguments)

    assert last_result["ended"] is True
    assert moves == []
    assert [call.name for call in environment.calls] == ["say"]
