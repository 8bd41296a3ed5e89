"""Of thousands of answers of real models, the gates catch wrong ones, and hold up no right one.

The gates are checks that an answer has to pass before it is submitted. The answers were recorded
with the score that a grader gave them: 1 if an answer is right. A change may not make the gates
worse.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from controlplane.gates.recorded_answers import (
    judge_recorded,
    read_scored,
    score_report,
)
from controlplane.gates.rule_set_loading import load_rule_set
from tests.support.product_files import ROOT

# Thousands of answers of real models, with the scores that a grader gave them.
#
# They are not part of the project, and without them the tests are skipped.

RECORDED = ROOT.parent / "shared/recorded/answers-dev.jsonl"
needs_real_answers = pytest.mark.skipif(
    not RECORDED.exists(), reason=f"{RECORDED} is not there"
)


def objections_to_right_answers(
    reword: Callable[[str], str], *, heavy: bool
) -> list[str]:
    """Return what the gates object to in right answers to other instructions: `[]`, if nothing.

    `reword("How many?")` returns the other instruction, such as "Hi, how many?". 100 answers are
    judged, or 400 if `heavy` is True, as in the long variant of the test suite.
    """
    right_answers = [answer for answer in read_scored(RECORDED) if answer.score == 1.0]
    sample_size = 400 if heavy else 100
    sample = random.Random(7).sample(right_answers, sample_size)
    rule_sets = (load_rule_set("ecom"),)

    objections: list[str] = []
    for answer in sample:
        reworded = replace(answer, task_text=reword(answer.task_text))
        judgement = judge_recorded(reworded, rule_sets)
        if not judgement.accepted:
            objections.append(f"{answer.id}: {judgement.message}")
    return objections


# A right answer passes the gates, too, if the instruction has other words.
#
# The gates are checks of an answer, which look for words such as `refund` in the instruction of a
# task. Right answers of real models are judged once more: "How many tents are there? My last refund
# went well." asks for the same as "How many tents are there?"

reworded_instructions_pytestmark = needs_real_answers


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


pytestmark = needs_real_answers


@pytest.mark.parametrize(
    ("rule_set_names", "least_caught_percent"),
    [
        # The gates catch a little more than this. A change may not make them worse.
        pytest.param((), 4.0, id="gates alone"),
        pytest.param(("ecom",), 34.0, id="with the rule set of the shop"),
    ],
)
def test_real_wrong_answers_are_caught_and_no_right_one_is_held_up(
    rule_set_names: tuple[str, ...], least_caught_percent: float
) -> None:
    """The gates alone catch few, since a record lacks the calls. The rule set knows what
    answers in the shop look like, and catches a third of the wrong ones."""
    rule_sets = tuple(load_rule_set(name) for name in rule_set_names)
    answers = read_scored(RECORDED)

    report = score_report(answers, rule_sets)

    # The file has thousands of answers, and most are right: it was read to its end.
    assert report.right > 1_500
    assert report.held_up_ids == []  # ids of right answers that were rejected
    assert report.caught_percent >= least_caught_percent
