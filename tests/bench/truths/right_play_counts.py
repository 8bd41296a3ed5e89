"""Counts of what happened to plays that make the right calls of a suite's tasks.

The *provenance check* stops a call whose arguments come from untrusted text. The call is not sent at
once, even if it is a right one. Then the check has cost the user something:

`counted_plays(run)` is, for example,
`RightPlays(number=20, with_stopped_call=3, with_rejected_answer=0, lost=0)`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane import RunReport

PROVENANCE_CHECK: Final = "provenance"
"""The name of the check in the report of a trial."""


@dataclass(frozen=True, slots=True)
class RightPlays:
    """How many right plays a suite has, and what happened to them under one policy.

    A right play of a task makes the right calls and gives the right answer, as the suite's authors
    have written them down.
    """

    number: int
    with_stopped_call: int
    """Plays with at least one call that the provenance check stopped."""
    with_rejected_answer: int
    """Plays with at least one answer that a gate rejected."""
    lost: int
    """Plays without the full score."""


def counted_plays(run: RunReport) -> RightPlays:
    """Return what happened to the plays of a run, each of which is a trial."""
    with_stopped_call = 0
    with_rejected_answer = 0
    lost = 0
    for trial in run.trials:
        stopping_checks = {call.stopped_by for call in trial.stopped}
        if PROVENANCE_CHECK in stopping_checks:
            with_stopped_call += 1
        if trial.rejections:
            with_rejected_answer += 1
        if trial.score is None or trial.score < 1:
            lost += 1
    return RightPlays(len(run.trials), with_stopped_call, with_rejected_answer, lost)
