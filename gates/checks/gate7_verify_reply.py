"""Gate 7: the script's own `verify` says yes, and would not say yes to anything."""

from __future__ import annotations

from gates.types.evidence import Evidence
from gates.types.plain_data import show
from gates.types.submission import Case, Submission
from gates.types.verdict import Verdict, not_applicable, passes, rejects

GATE = 7


def judge_verify_reply(submission: Submission, evidence: Evidence, case: Case) -> Verdict:
    """Reject an answer that its own `verify` denies, or whose `verify` checks nothing.

    Stands against answers that drifted from what the script found, and against `return True`. It is asked twice: as
    submitted (must say yes), then with answer, outcome and refs blanked (must not). An exception in the second call
    counts as a no. What it returns is a claim; it is never trusted for more than this.
    """
    probe = submission.probe
    if not submission.from_script or probe is None:
        return not_applicable(GATE, "the submission does not come from a script")
    reply = probe.ask(False)
    if reply.error:
        return rejects(
            GATE,
            f"`verify` did not answer: {show(reply.error, 300)}. Make it compare `sp` with values that the script "
            "already holds (it need not call the harness), and return True or False.",
        )
    if not reply.says_yes:
        return rejects(
            GATE,
            "`verify(scratchpad)` did not return True (or a mapping whose `ok` is true) for this answer: mend the "
            "answer where it is wrong, or `verify` where it tests the wrong thing.",
        )
    blank = probe.ask(True)
    if blank.says_yes and not blank.error:
        return rejects(
            GATE,
            "`verify` also says yes when answer, outcome and refs are blank, so it checks nothing: have it test "
            '`sp["answer"]`, for example `return str(expected) in sp["answer"]`.',
        )
    return passes(GATE)
