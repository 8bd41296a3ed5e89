"""Rule `6/wording`: a clarification asks the user something.

A submission with the outcome `OUTCOME_NONE_CLARIFICATION` has a question to the user for its
answer, such as "b-104 or b-105?". To the answer "b-104" the rule objects that it "asks nothing".
"""

from __future__ import annotations

import pytest

from tests.gates.checks.outcomes.wording_objections import objection_to_wording


def test_a_clarification_of_one_word_is_objected_to() -> None:
    objection = objection_to_wording("OUTCOME_NONE_CLARIFICATION", answer="b-104")

    assert "asks nothing" in objection


@pytest.mark.parametrize(
    "answer",
    [
        "b-104 or b-105?",
        "Which?",
        # Chinese has no blanks: each of these is a whole sentence.
        "您要借b-104还是b-105？",
        "请说明是哪一本书：b-104，b-105。",
    ],
)
def test_a_clarification_that_asks_something_passes(answer: str) -> None:
    objection = objection_to_wording(
        "OUTCOME_NONE_CLARIFICATION", answer, instruction="Lend me the book."
    )

    assert objection == ""


def test_a_refusal_that_is_not_a_clarification_may_be_one_word() -> None:
    objection = objection_to_wording("OUTCOME_NONE_UNSUPPORTED", answer="b-104")

    assert objection == ""
