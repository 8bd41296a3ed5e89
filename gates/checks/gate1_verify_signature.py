"""Gate 1: a script's answer comes with a `verify` that can be called."""

from __future__ import annotations

from gates.types.evidence import Evidence
from gates.types.submission import Case, Submission
from gates.types.verdict import Verdict, not_applicable, passes, rejects

GATE = 1


def judge_verify_signature(submission: Submission, evidence: Evidence, case: Case) -> Verdict:
    """Reject a script's answer whose `verify` is no function of one argument.

    Guards against untested answers: gate 7 needs a function to call. Lets pass any callable that takes the scratchpad:
    a lambda, a function of another name, further parameters with defaults.
    """
    if not submission.from_script:
        return not_applicable(GATE, "the submission does not come from a script")
    probe = submission.probe
    if probe is None or not probe.is_callable:
        return rejects(
            GATE,
            "`verify` is not a function: define `def verify(sp): return <what must hold of sp>` and call "
            "`harness.answer(scratchpad, verify)`.",
        )
    if not probe.takes_one_argument:
        return rejects(
            GATE,
            "`verify` must be callable with one argument, the scratchpad: write `def verify(sp): …` and pass the "
            "function itself, not its result.",
        )
    return passes(GATE)
