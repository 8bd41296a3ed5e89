"""Whatever a script submits, the gates give verdicts, and never an exception.

A gate is a check of an answer. Each test judges many scratchpads that Hypothesis makes, with values
of any type under the usual keys: `{"answer": {1, 2}, "refs_why": [("/docs/Loans.md", 1e300)]}`.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlplane.gates.evidence import Evidence
from controlplane.gates.judging.conclusion import judge
from controlplane.gates.judging.gate_rules import rule_keys
from controlplane.gates.submission import Case
from controlplane.gates.verdicts import RULE_FAILED
from tests.gates.judged_scratchpads import submission_of
from tests.gates.judging.any_submission.any_evidence import ANY_EVIDENCE
from tests.gates.judging.any_submission.any_scratchpads import ANY_SCRATCHPAD

pytestmark = pytest.mark.second_tier


@given(ANY_SCRATCHPAD, st.text(max_size=60), ANY_EVIDENCE)
def test_every_rule_gives_a_verdict_and_none_fails(
    scratchpad: dict[str, object], instruction: str, evidence: Evidence
) -> None:
    judgement = judge(submission_of(scratchpad), evidence, Case(instruction))

    # The rule `review`, which asks a second model, runs elsewhere.
    verdict_keys = {verdict.key for verdict in judgement.verdicts}
    assert verdict_keys == rule_keys() - {"review"}
    for verdict in judgement.verdicts:
        assert not verdict.reason.startswith(RULE_FAILED)


@given(ANY_SCRATCHPAD, st.text(max_size=60), ANY_EVIDENCE)
def test_a_submission_is_judged_twice_in_the_same_way(
    scratchpad: dict[str, object], instruction: str, evidence: Evidence
) -> None:
    """To judge a submission changes neither it nor the evidence."""
    submission = submission_of(scratchpad)

    first = judge(submission, evidence, Case(instruction))
    second = judge(submission, evidence, Case(instruction))

    assert first == second
