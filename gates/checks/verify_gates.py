"""Judges the `verify` function with which a script checks its own answer: gates 1 and 7.

    def verify(sp):
        return "2027-03-19" in sp["answer"]
    harness.answer(scratchpad, verify)

Gate 1 rejects a `verify` that cannot be called with the scratchpad. Gate 7 calls it,
and rejects an answer that it refuses, and a `verify` that accepts anything.
"""

from __future__ import annotations

from typing import Final

from controlplane.gates.evidence import Evidence
from controlplane.gates.opinions import Inapplicable, Opinion
from controlplane.gates.quoting import quote
from controlplane.gates.submission import Case, Submission

_NO_SCRIPT: Final = Inapplicable("the submission does not come from a script")
_SHOWN_ERROR_CHARS: Final = 300
"""Characters that a message shows of an exception which `verify` raised."""


def judge_verify_signature(
    submission: Submission, evidence: Evidence, case: Case
) -> Opinion:
    """Reject a script's answer whose `verify` cannot be called with one argument.

    Gate 7 needs a function to call. Accepts any callable that takes the scratchpad: a
    lambda, a function of another name, further parameters with defaults.
    """
    if not submission.from_script:
        return _NO_SCRIPT
    probe = submission.probe  # knows the script's `verify`
    if probe is None or not probe.is_callable:
        return (
            "`verify` is not a function: define `def verify(sp): return <what must hold of sp>` "
            "and call `harness.answer(scratchpad, verify)`."
        )
    if not probe.takes_one_argument:
        return (
            "`verify` must be callable with one argument, the scratchpad: write `def verify(sp): "
            "…` and pass the function itself, not its result."
        )
    return None


def judge_verify_reply(submission: Submission) -> Opinion:
    """Reject an answer that its own `verify` rejects, or whose `verify` checks nothing.

    A script passes this function with its answer. The function is called three times. It must
    accept the submission, reject a copy without answer, outcome and citations, and accept the
    submission again. No other gate relies on its reply, which is only a claim of the script.
    """
    # The probe calls the `verify` of the running script. A recorded answer has none.
    probe = submission.probe
    if not submission.from_script or probe is None:
        return _NO_SCRIPT

    # 1. It must accept the answer.
    reply = probe.reply_to_submission()
    if reply.error:
        return (
            f"`verify` did not answer: {quote(reply.error, _SHOWN_ERROR_CHARS)}. Make it compare "
            "`sp` with values that the script already holds (it need not call the harness), and "
            "return True or False."
        )
    if not reply.says_yes:
        return (
            "`verify(scratchpad)` did not return True (or a mapping whose `ok` is true) for this "
            "answer: compare both with what was read, and correct the one that is wrong."
        )

    # 2. It must reject a blank submission, unless the answer itself is blank. An exception counts
    #    as a rejection.
    reply_to_blank = probe.reply_to_blank_copy()
    accepts_blank = reply_to_blank.says_yes and not reply_to_blank.error
    if accepts_blank and submission.answer_text.strip():
        return (
            "`verify` also says yes when answer, outcome and refs are blank, so it checks nothing: "
            'have it test `sp["answer"]`, for example `return str(expected) in sp["answer"]`.'
        )

    # 3. It must accept the answer again, so it does not depend on chance or on earlier calls.
    second_reply = probe.reply_to_submission()
    if second_reply.error:
        return (
            "`verify(scratchpad)` returned True for this answer, and gave no reply when it was asked "
            f"again: {quote(second_reply.error, _SHOWN_ERROR_CHARS)}. Make it compare `sp` with "
            "values that the script already holds, and change nothing."
        )
    if not second_reply.says_yes:
        return (
            "`verify(scratchpad)` returned True for this answer and something else when it was "
            "asked again: have it depend on `sp` and on values that the script holds, and change "
            "nothing."
        )
    return None
