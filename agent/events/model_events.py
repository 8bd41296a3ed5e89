"""The events of a request to a model: it is sent, and its reply arrives.

In most trials, each step has one of each. Other requests, such as those of a grader, have
another `role`:

    model_asked    step 3  role solve  messages 7
    model_replied  step 3  role solve  reply {"code": "print(4)"}  cost_usd 0.02
"""

from __future__ import annotations

from typing import Annotated, Literal, Self, TypeAlias

from pydantic import Field

from controlplane.agent.events.call_record import CallRecord
from controlplane.agent.events.event import StepEvent, TrialEvent
from controlplane.agent.events.journal_record import (
    IN_OWN_LINES,
    VARIES_BY_RUN,
    JournalRecord,
    Text,
)
from controlplane.agent.model import (
    SIDE_ROLES,
    Amount,
    Count,
    Message,
    ReplyFields,
    ToolCall,
)

# A message of a request to a model, as the journal has it.
#
# {"role": "tool", "content": "...", "tool_call_id": "call_1"}

Conversation: TypeAlias = list[Message]


class SaidMessage(JournalRecord):
    """One message of a request to a model, without the thinking that may go with it."""

    role: str
    """`system`, `user`, `assistant` or `tool`."""
    content: Text
    """Its text."""
    tool_calls: tuple[ToolCall, ...] = ()
    """The calls that an assistant made."""
    tool_call_id: str = ""
    """The id of the call that a tool answers."""

    @classmethod
    def of(cls, message: Message) -> SaidMessage:
        """Return `message` in its recorded form."""
        fields = {
            name: value for name, value in message.items() if name in cls.model_fields
        }
        return cls.model_validate(fields)

    def message(self) -> Message:
        """Return the message as a model takes it."""
        message = Message(role=self.role, content=self.content)
        if self.tool_calls:
            message["tool_calls"] = self.tool_calls
        if self.tool_call_id:
            message["tool_call_id"] = self.tool_call_id
        return message


# The event that the initial prompt is ready: what the model is sent first.
#
# It has the system prompt, and the first message with the task. Before the model is asked, the
# trial makes some calls, the *initial calls*, and shows their results in the first message:
#
#     system           "You work on one request. ..."
#     first_message    "What is the late fee?", "Files: /docs/fees.md", ...
#     calls            list("/"), read("/docs/fees.md"), ...


class RankedFile(JournalRecord):
    """A file that the first message might show because it fits the instruction.

    Example: `/docs/fees.md` for the instruction `What is the fee for a late return?`
    """

    path: Text
    score: Amount
    """How well it fits, compared with the other files of the trial."""
    reason: str
    """Why it fits, or why it is left out: codes of
    `controlplane.agent.opening.request.Reason`, joined by `+`."""
    chars: Count = 0
    """Characters of it that the first message shows; 0 if it is left out."""


class ConversationOpened(TrialEvent):
    """The initial prompt is ready: the system prompt and the first message.

    The first message shows the task, with the results of the *initial calls*, such as a
    listing of the files. It is recorded as a list of pieces, which were joined and sent.
    """

    type: Literal["conversation_opened"] = "conversation_opened"
    system: Text
    """The system prompt."""
    first_message: tuple[Text, ...]
    """The pieces of the first message, in order."""
    exchange: tuple[SaidMessage, ...] = ()
    """The messages between the system prompt and the first message, for a model that calls
    tools: they show the initial calls as its own, with their results. Empty for a model that
    writes scripts."""
    # Each of these calls has a line of its own in the journal.
    calls: Annotated[tuple[CallRecord, ...], IN_OWN_LINES] = ()
    """The initial calls, which are those of step 0. The files that they show count as read."""
    rules: Text = ""
    """The workspace's rules, by which the gates judge each answer."""
    # The search for files that fit the request lists at most 40 of them.
    files: Annotated[tuple[RankedFile, ...], Field(max_length=40)] = ()
    """First the files that the first message shows because they fit the request, the best
    first; then the best of those that it leaves out."""
    shortened_for: int = 0
    """If the model's context was too small for all files that fit the request: its size
    in tokens. 0 if there was room for all."""


class ModelAsked(StepEvent):
    """A request to the model is about to be sent."""

    in_totals = True  # The summary of a run counts it.

    type: Literal["model_asked"] = "model_asked"
    messages: Count
    """Number of messages in the request."""
    role: str = "solve"
    """The kind of reply that the model is asked for."""
    texts: tuple[SaidMessage, ...] = ()
    """The messages; empty if they are those of the conversation so far."""


class ModelReplied(ReplyFields, StepEvent):
    """The model's reply has arrived; its script, if it has one, has not run yet.

    `ReplyFields` has further fields of the reply, such as its tokens and its cost.
    """

    in_totals = True  # The summary of a run counts it.

    type: Literal["model_replied"] = "model_replied"
    number: Count = 0
    """Counts the step's replies, from 0."""
    role: str = "solve"
    """The kind of reply that the model was asked for."""
    reply: Text
    """The raw text, or the raw arguments of the tool call `execute_script`."""
    tool_call: bool = False
    """True if `reply` has such arguments. `tool_calls` then has only the other calls."""
    elapsed_ms: Annotated[Amount, VARIES_BY_RUN] = 0.0
    """Wall-clock milliseconds, retries included."""

    @property
    def entry(self) -> Self | None:
        """The event. In a side role, a model only grades the trial, for example: no part of a step."""
        return None if self.role in SIDE_ROLES else self

    @property
    def position(self) -> int:
        """The number, which counts the replies of the step."""
        return self.number

    @property
    def tokens(self) -> int:
        """Tokens of request and reply."""
        return self.usage.prompt_tokens + self.usage.completion_tokens

    @property
    def known_cost_usd(self) -> float | None:
        """The cost in USD: 0 for a reply of the cache, a file or a program. None if unknown."""
        if self.cost_usd is not None:
            return self.cost_usd
        if self.cached or not self.is_from_endpoint:
            return 0.0
        return None

    @property
    def is_from_endpoint(self) -> bool:
        """True if an endpoint sent the reply, and not a file or a program.

        No field says so, but those have no tokens, and are asked in no mode, such as `json`.
        """
        return bool(self.reply_mode) or self.tokens > 0
