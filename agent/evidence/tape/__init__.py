"""Repeats the recorded steps of a trial, to go on with it, or to compare it with its record.

A trial whose process was killed is *resumed*: it repeats its recorded steps, its `Tape`, and goes
on. What it does is compared with what the tape has at this place:

    the script cites   the tape has   the trial
    /a.md              /a.md          takes the recorded outcome
    /b.md              nothing        does it now, and writes it to the journal
    /c.md              /x.md          ends with `RecordDiverged`

A *replay* repeats a trial only to note such differences. `TapeReader` alone decides which case it
is. These modules ask it:

    trial_journal      before an event is written: a citation, a submission, the end of a step
    call_stops         before a call is stopped
    approvals          before the user is asked
    recorded_replies   before a model is asked for a reply to the solver
    recorded_review    before the second reader is asked
    recorded_calls     before a call is made
    call_events        before the event of a call is written
    trial_answers      before an answer is sent

Three modules look at the tape itself, for what has no place in a step: `trial_start` for the time
at the start, `trial_notices` for messages to the user, and `recorded_side_replies` for the replies
to others than the solver.

No other part of a trial knows whether it is new, resumed or replayed.
"""

from controlplane.agent.evidence.tape.call_stops import TrialJournal
from controlplane.agent.evidence.tape.tape import (
    Difference,
    NextEnvironment,
    RecordDiverged,
    Tape,
)
from controlplane.agent.evidence.tape.tape_reader import TapeReader

__all__ = [
    "Difference",
    "NextEnvironment",
    "RecordDiverged",
    "Tape",
    "TapeReader",
    "TrialJournal",
]
