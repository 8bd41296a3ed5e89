"""A user of a task that a model plays: `TaskEnvironment(tools, user=ModelUser(model, "..."))`.

The agent says something, and the model replies as the user. The user may have tools of its own:

    agent:  "Please restart it."
    model:  calls restart(minutes=2) -> "restarted after 2 minutes"
    model:  "It works now."
"""

import pytest

from controlplane import ModelUser, Tool
from controlplane.agent.model import Model, ModelRequest, Reply, ToolCall


class ModelWithReplies(Model):
    """Gives these replies in turn, and keeps the requests."""

    name = "replies"

    def __init__(self, *replies: Reply) -> None:
        self.replies = list(replies)
        self.requests: list[ModelRequest] = []

    def reply_to(self, request: ModelRequest) -> Reply:
        self.requests.append(request)
        return self.replies.pop(0)


def restart(minutes: int) -> str:
    """Restart the telephone."""
    return f"restarted after {minutes} minutes"


def call_of_restart(arguments: str) -> Reply:
    """Return a reply that calls the tool `restart` with these arguments, a JSON text."""
    call = ToolCall(name="restart", arguments=arguments, id="c1")
    return Reply(text="", tool_calls=(call,))


def user_with_telephone(model: Model) -> ModelUser:
    """Return a user that the model plays. `user(text)` is what the user replies to the agent."""
    return ModelUser(model, "Your telephone has no network.", [Tool(restart, "acts")])


class TestModelsAsUsers:
    """A model plays a user whose telephone has no network, and who can restart it.

    `user("Please restart it.")` is what the user replies to the agent. The model may first call
    its tool, `restart(minutes=2)`, and gets the result.
    """

    def test_a_user_that_is_a_model_can_use_tools_of_its_own(self) -> None:
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
    def test_a_user_that_is_a_model_is_told_that_its_call_failed(
        self, arguments: str
    ) -> None:
        """The tool takes a number of minutes. The model sees the error, and can go on."""
        model = ModelWithReplies(call_of_restart(arguments), Reply(text="I cannot."))
        user = user_with_telephone(model)

        reply = user("Please restart it.")

        assert reply == "I cannot."
        second_request = model.requests[1]
        assert "Error" in second_request.messages[-1]["content"]

    def test_a_user_that_is_a_model_ends_the_conversation_with_a_sign(self) -> None:
        """The model is told to write ###STOP### if nothing is left to say."""
        model = ModelWithReplies(Reply(text="It works now."), Reply(text="###STOP###"))
        user = user_with_telephone(model)
        user("Please restart it.")

        assert user("Anything else?") is None
