"""Judges a recorded submission whose `verify` the run never called.

A script submits an answer with a function `verify`, which gate 7 calls to test the answer. When gates judge
anew, that function cannot be called, and without one, gate 7 would reject. So the gate gets a `verify`
that approves. Its verdict says nothing about the script's function, so it is then replaced.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from controlplane.agent.events import Judged
from controlplane.gates.submission import Submission
from controlplane.gates.verdicts import VERIFY_GATE, Judgement, Verdict

NOT_ASKED: Final = "its verify was not asked then, so what it says is not known"
"""The reason in a skipped verdict of gate 7."""


def asked_verify(recorded: Judged) -> bool:
    """Return False if the run skipped gate 7, so that it never called the script's `verify`."""
    for verdict in recorded.verdicts:
        if verdict.gate == VERIFY_GATE and verdict.result == "skipped":
            return False
    return True


def with_approving_verify(submission: Submission) -> Submission:
    """Return a submission whose `verify` approves it, without calling the script's."""
    assert submission.probe is not None
    approving_probe = submission.probe._replace(ask=_answer_like_sound_verify)
    return replace(submission, probe=approving_probe)


def _answer_like_sound_verify(is_blank: bool) -> tuple[bool, str]:
    """Answer gate 7 as a sound `verify` would: approve the submission, reject a blank answer.

    The gate asks about a blank answer, too, because a `verify` that approves it checks
    nothing. Returns whether it approves, and an error text, which is empty.
    """
    return not is_blank, ""


def with_verify_skipped(judgement: Judgement) -> Judgement:
    """Return a judgement in which gate 7 is skipped instead of passed: what it says is not known."""
    verdicts: list[Verdict] = []
    for verdict in judgement.verdicts:
        if verdict.gate == VERIFY_GATE and verdict.result == "pass":
            verdict = replace(verdict, result="skipped", reason=NOT_ASKED)
        verdicts.append(verdict)
    return replace(judgement, verdicts=tuple(verdicts))
