"""Repeats the recorded steps of a trial, in a resumed trial or a replay.

The journal is a file with the events of all trials. The events of one trial make up its
*record*. The `Tape` is the record of an earlier attempt at a trial, while the trial
repeats it. Everything that a trial needs from outside goes through one of these classes:

    solver ── session ──┬─ TapedJournal ───── writes calls and notices to the journal
                        ├─ TapedSteps ─────── writes the summaries of whole steps
                        ├─ TapedSubmissions ─ writes citations and judged submissions
                        ├─ TapedStart ─────── looks up the clock, and starts the first calls
                        ├─ TapedCalls ─────── looks up the outcomes of calls
                        ├─ TapedModels ────── looks up replies to the solver, and reviews
                        ├─ TapedSideReplies ─ looks up replies outside of its conversation
                        └─ TapedAnswers ───── sends accepted answers

What is on the tape is not written or sent again. The checks of calls (`checks/`) look there,
too: which calls were stopped, and which the user approved. `LOST` is the error of a call that a process
did not finish, because it was killed.

Each class looks for an entry on the tape at the same place: step, kind and number, such
as the third call of step 2. If the record has ended, the trial asks the environment, the
model or the user. A replay has none of them: it reports a difference. No other part of
a trial knows whether it is new, resumed or replayed.

The module `attempt` decides how a new attempt continues a recorded trial, and
`repeated_calls` makes its calls again in a new environment.
"""

from controlplane.agent.evidence.tape.comparison import Difference, RecordDiverged
from controlplane.agent.evidence.tape.recorded_calls import RecordedCalls
from controlplane.agent.evidence.tape.tape import Tape
from controlplane.agent.evidence.tape.taped_answers import TapedAnswers
from controlplane.agent.evidence.tape.taped_calls import LOST, TapedCalls
from controlplane.agent.evidence.tape.taped_journal import TapedJournal
from controlplane.agent.evidence.tape.taped_models import TapedModels
from controlplane.agent.evidence.tape.taped_side_replies import TapedSideReplies
from controlplane.agent.evidence.tape.taped_start import TapedStart
from controlplane.agent.evidence.tape.taped_steps import TapedSteps
from controlplane.agent.evidence.tape.taped_submissions import TapedSubmissions

__all__ = [
    "LOST",
    "Difference",
    "RecordDiverged",
    "RecordedCalls",
    "Tape",
    "TapedAnswers",
    "TapedCalls",
    "TapedJournal",
    "TapedModels",
    "TapedSideReplies",
    "TapedStart",
    "TapedSteps",
    "TapedSubmissions",
]
