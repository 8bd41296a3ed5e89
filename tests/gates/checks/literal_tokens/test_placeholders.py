"""Gate 8: if the request shows a form with a placeholder, the answer fills it in.

"How many? Answer as <COUNT:%d>." demands an answer such as `<COUNT:3>`, which a program can read:
`%d` is a number, and `%s` a text. The answer "3" is sent back to the model, although it may be
right.
"""

from __future__ import annotations

import pytest

from tests.gates.checks.literal_tokens.token_objections import objection_to_form


@pytest.mark.parametrize(
    ("instruction", "answer"),
    [
        ("How many? Answer as <COUNT:%d>.", "<COUNT:3>"),
        ("How many? Answer as <COUNT:%d>.", "There are <COUNT:3> of them."),
        ("Wie viele? Antworte als [ANZAHL: %d].", "[ANZAHL: 3]"),
        ("Combien ? <NOMBRE:%d>", "<NOMBRE:3>"),
        ("Answer <A:%d> or <B:%s>.", "<B:none>"),  # One of several is enough.
    ],
)
def test_an_answer_that_fills_the_placeholder_passes(
    instruction: str, answer: str
) -> None:
    objection = objection_to_form(instruction, answer)

    assert "fill the placeholder in" not in objection


@pytest.mark.parametrize(
    ("instruction", "answer"),
    [
        ("How many? Answer as <COUNT:%d>.", "3"),
        ("How many? Answer as <COUNT:%d>.", "<COUNT:three>"),  # "three" is no number.
        ("Wie viele? Antworte als [ANZAHL: %d].", "3"),
    ],
)
def test_an_answer_that_does_not_fill_the_placeholder_is_rejected(
    instruction: str, answer: str
) -> None:
    objection = objection_to_form(instruction, answer)

    assert "fill the placeholder in" in objection
