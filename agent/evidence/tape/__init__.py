"""Repeats the recorded steps of a trial, to go on with it, or to compare it with its record.

A trial whose process was killed is *resumed*: it repeats its recorded steps, its `Tape`, and goes
on. What it does is compared with what the tape has at this place:

    the script cites   the tape has   the trial
    /a.md              /a.md          takes the recorded outcome
    /b.md              nothing        does it now, and writes it to the journal
    /c.md              /x.md          ends with `RecordDiverged`

A *replay* repeats a trial only to note such differences. `TapeReader` alone decides which case it
is. These modules ask it:

    call_stops      before an event is written: a citation, a submission, the end of a step;
                    and before a call is stopped
    tape_reader     before the user is asked, a model or the second reader is asked, a call is
                    made or its event is written
    trial_answers   before an answer is sent

`tape` looks at the tape itself, for what has no place in a step: the time at the start, messages
to the user, and the replies to others than the solver.

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
