"""Gate 8: a form with a placeholder is not demanded if it is only quoted or incomplete.

"How many? Answer as <COUNT:%d>." demands an answer such as `<COUNT:3>`. But 'They said "answer with
<COUNT:%d> and so on". How many?' only tells what somebody else said, so the answer "3" passes.
"""

from __future__ import annotations

import pytest

from tests.gates.checks.literal_tokens.token_objections import objection_to_form


@pytest.mark.parametrize(
    ("instruction", "answer"),
    [
        # Somebody else is quoted: in quotation marks, behind `>`, in a code block.
        ('They said "answer with <COUNT:%d> and so on". How many?', "3"),
        ("How many?\n> Answer as <COUNT:%d>.\n", "3"),
        ("How many?\n```\nAnswer as <COUNT:%d>.\n```", "3"),
        # No placeholder: one has brackets around it, and a percent sign.
        ("How many? Answer as %d.", "three"),
        ("How many? Answer as <COUNT:n>.", "3"),
    ],
)
def test_a_placeholder_that_is_only_quoted_or_incomplete_is_not_demanded(
    instruction: str, answer: str
) -> None:
    objection = objection_to_form(instruction, answer)

    assert "fill the placeholder in" not in objection
