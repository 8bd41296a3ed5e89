"""The environment of a task lists the agent's calls, which a grader looks at.

    [call.name for call in environment.calls]    ->    ["add_bread", "say"]

With `say`, the agent talks to the user. Some reply of the user ends the conversation; the
environment then refuses all calls.
"""

import pytest

from controlplane import TaskEnvironment, Tool
from controlplane.sandbox.interface import CallError
from tests.controlplane.tool_benchmark.conversations.turns_of_basket import (
    basket_environment,
)


def test_a_benchmark_may_empty_the_list_of_calls() -> None:
    """A grader that does not care about the first calls replaces the list by an empty one."""
    environment = basket_environment()
    environment.call("add_bread", {})

    environment.calls = []
    environment.call("say", {"text": "Bread is in the basket."})
    environment.call("add_tea", {})

    assert [call.name for call in environment.calls] == ["say", "add_tea"]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        pytest.param("move", {}, id="a tool"),
        pytest.param("say", {"text": "hello?"}, id="talk"),
    ],
)
def test_calls_after_the_end_of_the_conversation_are_refused(
    name: str, arguments: dict[str, str]
) -> None:
    moves: list[str] = []
    move = Tool(lambda: moves.append("moved"), "acts", name="move")

    def end_conversation(text: str) -> None:
        """The user's reply to a text of the agent: None ends the conversation."""

    environment = TaskEnvironment([move], user=end_conversation)
    scripts = environment.runtime  # Calls as scripts make them, with their errors.

    result_of_talk = scripts.call("say", {"text": "bye"})
    with pytest.raises(CallError, match="the environment has ended this trial"):
        scripts.call(name, arguments)

    assert result_of_talk["ended"] is True
    assert moves == []
    assert [call.name for call in environment.calls] == ["say"]
