"""A script cannot change what it submitted while the gates, the checks of answers, judge it.

Gate 7 calls the script's own function `verify`, which must confirm the answer. It may change the
scratchpad that was submitted, but the gates judge a copy of it.
"""

from __future__ import annotations

import pytest

from tests.gates.judged_scratchpads import judge_scratchpad, valid_scratchpad
from tests.gates.scripted_verify import ScriptedVerify, VerifyAnswer

pytestmark = pytest.mark.second_tier


class EditingVerify(ScriptedVerify):
    """A `verify` that edits the submitted scratchpad while gate 7 calls it, and then says yes."""

    def __init__(self, scratchpad: dict[str, object]) -> None:
        super().__init__()
        self.scratchpad = scratchpad

    def ask(self, blanked: bool) -> VerifyAnswer:
        """Sneak another outcome and a citation in."""
        self.scratchpad["outcome"] = "OUTCOME_DENIED_SECURITY"
        self.scratchpad["refs_why"]["/etc/passwd"] = "sneaked in later"
        return super().ask(blanked)


def test_a_verify_that_edits_the_scratchpad_does_not_change_the_submission() -> None:
    """The scratchpad was copied before `verify` was called, so that the edits come too late."""
    scratchpad = valid_scratchpad()

    judgement = judge_scratchpad(scratchpad, verify=EditingVerify(scratchpad))

    assert judgement.accepted
    assert judgement.outcome == "OUTCOME_OK"
    assert judgement.refs == ("/docs/Loans.md",)
