"""Whatever a script submits, the gates give verdicts that can be stored, and never an exception.

Each test judges many scratchpads that Hypothesis makes, with values of any type under the usual keys:
`{"answer": {1, 2}, "refs_why": [("/docs/Loans.md", 1e300)]}`.
"""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlplane.gates.evidence import Evidence
from controlplane.gates.judging.conclusion import judge
from controlplane.gates.judging.gate_rules import rule_keys
from controlplane.gates.submission import Case
from controlplane.gates.verdicts import RULE_FAILED
from tests.gates.judged_scratchpads import submission_of
from tests.gates.judging.any_scratchpads import ANY_SCRATCHPAD
from tests.gates.recorded_calls import CallsOfTrial

pytestmark = pytest.mark.second_tier


def evidence_of_read_rules() -> Evidence:
    """Return the evidence of a trial that has read the file `/docs/Loans.md`."""
    calls = CallsOfTrial()
    calls.read("/docs/Loans.md")
    return calls.evidence


any_evidence = st.sampled_from([Evidence(), evidence_of_read_rules()])
"""Half of the trials have read the rules. Of the others, it is unknown what they have read."""

any_instruction = st.text(max_size=60)


@given(ANY_SCRATCHPAD, any_instruction, any_evidence)
def test_every_rule_gives_a_verdict_and_none_fails(
    scratchpad: dict[str, object], instruction: str, evidence: Evidence
) -> None:
    judgement = judge(submission_of(scratchpad), evidence, Case(instruction))

    # The rule `review`, which asks a second model, runs elsewhere.
    verdict_keys = {verdict.key for verdict in judgement.verdicts}
    assert verdict_keys == rule_keys() - {"review"}
    for verdict in judgement.verdicts:
        assert not verdict.reason.startswith(RULE_FAILED)


@given(ANY_SCRATCHPAD, any_instruction, any_evidence)
def test_a_submission_is_judged_twice_in_the_same_way(
    scratchpad: dict[str, object], instruction: str, evidence: Evidence
) -> None:
    """To judge a submission changes neither it nor the evidence."""
    submission = submission_of(scratchpad)

    first = judge(submission, evidence, Case(instruction))
    second = judge(submission, evidence, Case(instruction))

    assert first == second


@given(ANY_SCRATCHPAD, any_instruction, any_evidence)
def test_a_scratchpad_is_accepted_exactly_if_the_model_gets_no_message(
    scratchpad: dict[str, object], instruction: str, evidence: Evidence
) -> None:
    """The message tells the model what to correct; an accepted answer needs no correction."""
    judgement = judge(submission_of(scratchpad), evidence, Case(instruction))

    assert judgement.accepted is (judgement.message == "")


@given(ANY_SCRATCHPAD, any_instruction, any_evidence)
def test_a_judgement_can_be_stored_in_the_journal(
    scratchpad: dict[str, object], instruction: str, evidence: Evidence
) -> None:
    """The journal stores verdicts as JSON, and texts as UTF-8, which has no lone surrogates."""
    judgement = judge(submission_of(scratchpad), evidence, Case(instruction))

    for verdict in judgement.verdicts:
        json.dumps(asdict(verdict)).encode("utf-8")
    judgement.message.encode("utf-8")
    judgement.answer.encode("utf-8")
    judgement.outcome.encode("utf-8")
    for path in judgement.refs:
        path.encode("utf-8")
