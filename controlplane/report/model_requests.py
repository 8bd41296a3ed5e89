"""The requests that a trial sent to models, rebuilt from its journal one by one.

Each request of a conversation begins with all messages of the one before it. A request
therefore says how many it shares, so that readers keep or write only the new ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from controlplane.agent.events import (
    ConversationOpened,
    ModelAsked,
    ModelReplied,
    StepDone,
)
from controlplane.journal.trial_reader import RecordedTrial


class RequestMessage(NamedTuple):
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


def model_requests(recorded: RecordedTrial) -> Iterator[ShownRequest]:
    """Yield every request of a trial, with its messages and its replies.

    A request may have several replies. So it is yielded when the next request begins,
    or at the end of the trial.
    """
    conversation: list[RequestMessage] = []  # with the model that solves the trial
    tool_calls = 0  # native tool calls in that model's latest reply
    request: ShownRequest | None = None
    previous_messages: dict[str, tuple[RequestMessage, ...]] = {}  # by role
    for event in recorded.events():
        if isinstance(event, ConversationOpened):
            conversation = [
                RequestMessage("system", event.system),
                *(RequestMessage(each.role, each.content) for each in event.exchange),
                RequestMessage("user", "".join(event.first_message)),
            ]
        elif isinstance(event, ModelAsked):
            if request is not None:
                yield request
            # The texts are recorded only if they are not simply the whole conversation so far.
            messages = tuple(conversation)
            if event.texts:
                messages = tuple(
                    RequestMessage(text.role, text.content) for text in event.texts
                )
            shared = 0
            for before, now in zip(
                previous_messages.get(event.role, ()), messages, strict=False
            ):
                if before != now:
                    break
                shared += 1
            previous_messages[event.role] = messages
            request = ShownRequest(event.step, event.role, messages, shared)
        elif isinstance(event, ModelReplied) and request is not None:
            request.replies.append(event)
            if event.role == "solve":
                tool_calls = len(event.tool_calls)
        elif isinstance(event, StepDone):
            # The first items of the feedback are the results of native tool calls.
            conversation.append(RequestMessage("assistant", event.reply))
            for result in event.feedback[:tool_calls]:
                conversation.append(RequestMessage("tool", result))
            feedback = "".join(event.feedback[tool_calls:])
            if feedback:
                conversation.append(RequestMessage("user", feedback))
            tool_calls = 0
    if request is not None:
        yield request


# What is written of the requests of a trial that is exported to a file.
#
# Each request repeats the conversation so far. A trial of 200 steps with 10,000 characters each
# has sent 2 million characters once, and 200 million in all.

_MOST_REPEATED_CHARS: Final = 50_000_000
"""Characters of a trial's requests that are written with all their messages. From then on, requests
are written with their new messages only."""


class WrittenReply(NamedTuple):
    """A reply of a model, and what is written of its request."""

    reply: ModelReplied
    role: str
    """What the model was asked for."""
    input: tuple[RequestMessage, ...]
    left_out: int
    """How many of the first messages of the request are left out, since an earlier one has them."""


def written_replies(recorded: RecordedTrial) -> Iterator[WrittenReply]:
    """Yield every reply of a trial, with what is written of its request."""
    chars_left = _MOST_REPEATED_CHARS
    for request in model_requests(recorded):
        for reply in request.replies:
            if request.shared and chars_left > 0:
                chars_left -= sum(len(message.text) for message in request.messages)
            left_out = 0 if chars_left > 0 else request.shared
            written = request.messages[left_out:]
            yield WrittenReply(reply, request.role, written, left_out)
