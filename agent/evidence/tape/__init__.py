"""Repeats the recorded steps of a trial, in a resumed trial or a replay.

A resumed trial repeats the steps that an earlier attempt recorded. A replay repeats all
steps of a trial. The `Tape` holds the recorded steps. Everything that a trial needs
from outside goes through one of four classes:

    solver ── session ──┬─ TapedJournal ─── compares events with the tape, or writes them
                        ├─ TapedCalls ───── calls and the answer: from the tape, or the environment
                        ├─ TapedModels ──── replies: from the tape, or the models
                        └─ TapedUser ────── approvals: from the tape, or the user

Each class looks for an entry on the tape at the same place: step, kind and number, such
as the third call of step 2. If there is one, the class returns the recorded entry. If
the record has ended, a live trial asks the real thing, and a replay reports that the
record has ended. No other part of a trial knows whether it is live, resumed or
replayed.

The module `attempt` decides how a new attempt continues a recorded trial, and repeats
recorded calls in a rebuilt environment.
"""

from controlplane.agent.evidence.tape.tape import Difference, RecordDiverged, Tape
from controlplane.agent.evidence.tape.taped_calls import LOST, TapedCalls
from controlplane.agent.evidence.tape.taped_journal import TapedJournal
from controlplane.agent.evidence.tape.taped_models import TapedModels
from controlplane.agent.evidence.tape.taped_user import TapedUser

__all__ = [
    "LOST",
    "Difference",
    "RecordDiverged",
    "Tape",
    "TapedCalls",
    "TapedJournal",
    "TapedModels",
    "TapedUser",
]
