"""A model whose replies are given, turn by turn, for trials in the library.

In its first turn, this one calls the function `books_by`, and in its second it completes the trial:

    ModelByTurn([[FIND_BOOKS_BY_AUSTEN], [completion_call()]])
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from controlplane.agent.model import (
    Message,
    Model,
    ModelError,
    ModelRequest,
    Reply,
    ToolCall,
)


@dataclass
class ModelByTurn(Model):
    """A model whose replies are given: `ModelByTurn([[call], "a text"], {"classify": "{}"})`.

    A request whose messages have two replies of the model gets `turns[2]`. So the model of a
    resumed trial goes on where the earlier attempt ended.
    """

    turns: Sequence[Sequence[ToolCall] | str | Reply]
    """The main model's replies, one a turn: calls of tools, a text, or a whole reply."""
    other_models: Mapping[str, str] = field(default_factory=dict)
    """The reply of each other model, by its role: `{"classify": "{}"}`. A role that is not named
    fails."""
    name: str = "turns"
    requests: list[ModelRequest] = field(default_factory=list)
    """All requests so far, each with the messages that it had at its time."""

    @property
    def main_requests(self) -> list[ModelRequest]:
        """Return the requests to the main model, whose role is "solve"."""
        return [request for request in self.requests if request.role == "solve"]

    def reply_to(self, request: ModelRequest) -> Reply:
        self.requests.append(replace(request, messages=list(request.messages)))
        if request.role != "solve":
            return self._reply_as(request.role)

        assert request.tool_choice == "required"
        turn = _count_of_replies(request.messages)
        reply = self.turns[turn]
        if isinstance(reply, Reply):
            return reply
        if isinstance(reply, str):
            return Reply(text=reply)
        return Reply(text="", tool_calls=tuple(reply))

    def _reply_as(self, role: str) -> Reply:
        if role not in self.other_models:
            msg = f"nobody plays {role}"
            raise ModelError(msg, retryable=False)
        return Reply(text=self.other_models[role])


def from_instruction(messages: Sequence[Message]) -> Sequence[Message]:
    """Return the trial's own messages: the instruction, which is the first one of the user, and
    all behind it. The messages before it are the same in every trial."""
    roles = [message["role"] for message in messages]
    return messages[roles.index("user") :]


def _count_of_replies(messages: Sequence[Message]) -> int:
    """Return how often the model has replied in a trial, which is the number of its turn."""
    roles = [message["role"] for message in from_instruction(messages)]
    return roles.count("assistant")
