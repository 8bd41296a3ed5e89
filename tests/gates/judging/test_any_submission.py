"""Whatever a script submits, the gates give verdicts that can be stored, and never an exception.

Each test judges many scratchpads that Hypothesis makes, with values of any type. Half of the
trials have read the loan rules; of the others it is unknown what they have read.
"""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from controlplane.gates.judging.conclusion import judge
from controlplane.gates.judging.gate_rules import rule_keys
from controlplane.gates.submission import Case
from controlplane.gates.verdicts import RULE_FAILED
from tests.gates.judged_scratchpads import submission_of
from tests.gates.judging.any_scratchpads import (
    any_submission,
    evidence_of_reading,
    judge_any,
)

pytestmark = pytest.mark.second_tier


class TestAnySubmission:
    """Whatever a script submits, each rule gives a verdict of it, and none fails.

    The decorator `any_submission` passes scratchpads with values of any type under the usual
    keys, such as `{"answer": {1, 2}, "refs_why": [("/docs/Loans.md", 1e300)]}`. `with_trace` says
    whether it is known which calls the trial has made; it has then read the loan rules.
    """

    @any_submission
    def test_every_rule_gives_a_verdict_of_any_scratchpad_and_none_fails(
        self, scratchpad: dict[str, object], instruction: str, with_trace: bool
    ) -> None:
        judgement = judge_any(scratchpad, instruction, with_trace)

        # The rule `review`, which asks a second model, runs elsewhere.
        verdict_keys = {verdict.key for verdict in judgement.verdicts}
        assert verdict_keys == rule_keys() - {"review"}
        for verdict in judgement.verdicts:
            assert not verdict.reason.startswith(RULE_FAILED)

    @any_submission
    def test_any_submission_is_judged_twice_in_the_same_way(
        self, scratchpad: dict[str, object], instruction: str, with_trace: bool
    ) -> None:
        """To judge a submission changes neither it nor the evidence."""
        submission = submission_of(scratchpad)
        evidence = evidence_of_reading(with_trace)

        judgement = judge(submission, evidence, Case(instruction))
        second_judgement = judge(submission, evidence, Case(instruction))

        assert judgement == second_judgement

    @any_submission
    def test_a_scratchpad_is_accepted_exactly_if_the_model_gets_no_message(
        self, scratchpad: dict[str, object], instruction: str, with_trace: bool
    ) -> None:
        """The message tells the model what to correct; an accepted answer needs no correction."""
        judgement = judge_any(scratchpad, instruction, with_trace)

        assert judgement.accepted is (judgement.message == "")

    @any_submission
    def test_the_judgement_of_any_scratchpad_can_be_stored_in_the_journal(
        self, scratchpad: dict[str, object], instruction: str, with_trace: bool
    ) -> None:
        """The journal stores verdicts as JSON, and texts as UTF-8, which has no lone surrogates."""
        judgement = judge_any(scratchpad, instruction, with_trace)

        for verdict in judgement.verdicts:
            json.dumps(asdict(verdict)).encode("utf-8")
        judgement.message.encode("utf-8")
        judgement.answer.encode("utf-8")
        judgement.outcome.encode("utf-8")
        for path in judgement.refs:
            path.encode("utf-8")
