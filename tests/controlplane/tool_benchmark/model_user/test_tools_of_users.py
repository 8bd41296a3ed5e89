"""A user of a task that a model plays may have tools of its own.

agent:  "Please restart it."
model:  calls restart(minutes=2) -> "restarted after 2 minutes"
model:  "It works now."
"""

import pytest

from controlplane.agent.model import Reply
from tests.controlplane.tool_benchmark.model_user.telephone_user import (
    ModelWithReplies,
    call_of_restart,
    user_with_telephone,
)


def test_a_user_that_is_a_model_can_use_tools_of_its_own() -> None:
    """The model first calls the tool, and then replies to the agent."""
    model = ModelWithReplies(
        call_of_restart('{"minutes": 2}'), Reply(text="It works now.")
    )
    user = user_with_telephone(model)

    reply = user("Please restart it.")

    assert reply == "It works now."
    first_request, second_request = model.requests
    assert "Your telephone has no network." in first_request.messages[0]["content"]
    assert first_request.tools[0].parameters["required"] == ["minutes"]
    last_message = second_request.messages[-1]
    assert last_message["content"] == "restarted after 2 minutes"
    assert last_message.get("tool_call_id") == "c1"


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param("{", id="not JSON"),
        pytest.param("[]", id="not an object"),
        pytest.param('{"hours": 2}', id="an unknown argument"),
    ],
)
def test_a_user_that_is_a_model_is_told_that_its_call_failed(arguments: str) -> None:
    """The tool takes a number of minutes. The model sees the error, and can go on."""
    model = ModelWithReplies(call_of_restart(arguments), Reply(text="I cannot."))
    user = user_with_telephone(model)

    reply = user("Please restart it.")

    assert reply == "I cannot."
    second_request = model.requests[1]
    assert "Error" in second_request.messages[-1]["content"]
