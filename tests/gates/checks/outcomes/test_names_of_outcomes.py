"""Rule `6/wording`: an answer does not consist of names of outcomes.

A script submits its outcome, such as `OUTCOME_OK`, in a field of its own. The answer is what the
user reads, to whom such a name says nothing.
"""

from __future__ import annotations

import pytest

from tests.gates.checks.outcomes.wording_objections import objection_to_wording


@pytest.mark.parametrize(
    ("outcome", "answer"),
    [
        ("OUTCOME_OK", "OUTCOME_NONE_UNSUPPORTED"),
        ("OUTCOME_NONE_CLARIFICATION", "OUTCOME_OK"),
    ],
)
def test_an_answer_that_names_an_outcome_is_objected_to(
    outcome: str, answer: str
) -> None:
    assert "names an outcome class" in objection_to_wording(outcome, answer)


def test_a_refusal_may_name_its_outcome() -> None:
    """Some tasks want nothing but the name of the outcome as the answer to a forbidden
    request."""
    objection = objection_to_wording(
        "OUTCOME_DENIED_SECURITY", answer="OUTCOME_DENIED_SECURITY"
    )

    assert objection == ""


def test_an_answer_may_name_an_outcome_that_the_request_names() -> None:
    objection = objection_to_wording(
        "OUTCOME_OK",
        answer="It is OUTCOME_OK.",
        instruction="Say whether OUTCOME_OK is a class.",
    )

    assert objection == ""
