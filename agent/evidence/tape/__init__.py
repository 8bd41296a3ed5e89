"""Recorded steps that a trial goes through again, and the seams that answer from them.

A resumed trial repeats the steps that an earlier attempt recorded, and a replay repeats all steps of
a trial. The record of these steps is the `Tape`. Whatever a trial needs from outside passes one of
four seams. A seam first looks up the tape at the same place (step, kind and number). If the tape has
an entry there, the seam answers with the recorded entry. If the record has ended, a live trial goes on
with the real thing, and a replay reports that the record has ended. No other part of a trial knows
whether it is live, resumed or replayed.

    solver ── session ──┬─ TapedJournal ─── compares events with the tape, or writes them
                        ├─ TapedCalls ───── calls and the answer: from the tape, or the environment
                        ├─ TapedModels ──── replies: from the tape, or the models
                        └─ TapedUser ────── approvals: from the tape, or the user

`attempt` says what a record means for the attempt that begins, and repeats recorded calls in a
rebuilt environment.
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
