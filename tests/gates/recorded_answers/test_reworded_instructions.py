"""A right answer passes the gates, too, if the instruction has other words.

The gates are checks of an answer, which look for words such as `refund` in the instruction of a
task. Right answers of real models are judged once more: "How many tents are there? My last refund
went well." asks for the same as "How many tents are there?"
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.gates.recorded_answers.real_answers import (
    needs_real_answers,
    objections_to_right_answers,
)

pytestmark = needs_real_answers


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("", " Thanks a lot!", id="thanks"),
        pytest.param("", " My last refund went well.", id="an earlier refund"),
        pytest.param("Checkout was quick last time. ", "", id="an earlier checkout"),
        pytest.param("", " I do not want a discount.", id="no discount"),
        pytest.param(
            "",
            " Please do not add anything else to my newest basket.",
            id="no other change",
        ),
    ],
)
def test_a_right_answer_passes_although_a_remark_is_added_to_the_instruction(
    before: str, after: str, heavy: bool
) -> None:
    objections = objections_to_right_answers(
        lambda instruction: before + instruction + after, heavy=heavy
    )

    assert objections == []


def with_greeting(instruction: str) -> str:
    """Return `Hi, how many?` for `How many?`."""
    first_letter = instruction[:1].lower()
    return f"Hi, {first_letter}{instruction[1:]}"


def with_no_break_spaces(instruction: str) -> str:
    """Replace the spaces by the sign that looks like a space, but allows no line break."""
    return instruction.replace(" ", "\u00a0")


def with_apostrophes_and_line_breaks_of_word_processors(instruction: str) -> str:
    """Return `I’m here` for `I'm here`, with the line breaks of Windows."""
    return instruction.replace("'", "’").replace("\n", "\r\n")


@pytest.mark.parametrize(
    "reword",
    [
        with_greeting,
        with_no_break_spaces,
        with_apostrophes_and_line_breaks_of_word_processors,
    ],
)
def test_a_right_answer_passes_if_the_same_instruction_is_typed_in_another_way(
    reword: Callable[[str], str], heavy: bool
) -> None:
    assert objections_to_right_answers(reword, heavy=heavy) == []
