"""Of thousands of answers of real models, the gates hold up no right one.

The gates are checks that an answer has to pass before it is submitted. The answers were recorded with
the score that a grader gave them. They are not part of the project, and without them the tests are
skipped.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from controlplane.gates.recorded_answers import judge_recorded, read_scored
from controlplane.gates.rule_set_loading import load_rule_set
from controlplane.gates.score_report import score_report

RECORDED = (
    Path(__file__).resolve().parents[3] / "shared" / "recorded" / "answers-dev.jsonl"
)
pytestmark = pytest.mark.skipif(
    not RECORDED.exists(), reason=f"{RECORDED} is not there"
)


class TestScores:
    """The gates catch wrong answers, and hold up no right one."""

    @pytest.mark.parametrize(
        ("rule_set_names", "least_caught_percent"),
        [
            # The gates catch a little more than this. A change may not make them worse.
            pytest.param((), 4.0, id="gates alone"),
            pytest.param(("ecom",), 34.0, id="with the rule set of the shop"),
        ],
    )
    def test_real_wrong_answers_are_caught_and_no_right_one_is_held_up(
        self, rule_set_names: tuple[str, ...], least_caught_percent: float
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


def check_right_answers_pass(reword: Callable[[str], str], heavy: bool) -> None:
    """Judge recorded right answers to other instructions, and assert that the gates accept them.

    `reword("How many?")` returns the other instruction, such as "Hi, how many?". `heavy` is True in
    the long variant of the test suite, which judges more answers.
    """
    right_answers = [answer for answer in read_scored(RECORDED) if answer.score == 1.0]
    sample_size = 400 if heavy else 100
    sample = random.Random(7).sample(right_answers, sample_size)
    rule_sets = (load_rule_set("ecom"),)

    for answer in sample:
        reworded = replace(answer, task_text=reword(answer.task_text))
        judgement = judge_recorded(reworded, rule_sets)
        assert judgement.accepted, f"{answer.id}: {judgement.message}"


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


class TestRewordedInstructions:
    """A right answer passes, too, if the instruction has other words.

    The gates look for words such as `refund` in the instruction of a task. Real right answers
    are judged once more, with a remark added to the instruction, or with the same instruction
    typed in another way.
    """

    @pytest.mark.parametrize(
        ("before", "after"),
        [
            pytest.param("", " Thanks a lot!", id="thanks"),
            pytest.param("", " My last refund went well.", id="an earlier refund"),
            pytest.param(
                "Checkout was quick last time. ", "", id="an earlier checkout"
            ),
            pytest.param("", " I do not want a discount.", id="no discount"),
            pytest.param(
                "",
                " Please do not add anything else to my newest basket.",
                id="no other change",
            ),
        ],
    )
    def test_a_right_answer_passes_although_a_remark_is_added_to_the_instruction(
        self, before: str, after: str, heavy: bool
    ) -> None:
        """The remark names a refund, for example, but asks for nothing: "How many tents are there?
        My last refund went well." Recorded right answers are judged once more, now with this
        remark."""

        def with_remark(instruction: str) -> str:
            return before + instruction + after

        check_right_answers_pass(with_remark, heavy)

    @pytest.mark.parametrize(
        "reword",
        [
            with_greeting,
            with_no_break_spaces,
            with_apostrophes_and_line_breaks_of_word_processors,
        ],
    )
    def test_a_right_answer_passes_if_the_same_instruction_is_typed_in_another_way(
        self, reword: Callable[[str], str], heavy: bool
    ) -> None:
        """`I’m looking for a tent` asks for the same as `I'm looking for a tent`. Recorded right
        answers to one of them are right answers to the other."""
        check_right_answers_pass(reword, heavy)
