"""A small model, the formatter, puts a message into the form that was asked for.

"emma and persuasion" -> "emma, persuasion". Its proposal counts only if it says the same.
"""

from __future__ import annotations

import pytest

from controlplane.benchmarks.shop.answering import formatted_message


@pytest.mark.parametrize(
    ("message", "proposal", "final_message"),
    [
        pytest.param(
            "emma and persuasion", "emma, persuasion", "emma, persuasion", id="in form"
        ),
        pytest.param("emma", "OUTCOME_OK: emma", "emma", id="an outcome is added"),
        pytest.param(
            "there are 2", "there are 3", "there are 2", id="a number is changed"
        ),
        pytest.param("yes, emma", "no", "yes, emma", id="the meaning is changed"),
        pytest.param("emma", "", "emma", id="no proposal"),
    ],
)
def test_the_formatter_changes_the_form_alone(
    message: str, proposal: str, final_message: str
) -> None:
    formatted = formatted_message(
        "OUTCOME_OK", message, rules="", ask_model=lambda: proposal
    )

    assert formatted == final_message


def test_a_question_to_the_user_is_not_formatted() -> None:
    """The formatter could turn a question into an answer."""

    def refuse() -> str:
        raise AssertionError

    question = "Which one, emma or persuasion?"
    formatted = formatted_message(
        "OUTCOME_NONE_CLARIFICATION", question, rules="", ask_model=refuse
    )

    assert formatted == question
