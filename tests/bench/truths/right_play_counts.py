"""Counts of what happened to right plays: those that make the calls which a suite's authors call right.

`counted_plays(run)` is, for example,
`RightPlays(number=20, with_held_call=3, with_rejected_answer=0, lost=0)`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane import RunReport

PROVENANCE_CHECK: Final = "provenance"
"""The name of the check that holds such calls, as a trial's report has it."""


@dataclass(frozen=True, slots=True)
class RightPlays:
    """How many right plays a suite has, and what happened to them under one policy.

    A right play makes the calls, and gives the answer, that the suite's authors call right.
    """

    number: int
    with_held_call: int
    """Plays with at least one call that was not sent at once, because its arguments come from
    untrusted text."""
    with_rejected_answer: int
    """Plays with at least one answer that a gate rejected."""
    lost: int
    """Plays without the full score."""


def counted_plays(run: RunReport) -> RightPlays:
    """Return what happened to the plays of a run, each of which is a trial."""
    with_held_call = 0
    with_rejected_answer = 0
    lost = 0
    for trial in run.trials:
        stopping_checks = {call.stopped_by for call in trial.stopped}
        if PROVENANCE_CHECK in stopping_checks:
            with_held_call += 1
        if trial.rejections:
            with_rejected_answer += 1
        if trial.score is None or trial.score < 1:
            lost += 1
    return RightPlays(len(run.trials), with_held_call, with_rejected_answer, lost)
