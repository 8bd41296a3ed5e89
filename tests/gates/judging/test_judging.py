"""How the verdicts of all gates and rules become one judgement of a submission.

A gate is one of eight built-in checks. A rule is a further check, such as `6/wording` of gate 6. Each
blocks an answer until it is corrected, or asks: it objects twice and then lets the answer pass.
"""

from __future__ import annotations

import pytest

from controlplane.gates.judging.gate_rules import rule_keys
from controlplane.gates.verdicts import GATE_NAMES
from tests.gates.judged_scratchpads import (
    judge_scratchpad,
    rejecting_keys,
    valid_scratchpad,
    verdict_of,
)
from tests.gates.scripted_verify import ScriptedVerify, VerifyAnswer


class TestSoundSubmissions:
    """A submission to which no gate objects is accepted as it is."""

    def test_a_sound_submission_is_accepted_as_it_was_submitted(self) -> None:
        # The trial has read this file, which says so.
        judgement = judge_scratchpad(
            {
                "answer": "A loan runs 21 days.",
                "outcome": "OUTCOME_OK",
                "refs_why": {"/docs/Loans.md": "rule that a loan runs 21 days"},
            }
        )

        assert judgement.accepted
        assert judgement.message == ""
        assert judgement.answer == "A loan runs 21 days."
        assert judgement.outcome == "OUTCOME_OK"
        assert judgement.refs == ("/docs/Loans.md",)

    def test_every_gate_and_rule_gives_a_verdict(self) -> None:
        """A verdict is recorded for each, so that a user can see what was checked."""
        judgement = judge_scratchpad(valid_scratchpad())

        gate_keys: list[str] = []
        for verdict in judgement.verdicts:
            if verdict.name in GATE_NAMES.values():
                gate_keys.append(verdict.key)
        assert gate_keys == ["1", "2", "3", "4", "5", "6", "7", "8"]
        # The rule `review`, which asks a second model, runs elsewhere.
        all_keys = {verdict.key for verdict in judgement.verdicts}
        assert all_keys == rule_keys() - {"review"}


class TestAskingRules:
    """A rule that asks objects in two turns of a trial, and then lets the answer pass.

    Gate 5 asks. It objects to a citation whose reason, "relevant document", fits any file. A model
    that submits it a third time has thought about the objection, and may be right.
    """

    @pytest.mark.parametrize(
        ("earlier_objections", "count_in_message"),
        [
            pytest.param([], "objection 1 of 2]", id="first turn"),
            pytest.param(["too vague"], "objection 2 of 2]", id="second turn"),
        ],
    )
    def test_an_asking_gate_objects_in_two_turns(
        self, earlier_objections: list[str], count_in_message: str
    ) -> None:
        judgement = judge_scratchpad(
            valid_scratchpad(refs_why={"/docs/Loans.md": "relevant document"}),
            earlier_objections={"5": earlier_objections},
        )

        assert verdict_of(judgement, 5).result == "reject"
        assert not judgement.accepted
        assert count_in_message in judgement.message

    @pytest.mark.parametrize(
        "earlier_objections",
        [
            pytest.param(["too vague", "too vague"], id="third turn"),
            pytest.param(["too vague", "too vague", "too vague"], id="fourth turn"),
        ],
    )
    def test_an_asking_gate_is_overridden_after_two_objections(
        self, earlier_objections: list[str]
    ) -> None:
        """The objection is recorded, but the answer is accepted."""
        judgement = judge_scratchpad(
            valid_scratchpad(refs_why={"/docs/Loans.md": "relevant document"}),
            earlier_objections={"5": earlier_objections},
        )

        assert judgement.accepted
        assert judgement.message == ""
        assert verdict_of(judgement, 5).result == "overridden"
        assert "names nothing that was found there" in verdict_of(judgement, 5).reason

    def test_a_blocking_gate_still_rejects_after_two_objections(self) -> None:
        """Gate 7 blocks. It calls the script's function `verify`, which here says no."""
        judgement = judge_scratchpad(
            valid_scratchpad(refs_why={"/docs/Loans.md": "relevant document"}),
            verify=ScriptedVerify(as_submitted=VerifyAnswer(says_yes=False)),
            earlier_objections={
                "5": ["too vague", "too vague"],
                "7": ["did not return True", "did not return True"],
            },
        )

        assert rejecting_keys(judgement) == ["7"]  # Gate 5, which asks, is overridden.
        assert "[gate 7: verify says yes] " in judgement.message
