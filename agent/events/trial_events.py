"""The events of a whole trial: its start, its initial prompt, and what is noteworthy.

A trial is one try at a task. The initial prompt is what the model is sent first.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from controlplane.agent.events.call_record import CallRecord
from controlplane.agent.events.event import TrialEvent
from controlplane.agent.events.record import IN_OWN_LINES, Record, Text
from controlplane.agent.events.said_message import SaidMessage
from controlplane.agent.model import Amount, Capabilities, Count


def _time_or_empty(text: str) -> str:
    """Return a text that is empty or a time in ISO 8601. Raises `ValueError` for any other text."""
    if text:
        datetime.fromisoformat(text)
    return text


class TrialStarted(TrialEvent):
    """A trial has begun, or goes on after an interruption: each attempt at it has one."""

    in_totals = True  # The summary of a run counts it.

    type: Literal["trial_started"] = "trial_started"
    task_id: str
    """The task that the trial is a try at."""
    instruction: Text
    """The task's text."""
    now: Annotated[str, AfterValidator(_time_or_empty)]
    """The time that the trial's scripts see, ISO 8601; empty if they have no clock."""
    tool_schema: Text
    """The operations that the trial's environment declares, as JSON text."""
    origin: str = ""
    """The trial that this one was forked from: its scripts draw the same random numbers.
    Empty if it is not a fork."""
    step: Count = 0
    """The step with which a later attempt continues the trial; 0 for the first attempt."""
    number: Count = 0
    """For a later attempt, the first call of that step to be made: the earlier calls are in
    the journal. Calls count from 0."""
    begins_anew: bool = False
    """True if the environment was lost, so that the trial begins again.
    What was recorded before no longer counts as its work."""


class EndpointLearned(TrialEvent):
    """The endpoint refused a part of a request, such as `seed`.
    Requests in the rest of the run leave this part out."""

    in_totals = True  # The summary of a run counts it.

    type: Literal["endpoint_learned"] = "endpoint_learned"
    capabilities: Capabilities
    """All that is known of which parts of requests the endpoint takes."""


class RankedFile(Record):
    """A file that the first message might show because it fits the instruction."""

    path: Text
    score: Amount
    """How well it fits; the files of one trial are compared by it."""
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
    """The pieces of the first message."""
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


class Noticed(TrialEvent):
    """A noteworthy occurrence in a trial other than a step:
    a retry, a pause, a sandbox that was restarted."""

    in_totals = True  # The summary of a run counts it.

    type: Literal["notice"] = "notice"
    text: Text
    """One line."""
    retry: bool = False
    """True if a request failed transiently and is repeated."""


class CallOutput(TrialEvent):
    """What a call prints while it still runs, such as a command in a container.

    It is for those who watch; the result of the call has the whole output.
    """

    in_totals = True  # The summary of a run counts it.

    type: Literal["call_output"] = "call_output"
    text: str
    """The end of what it has printed so far."""
