"""The events of a whole trial: its start, and what is noteworthy.

A trial is one try at a task. If its process was killed, another attempt continues it. Example:
the process was killed during call 2 of step 3, with which the next attempt begins:

    trial_started  step 0  number 0
    trial_started  step 3  number 2
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator

from controlplane.agent.events.event import TrialEvent
from controlplane.agent.events.record import Text
from controlplane.agent.model import Capabilities, Count


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
    """The id of the trial from which this one was forked: its scripts draw the same random
    numbers. Empty if it is not a fork."""
    step: Count = 0
    """The step with which a later attempt continues the trial; 0 for the first attempt."""
    number: Count = 0
    """The first call of that step that a later attempt has to make, counted from 0. The calls
    before it are in the journal."""
    begins_anew: bool = False
    """True if the environment was lost, so that the trial begins again.
    What was recorded before no longer counts as its work."""


class EndpointLearned(TrialEvent):
    """The endpoint refused a part of a request, such as `seed`.

    Requests in the rest of the run leave this part out.
    """

    in_totals = True  # The summary of a run counts it.

    type: Literal["endpoint_learned"] = "endpoint_learned"
    capabilities: Capabilities
    """All that is known of which parts of requests the endpoint takes."""


class Noticed(TrialEvent):
    """Something that the user may want to know: a retry, a pause, a sandbox that was restarted."""

    in_totals = True  # The summary of a run counts it.

    type: Literal["notice"] = "notice"
    text: Text
    """What happened, in one line."""
    retry: bool = False
    """True if a request to a model failed for a moment, and is repeated."""


class CallOutput(TrialEvent):
    """What a call prints while it still runs, such as a command in a container.

    It is for those who watch; the result of the call has the whole output.
    """

    in_totals = True  # The summary of a run counts it.

    type: Literal["call_output"] = "call_output"
    text: str
    """The end of what it has printed so far."""
