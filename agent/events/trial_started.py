"""The event that a trial has begun, or goes on after its process was killed.

A trial is one try at a task. Each process that works on it is an *attempt*. Here the first one
was killed during call 2 of step 3, with which the next one begins:

    trial_started  step 0  number 0
    trial_started  step 3  number 2
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator

from controlplane.agent.events.event import TrialEvent
from controlplane.agent.events.record import Text
from controlplane.agent.model import Count


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
