"""Gate 7: the script's own `verify` accepts the answer and rejects a blank one."""

from __future__ import annotations

from gates.types.evidence import Evidence
from gates.types.plain_data import quote
from gates.types.submission import Case, Submission
from gates.types.verdict import Verdict, not_applicable, passes, rejects

GATE = 7


def judge_verify_reply(submission: Submission, evidence: Evidence, case: Case) -> Verdict:
    """Reject an answer that its own `verify` rejects, or whose `verify` checks nothing.

    Guards against answers that drifted from what the script found, and against `return True`. It calls `verify` twice:
    on the submission (it must return yes), then with answer, outcome and refs blanked (it must not). An exception in
    the second call counts as a no. The reply is the script's untrusted claim.
    """
    probe = submission.probe
    if not submission.from_script or probe is None:
        return not_applicable(GATE, "the submission does not come from a script")
    reply = probe.ask(False)
    if reply.error:
        return rejects(
            GATE,
            f"`verify` did not answer: {quote(reply.error, 300)}. Make it compare `sp` with values that the script "
            "already holds (it need not call the harness), and return True or False.",
        )
    if not reply.says_yes:
        return rejects(
            GATE,
            "`verify(scratchpad)` did not return True (or a mapping whose `ok` is true) for this answer: compare both "
            "with what was read, and correct the one that is wrong.",
        )
    blank = probe.ask(True)
    if blank.says_yes and not blank.error:
        return rejects(
            GATE,
            "`verify` also says yes when answer, outcome and refs are blank, so it checks nothing: have it test "
            '`sp["answer"]`, for example `return str(expected) in sp["answer"]`.',
        )
    return passes(GATE)
