"""Whatever a script submits, the gates judge it without an exception.

A script is written by a model and may submit anything: lists that contain themselves, or are nested
without end. The gates judge a plain copy of the submission.
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


class TestChangedSubmissions:
    """A script cannot change what it submitted while the gates judge it."""

    def test_a_verify_that_edits_the_scratchpad_does_not_change_the_submission(
        self,
    ) -> None:
        """The scratchpad was copied before `verify` was called, so that the edits come too late."""
        scratchpad = valid_scratchpad()

        judgement = judge_scratchpad(scratchpad, verify=EditingVerify(scratchpad))

        assert judgement.accepted
        assert judgement.outcome == "OUTCOME_OK"
        assert judgement.refs == ("/docs/Loans.md",)


def take_apart(deep_list: list[object]) -> None:
    """Free a list level by level. Python could overflow its stack if it freed all levels at
    once."""
    inner: object = deep_list
    while isinstance(inner, list):
        inner = inner.pop()


class TestNestedLists:
    """A list that cannot be copied counts as missing, so that the submission is rejected."""

    def test_a_list_that_contains_itself_is_rejected(self) -> None:
        cycle: list[object] = []
        cycle.append(cycle)
        facts = {"a": {"value": cycle, "confidence": "x"}}

        judgement = judge_scratchpad(valid_scratchpad(facts=facts, answer=cycle))

        assert not judgement.accepted

    def test_a_list_of_100000_levels_is_rejected(self) -> None:
        """A function that called itself for each level would exceed Python's limit of recursion."""
        deep_list: list[object] = ["bottom"]
        for _ in range(100_000):
            deep_list = [deep_list]
        facts = {"a": {"value": deep_list, "confidence": "x"}}

        judgement = judge_scratchpad(valid_scratchpad(facts=facts, answer=deep_list))

        assert not judgement.accepted
        take_apart(deep_list)
