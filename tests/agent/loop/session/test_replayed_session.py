"""A replay runs the steps of a recorded trial again, and finds where they differ from the record.

Calls get their recorded results. Verdicts of the gates and the checks of citations are made anew, and
compared with the record. Here, the record was changed by hand.
"""

from __future__ import annotations

from functools import partial

from controlplane.agent.events import StepDone
from controlplane.replay.recording import Recording, RerunSettings
from controlplane.replay.rerun import rerun
from controlplane.sandbox import ForkServer
from tests.agent.loop.session.one_step_solver import CountingModel, solve_in_one_step
from tests.agent.loop.session.solved_session import TRIAL, events_of
from tests.support.counting_environment import TOOL_SCHEMA
from tests.support.journals.read_events import trial_records_of


def recorded_step() -> StepDone:
    """Return the only step of a trial that `solve_in_one_step` solves."""
    events = events_of(partial(solve_in_one_step, model=CountingModel()))
    (step,) = [event for event in events if isinstance(event, StepDone)]
    return step


def field_that_differs(step: StepDone, server: ForkServer) -> str:
    """Replay a recorded step, and return the first field with another value than recorded."""
    record = trial_records_of([step])[TRIAL.trial_id]
    recording = Recording(TRIAL, TOOL_SCHEMA, record)
    (difference,) = rerun(recording, server, RerunSettings())
    assert difference is not None
    return difference.field


def test_another_verdict_than_the_recorded_one_is_a_difference(
    server: ForkServer,
) -> None:
    """The record has the opposite of what the gates say when the step is replayed."""
    step = recorded_step()
    opposite_verdicts = tuple(
        verdict.model_copy(update={"accepted": not verdict.accepted})
        for verdict in step.verdicts
    )
    altered_step = step.model_copy(update={"verdicts": opposite_verdicts})

    assert field_that_differs(altered_step, server).startswith("verdicts")


def test_another_citation_than_the_recorded_one_is_a_difference(
    server: ForkServer,
) -> None:
    """The record says that the draft, which was not read, could be cited."""
    step = recorded_step()
    accepted = {"reason": "none at all", "error": "", "spelling": "/draft.txt"}
    accepted_citations = tuple(
        citation.model_copy(update=accepted) for citation in step.citations
    )
    altered_step = step.model_copy(update={"citations": accepted_citations})

    assert field_that_differs(altered_step, server).startswith("citations")
