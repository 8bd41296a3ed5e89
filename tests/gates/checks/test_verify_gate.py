"""Gate 7: the script's own function `verify` must confirm the answer.

The gate calls `verify` with the scratchpad, to which it must say yes, and with a blanked copy,
which has no answer. A `verify` that says yes to this copy, too, checks nothing.
"""

import pytest

from tests.gates.found_verdicts import verdict_of
from tests.gates.judged_scratchpads import judge_scratchpad, valid_scratchpad
from tests.gates.scripted_verify import ScriptedVerify, VerifyAnswer

VERIFY_GATE = 7


class ConfirmsOnce(ScriptedVerify):
    """A `verify` that says yes only at its first call, to the scratchpad with the answer."""

    def ask(self, blanked: bool) -> VerifyAnswer:
        if self.asked:
            return VerifyAnswer(says_yes=False)
        return super().ask(blanked)


@pytest.mark.parametrize(
    ("verify", "reason"),
    [
        pytest.param(
            ScriptedVerify(as_submitted=VerifyAnswer(says_yes=False)),
            "did not return True",
            id="says no",
        ),
        pytest.param(
            ScriptedVerify(
                as_submitted=VerifyAnswer(says_yes=False, error="KeyError: 'total'")
            ),
            "KeyError: 'total'",
            id="raises",
        ),
        # An error counts whatever the call returned.
        pytest.param(
            ScriptedVerify(
                as_submitted=VerifyAnswer(says_yes=True, error="time-out after 5 s")
            ),
            "time-out after 5 s",
            id="hangs",
        ),
        pytest.param(
            ScriptedVerify(blanked=VerifyAnswer(says_yes=True)),
            "checks nothing",
            id="confirms the blanked copy",
        ),
        pytest.param(
            ConfirmsOnce(), "when it was asked again", id="says no the second time"
        ),
    ],
)
def test_an_answer_that_its_verify_does_not_confirm_is_rejected(
    verify: ScriptedVerify, reason: str
) -> None:
    """A script that does not confirm its own answer is mistaken in the answer or in the check.

    `as_submitted` is what `verify` says of the answer, and `blanked` what it says of the copy.
    """
    judgement = judge_scratchpad(valid_scratchpad(), verify=verify)

    verify_verdict = verdict_of(judgement, VERIFY_GATE)
    assert verify_verdict.result == "reject"
    assert reason in verify_verdict.reason
