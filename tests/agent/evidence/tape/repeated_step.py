"""A trial that repeats a step of its record, which has the citations of `/a.md` and `/b.md`.

    recorded in the journal   A, B
    cited now                 A, and next B

    reader = reader_after(A)
    reader.take(B)             # -> B: the record has it, too
    reader.tape.differences    # -> []: nothing differs from the record

The trial was *resumed* after its process was killed, or a *replay* compares it with its record.
"""

from controlplane.agent.events import Citation, StepDone
from controlplane.agent.evidence import Tape
from controlplane.agent.evidence.calls import StepLog
from controlplane.agent.evidence.tape import TapeReader
from controlplane.agent.record.trial_record import RecordedSteps, TrialRecord
from controlplane.agent.record.trial_step import TrialStep

A = Citation(path="/a.md", reason="it names the fee", spelling="/a.md")
B = Citation(path="/b.md", reason="it names the fee", spelling="/b.md")

REFUSED_B = Citation(path="/b.md", reason="it names the fee", error="it was not read")
"""The same citation as `B`, with another outcome."""

C = Citation(path="/c.md", reason="it names the fee", spelling="/c.md")
"""A citation that is not in the record."""


def reader_after(
    *cited_now: Citation,
    record_has_end_of_step: bool = False,
    is_replay: bool = False,
) -> TapeReader:
    """Return the reader that compares a trial with its record, once it has cited these files.

    The trial is resumed, or replayed if `is_replay`. The record has the end of the step, or else
    the process was killed before it.
    """
    step = TrialStep(1, citations=[A, B])
    if record_has_end_of_step:
        step.done = StepDone(trial_id="t", step=1)
        recorded_steps = RecordedSteps(whole=[step])
    else:
        recorded_steps = RecordedSteps(open=step)
    tape = Tape(TrialRecord(all_steps=recorded_steps), is_replay)

    step_log = StepLog()
    step_log.begin(1)
    step_log.trial_step.citations.extend(cited_now)
    return TapeReader(tape, step_log)
