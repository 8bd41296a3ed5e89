"""A replay runs the steps of a recorded trial again, and finds where they differ from the record.

Calls get their recorded results. Verdicts of the gates and the checks of citations are made anew, and
compared with the record. Here, the record was changed by hand.
"""

from __future__ import annotations

import pytest

from controlplane.agent.events import StepDone
from controlplane.agent.evidence import Difference
from controlplane.agent.loop import TrialSession
from controlplane.gates.submission import Submission
from controlplane.replay.recording import Recording, RerunSettings
from controlplane.replay.rerun import rerun
from controlplane.sandbox import ForkServer
from tests.agent.loop.session.solved_session import TRIAL, events_of
from tests.support.counting_environment import TOOL_SCHEMA
from tests.support.journals.read_events import trial_records_of


def solve(session: TrialSession) -> None:
    """Read a note, and answer with its word. A citation of the draft, not read, is refused."""
    session.call("read", {"path": "/note.txt"})
    with pytest.raises(ValueError, match="not read"):
        session.check_citation("/draft.txt", "the draft of the word")
    reason = "the note says that the word is heron"
    session.submit(
        Submission(answer="heron", outcome="OUTCOME_OK", refs_why={"/note.txt": reason})
    )


def recorded_step() -> StepDone:
    """Return the record of the trial's only step."""
    (step,) = [event for event in events_of(solve) if isinstance(event, StepDone)]
    return step


def replay(step: StepDone, server: ForkServer) -> Difference | None:
    """Replay a recorded step, and return the first difference from the record."""
    record = trial_records_of([step])[TRIAL.trial_id]
    recording = Recording(TRIAL, TOOL_SCHEMA, record)
    (difference,) = rerun(recording, server, RerunSettings())
    return difference


def test_a_record_that_nobody_changed_has_no_difference(server: ForkServer) -> None:
    assert replay(recorded_step(), server) is None


def test_another_verdict_than_the_recorded_one_is_a_difference(
    server: ForkServer,
) -> None:
    """The gates accept the submission. The record says that they rejected it."""
    step = recorded_step()
    (verdict,) = step.verdicts
    rejection = verdict.model_copy(update={"accepted": False})
    altered_step = step.model_copy(update={"verdicts": (rejection,)})

    difference = replay(altered_step, server)

    assert difference is not None
    assert difference.field == "verdicts"
    assert difference.recorded == rejection
    assert difference.now == verdict


def test_another_citation_than_the_recorded_one_is_a_difference(
    server: ForkServer,
) -> None:
    """The draft was not read. The record says that it could be cited."""
    step = recorded_step()
    (refused,) = step.citations
    accepted = refused.model_copy(update={"error": "", "spelling": "/draft.txt"})
    altered_step = step.model_copy(update={"citations": (accepted,)})

    difference = replay(altered_step, server)

    assert difference is not None
    assert difference.field == "citations[0]"
    assert difference.recorded == accepted
    assert difference.now == refused
