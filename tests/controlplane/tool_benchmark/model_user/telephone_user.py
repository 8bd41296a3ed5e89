"""A model with given replies, which plays a user who can restart a telephone.

For example:

    model = ModelWithReplies(call_of_restart('{"minutes": 2}'), Reply(text="It works now."))
    user_with_telephone(model)("Please restart it.")    ->    "It works now."
"""

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
