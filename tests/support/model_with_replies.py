"""A model whose replies are a list.

    model = ModelWithReplies(["first", "second"])
    model.reply_to(request).text     # "first"

It notes the requests, and fails when there are no more replies.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from controlplane.agent.model import Message, Model, ModelError, ModelRequest, Reply


@dataclass
class ModelWithReplies(Model):
    """A model that gives its replies in order, and fails when there are no more.

    A text is the reply's text, JSON or not; a `ModelError` is raised.
    """

    replies: Sequence[str | Reply | ModelError]
    name: str = "list"
    requests: list[list[Message]] = field(default_factory=list)
    """The messages of each request, with role and content only."""
    temperatures: list[float | None] = field(default_factory=list)
    """The `min_temperature` of each request: the temperature must be at least so high."""

    def reply_to(self, request: ModelRequest) -> Reply:
        turn = len(self.requests)
        self.temperatures.append(request.min_temperature)
        messages: list[Message] = []
        for message in request.messages:
            messages.append(Message(role=message["role"], content=message["content"]))
        self.requests.append(messages)

        if turn >= len(self.replies):
            raise ModelError("no more replies", retryable=False)
        reply = self.replies[turn]
        if isinstance(reply, ModelError):
            raise reply
        if isinstance(reply, str):
            return Reply(text=reply)
        return reply
