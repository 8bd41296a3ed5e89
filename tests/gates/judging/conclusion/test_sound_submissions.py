"""A submission to which no gate and no rule objects is accepted as it is.

A gate is one of eight built-in checks of an answer. A rule is a further check, such as `6/wording`
of gate 6. Each gives a verdict, and all verdicts become one judgement.
"""

from __future__ import annotations

from controlplane.gates.judging.gate_rules import rule_keys
from controlplane.gates.verdicts import GATE_NAMES
from tests.gates.judged_scratchpads import judge_scratchpad, valid_scratchpad


def test_a_sound_submission_is_accepted_as_it_was_submitted() -> None:
    # The trial has read the file that is cited, which says so.
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


def test_every_gate_and_rule_gives_a_verdict() -> None:
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
