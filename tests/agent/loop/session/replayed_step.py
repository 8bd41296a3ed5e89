"""A trial of one step, and the replay of it, which finds where it differs from the record.

`replay(recorded_step(), server)` is None, since nothing differs. If the record of the step was changed by
hand, `replay` returns the first difference.
"""

import pytest

from controlplane.agent.events import StepDone
from controlplane.agent.evidence import Difference
from controlplane.agent.loop import TrialSession
from controlplane.gates.submission import Submission
from controlplane.replay.rerun import rerun
from controlplane.replay.verified_recording import Recording, RerunSettings
from controlplane.sandbox import ForkServer
from tests.agent.loop.session.solved_session import TRIAL, events_of
from tests.support.counting_environment import TOOL_SCHEMA
from tests.support.journals.trial_records import trial_records_of


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
