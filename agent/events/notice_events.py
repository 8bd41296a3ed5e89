"""The events that the user may want to know of, beside the work on the trial.

They tell those who watch a run, or read its journal, why it waits, for example:

    endpoint_learned   the endpoint does not take `seed`
    notice             the endpoint is busy; asking again in 0.7 s (try 2)
    call_output        a command that still runs has printed "42 files"
"""

from __future__ import annotations

from typing import Literal

from controlplane.agent.events.event import TrialEvent
from controlplane.agent.events.record import Text
from controlplane.agent.model import Capabilities


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
