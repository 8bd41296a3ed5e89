"""A tool can be called in some turns of a conversation only.

The agent says something by `harness.say(text)`, and the user's reply begins the next turn. `add_bread`
is a tool of turn 0, and `add_tea` one from turn 1 on.
"""

import pytest

from controlplane.sandbox.interface import CallError
from tests.controlplane.tool_benchmark.conversations.turns_of_basket import (
    basket_environment,
)


def test_a_tool_can_be_called_only_in_its_turns() -> None:
    environment = basket_environment()

    with pytest.raises(CallError, match="add_tea"):
        environment.call("add_tea", {})
    environment.call("add_bread", {})

    environment.call("say", {"text": "Bread is in the basket."})
    environment.call("add_tea", {})
    with pytest.raises(CallError, match="add_bread"):
        environment.call("add_bread", {})

    assert environment.state.articles == ["bread", "tea"]


def test_the_result_of_say_names_tools_that_are_new_or_gone() -> None:
    """The prompt at the beginning describes only the tools of the first turn."""
    environment = basket_environment()

    result = environment.call("say", {"text": "Bread is in the basket."})

    assert "new: harness.add_tea" in str(result["tools"])
    assert "gone: harness.add_bread" in str(result["tools"])
