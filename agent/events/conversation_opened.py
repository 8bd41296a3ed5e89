"""The event that the initial prompt is ready: what the model is sent first.

It has the system prompt, and the first message with the task. Before the model is asked, the
trial makes some calls, the *initial calls*, and shows their results in the first message:

    system           "You work on one request. ..."
    first_message    "What is the late fee?", "Files: /docs/fees.md", ...
    calls            list("/"), read("/docs/fees.md"), ...
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from controlplane.agent.events.call_record import CallRecord
from controlplane.agent.events.event import TrialEvent
from controlplane.agent.events.record import IN_OWN_LINES, Record, Text
from controlplane.agent.events.said_message import SaidMessage
from controlplane.agent.model import Amount, Count


class RankedFile(Record):
    """A file that the first message might show because it fits the instruction.

    Example: `/docs/fees.md` for the instruction `What is the fee for a late return?`
    """

    path: Text
    score: Amount
    """How well it fits, compared with the other files of the trial."""
    reason: str
    """Why it fits, or why it is left out: codes of
    `controlplane.agent.retrieval.ranking_reasons.Reason`, joined by `+`."""
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
