"""Whatever a script submits, the judgement of the gates can be told to the model, and stored.

A gate is a check of an answer. Each test judges many scratchpads that Hypothesis makes, with values
of any type under the usual keys: `{"answer": {1, 2}, "refs_why": [("/docs/Loans.md", 1e300)]}`.
"""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlplane.gates.evidence import Evidence
from controlplane.gates.judging.conclusion import judge
from controlplane.gates.submission import Case
from tests.gates.judged_scratchpads import submission_of
from tests.gates.judging.any_submission.any_evidence import ANY_EVIDENCE
from tests.gates.judging.any_submission.any_scratchpads import ANY_SCRATCHPAD

pytestmark = pytest.mark.second_tier


@given(ANY_SCRATCHPAD, st.text(max_size=60), ANY_EVIDENCE)
def test_a_scratchpad_is_accepted_exactly_if_the_model_gets_no_message(
    scratchpad: dict[str, object], instruction: str, evidence: Evidence
) -> None:
    """The message tells the model what to correct; an accepted answer needs no correction."""
    judgement = judge(submission_of(scratchpad), evidence, Case(instruction))

    assert judgement.accepted is (judgement.message == "")


@given(ANY_SCRATCHPAD, st.text(max_size=60), ANY_EVIDENCE)
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
