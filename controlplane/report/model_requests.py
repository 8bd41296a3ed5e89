"""The requests that a trial sent to models, rebuilt from its journal one by one.

Each request of a conversation begins with all messages of the one before it. A request
therefore says how many it shares, so that readers keep or write only the new ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from controlplane.agent.events import (
    ConversationOpened,
    ModelAsked,
    ModelReplied,
    StepDone,
)
from controlplane.journal.trial_reader import RecordedTrial


@dataclass(frozen=True, slots=True)
class RequestMessage:
    """One message of a request."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class ShownRequest:
    """One request to a model, as it was sent, with its replies."""

    step: int
    role: str
    """What the model was asked for, such as `solve` for the next script."""
    messages: tuple[RequestMessage, ...]
    shared: int
    """How many of its first messages are also those of the previous request in this role."""
    replies: list[ModelReplied] = field(default_factory=list)

    @property
    def new_messages(self) -> tuple[RequestMessage, ...]:
        return self.messages[self.shared :]


def model_requests(recorded: RecordedTrial) -> Iterator[ShownRequest]:
    """Yield every request of a trial, with its messages and its replies.

    A request may have several replies. So it is yielded when the next request begins,
    or at the end of the trial.
    """
    conversation = _SolverConversation()
    request: ShownRequest | None = None
    previous_messages: dict[str, tuple[RequestMessage, ...]] = {}  # by role
    tool_calls = 0  # native tool calls in the solving model's latest reply
    for event in recorded.events():
        if isinstance(event, ConversationOpened):
            conversation.begin(event)
        elif isinstance(event, ModelAsked):
            if request is not None:
                yield request
            messages = _messages_of(event, conversation)
            shared = _shared_messages(previous_messages.get(event.role, ()), messages)
            previous_messages[event.role] = messages
            request = ShownRequest(event.step, event.role, messages, shared)
        elif isinstance(event, ModelReplied) and request is not None:
            request.replies.append(event)
            if event.role == "solve":
                tool_calls = len(event.tool_calls)
        elif isinstance(event, StepDone):
            conversation.add_step(event, tool_calls)
            tool_calls = 0
    if request is not None:
        yield request


def _messages_of(
    event: ModelAsked, conversation: _SolverConversation
) -> tuple[RequestMessage, ...]:
    """Return the messages of a request.

    Its event records them only if they are not simply the whole conversation so far.
    """
    if not event.texts:
        return tuple(conversation.messages)
    return tuple(RequestMessage(text.role, text.content) for text in event.texts)


def _shared_messages(
    before: Sequence[RequestMessage], messages: Sequence[RequestMessage]
) -> int:
    """Return the number of messages with which both begin, so that a page shows only the new ones."""
    shared = 0
    for message_before, message in zip(before, messages, strict=False):
        if message_before != message:
            break
        shared += 1
    return shared


class _SolverConversation:
    """The conversation of a trial with the model that solves it (the role `solve`)."""

    def __init__(self) -> None:
        self.messages: list[RequestMessage] = []

    def begin(self, event: ConversationOpened) -> None:
        """Begin with the messages of the initial prompt."""
        self.messages = [
            RequestMessage("system", event.system),
            *(RequestMessage(each.role, each.content) for each in event.exchange),
            RequestMessage("user", "".join(event.first_message)),
        ]

    def add_step(self, step: StepDone, tool_calls: int) -> None:
        """Add the reply of a step, and the messages that answer it.

        `tool_calls` is the number of native tool calls in the reply. The first items of the
        step's feedback are their results, each a message of its own.
        """
        self.messages.append(RequestMessage("assistant", step.reply))
        for result in step.feedback[:tool_calls]:
            self.messages.append(RequestMessage("tool", result))
        feedback = "".join(step.feedback[tool_calls:])
        if feedback:
            self.messages.append(RequestMessage("user", feedback))


# What is written of the requests of a trial that is exported to a file.
#
# Each request repeats the conversation so far. A trial of 200 steps with 10,000 characters each
# has sent 2 million characters once, and 200 million in all.

_MOST_REPEATED_CHARS: Final = 50_000_000
"""Characters of a trial's requests that are written with all their messages. From then on, requests
are written with their new messages only."""


@dataclass(frozen=True, slots=True)
class WrittenReply:
    """A reply of a model, and what is written of its request."""

    reply: ModelReplied
    request: ShownRequest
    left_out: int
    """How many of the first messages of the request are left out, since an earlier one has them."""

    @property
    def input(self) -> tuple[RequestMessage, ...]:
        return self.request.messages[self.left_out :]


def written_replies(recorded: RecordedTrial) -> Iterator[WrittenReply]:
    """Yield every reply of a trial, with what is written of its request."""
    chars_left = _MOST_REPEATED_CHARS
    for request in model_requests(recorded):
        for reply in request.replies:
            if request.shared and chars_left > 0:
                chars_left -= sum(len(message.text) for message in request.messages)
            left_out = 0 if chars_left > 0 else request.shared
            yield WrittenReply(reply, request, left_out)
