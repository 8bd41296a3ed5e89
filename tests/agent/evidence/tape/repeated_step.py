"""The reader of a trial that repeats a recorded step, in which a script had cited two files.

    reader = reader_after(A)   # The repeated script has cited `/a.md` so far.
    reader.take(B)             # -> B, the next recorded citation
    reader.tape.differences    # -> []

In a *whole* step, the script had ended after the two citations; else, its process was killed then.
"""

from controlplane.agent.events import Citation, StepDone
from controlplane.agent.evidence import Tape
from controlplane.agent.evidence.calls.step_log import StepLog
from controlplane.agent.evidence.tape import TapeReader
from controlplane.agent.record.recorded_steps import RecordedSteps
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.agent.record.trial_step import TrialStep

A = Citation(path="/a.md", reason="it names the fee", spelling="/a.md")
B = Citation(path="/b.md", reason="it names the fee", spelling="/b.md")
C = Citation(path="/c.md", reason="it names the fee", spelling="/c.md")
REFUSED_B = Citation(path="/b.md", reason="it names the fee", error="it was not read")
"""The same citation as `B`, with another outcome."""


def reader_after(
    *cited_now: Citation, is_whole: bool = False, is_replay: bool = False
) -> TapeReader:
    """Return the reader of a trial that repeats step 1, and has cited these files so far."""
    recorded = TrialStep(1, citations=[A, B])
    steps = RecordedSteps(open=recorded)
    if is_whole:
        recorded.done = StepDone(trial_id="t", step=1)
        steps = RecordedSteps(whole=[recorded])
    step_log = StepLog()
    step_log.begin(1)
    step_log.trial_step.citations += cited_now
    return TapeReader(Tape(TrialRecord(all_steps=steps), is_replay), step_log)
