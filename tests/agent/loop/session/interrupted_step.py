"""The events of a trial that was interrupted: its first event, its first two events, and so on.

    whole = whole_trial()
    types_of(whole)        # ["call", "citation", "model_replied", ...]
    beginnings_of(whole)   # [whole[:1], whole[:2], ...]

The trial has one step, in which its solver does all that a solver can do: `solve_in_one_step`.
"""

from collections.abc import Sequence
from functools import partial

from controlplane.agent.events import TrialEvent
from tests.agent.loop.session.one_step_solver import CountingModel, solve_in_one_step
from tests.agent.loop.session.solved_session import events_of
from tests.support.journals.read_events import is_announced_call


def whole_trial() -> list[TrialEvent]:
    """Return the events of a trial that was not interrupted."""
    return events_of(partial(solve_in_one_step, model=CountingModel()))


def types_of(events: Sequence[TrialEvent]) -> list[str]:
    """Return the types of events, without requests to the model.

    A resumed trial sends a request again if the journal lacks its reply, so both attempts have it.
    """
    return [event.type for event in events if event.type != "model_asked"]


def beginnings_of(whole: Sequence[TrialEvent]) -> list[Sequence[TrialEvent]]:
    """Return the journals of trials that were interrupted: the first event, the first two ...

    Neither the empty journal nor the whole one is among them, nor one that ends with the
    announcement of a call. Such a trial does not go on like the whole one: nobody knows whether the
    call was made, and the solver gets an error.
    """
    beginnings = [whole[:count] for count in range(1, len(whole))]
    return [recorded for recorded in beginnings if not is_announced_call(recorded[-1])]
