"""The command `python -m controlplane.gates score`, which measures the gates on recorded answers.

The gates are checks that an answer has to pass before it is submitted. Each record has an answer
of a model and the score that a grader gave it. The gates are good if they reject ("catch") many
wrong answers and reject ("hold up") no right one.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from controlplane.gates.__main__ import main
from controlplane.gates.recorded_answers import judge_recorded, read_scored
from controlplane.gates.rule_set_loading import load_rule_set
from controlplane.gates.score_report import score_report
from tests.support.command import run_python

# Four records. The first answer scores 1.0, which is the full score, and is right. Answers that score
# 0.0 are wrong. One that scores less than 1.0 is neither.

RIGHT_ANSWER = {
    "id": "right",
    "task_text": "How many? Answer with `%d` only.",
    "outcome": "OUTCOME_OK",
    "message": "7",
    "refs": [],
    "score": 1.0,
}
WRONG_FORMAT = {
    "id": "wrong format",
    "task_text": "How many? Answer with `%d` only.",
    "outcome": "OUTCOME_OK",
    "message": "OUTCOME_OK: 7",
    "score": 0.0,
}
CITED_TWICE = {
    "id": "cited twice",
    "task_text": "How many?",
    "outcome": "OUTCOME_OK",
    "message": "7",
    "refs": ["/a.md", "/a.md"],
    "score": 0.4,
}
GIVES_UP = {
    "id": "gives up",
    "task_text": "How many?",
    "outcome": "OUTCOME_ERR_INTERNAL",
    "message": "no idea",
    "refs": [],
    "score": 0.0,
}


def write_answers(folder: Path) -> Path:
    """Write the four answers above into a file, one a line, and return its path."""
    path = folder / "answers.jsonl"
    lines = []
    for answer in (RIGHT_ANSWER, WRONG_FORMAT, CITED_TWICE, GIVES_UP):
        # What the grader expected, here the message 7, is a key that the gates ignore.
        record = answer | {"grader": ["7"]}
        lines.append(json.dumps(record) + "\n")
    path.write_text("".join(lines), encoding="utf-8")
    return path


def test_recorded_answers_are_judged_without_the_calls_of_their_trial(
    tmp_path: Path,
) -> None:
    """A record does not have the calls, so only the form of the answer can be judged.

    The task of "wrong format" wants only a number, which the answer does not give. The others cite a
    file twice, or give up though no call has failed.
    """
    path = write_answers(tmp_path)

    is_accepted: dict[str, bool] = {}
    for answer in read_scored(path):
        is_accepted[answer.id] = judge_recorded(answer).accepted

    assert is_accepted == {
        "right": True,
        "wrong format": False,
        "cited twice": False,
        "gives up": False,
    }


RECORDED = (
    Path(__file__).resolve().parents[3] / "shared" / "recorded" / "answers-dev.jsonl"
)
"""Thousands of answers of real models with their scores. They are not part of the project."""
needs_recorded = pytest.mark.skipif(
    not RECORDED.exists(), reason=f"{RECORDED} is not there"
)


@needs_recorded
@pytest.mark.parametrize(
    ("rule_set_names", "least_caught_percent"),
    [
        pytest.param((), 4.0, id="gates alone"),
        pytest.param(("ecom",), 34.0, id="with the rule set of the shop"),
    ],
)
def test_real_wrong_answers_are_caught_and_no_right_one_is_held_up(
    rule_set_names: tuple[str, ...], least_caught_percent: float
) -> None:
    """The gates alone catch few, since a record lacks the calls. The rule set knows what answers
    in the shop look like, and catches a third of the wrong ones."""
    rule_sets = tuple(load_rule_set(name) for name in rule_set_names)
    answers = read_scored(RECORDED)

    report = score_report(answers, rule_sets)

    assert (
        report.right > 1_500
    )  # The file has thousands of answers, and most are right.
    assert report.held_up_ids == []  # ids of right answers that were rejected
    assert report.caught_percent >= least_caught_percent


# Instructions in other words
#
# The gates read the instruction of a task, and look for words such as `refund` in it. They must not
# reject a right answer if the same is asked for in other words, or typed in another way.
# --------------------------------------------------------------------------------------------------------------


def check_right_answers_pass(reword: Callable[[str], str], heavy: bool) -> None:
    """Assert that the gates accept recorded right answers if `reword` has changed the instruction.

    `heavy` is True in the long variant of the test suite, which tests more of the answers.
    """
    right_answers = [answer for answer in read_scored(RECORDED) if answer.score == 1.0]
    sample_size = 400 if heavy else 100
    sample = random.Random(7).sample(right_answers, sample_size)
    rule_sets = (load_rule_set("ecom"),)

    for answer in sample:
        reworded = replace(answer, task_text=reword(answer.task_text))
        judgement = judge_recorded(reworded, rule_sets)
        assert judgement.accepted, f"{answer.id}: {judgement.message}"


@needs_recorded
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
def test_a_right_answer_passes_if_the_instruction_also_says_what_asks_for_nothing(
    before: str, after: str, heavy: bool
) -> None:
    """Not even "How many tents are there? My last refund went well." asks for a refund."""

    def with_further_words(instruction: str) -> str:
        """Return the instruction with one of the sentences of the table before or after it."""
        return before + instruction + after

    check_right_answers_pass(with_further_words, heavy)


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


@needs_recorded
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
    """`I’m looking for a tent` asks for the same as `I'm looking for a tent`."""
    check_right_answers_pass(reword, heavy)


# The command `python -m controlplane.gates score FILE`
# --------------------------------------------------------------------------------------------------------------


def run_gates_command(*arguments: object) -> Result:
    """Run `python -m controlplane.gates ARGUMENTS` in this process."""
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_score_prints_how_many_wrong_answers_were_caught(tmp_path: Path) -> None:
    """Two of the four answers score 0 and count as wrong: the gates reject both of them."""
    path = write_answers(tmp_path)

    text_result = run_gates_command("score", path)
    json_result = run_gates_command("score", path, "--json")

    assert "caught 2 of 2 wrong" in text_result.output
    assert json.loads(json_result.output)["caught"] == 2


FILE_OF_OTHER_CONTENT = __file__
"""A file that exists, but has no recorded answers: the source text of these tests."""

EXIT_CODE_OF_WRONG_INPUT = 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(["/nowhere.jsonl"], "/nowhere.jsonl", id="no such file"),
        pytest.param(
            [FILE_OF_OTHER_CONTENT],
            "test_recorded_answers.py:1:",
            id="no record in the first line",
        ),
        pytest.param(
            [FILE_OF_OTHER_CONTENT, "--rule-sets", "nonesuch"],
            "no rule set is called 'nonesuch'",
            id="unknown rule set",
        ),
        pytest.param(
            [FILE_OF_OTHER_CONTENT, "--rule-sets", "nowhere.at:ALL"],
            "cannot be loaded",
            id="rule set of a missing module",
        ),
    ],
)
def test_wrong_input_is_reported_without_a_traceback(
    arguments: list[str], message: str
) -> None:
    """The user reads which file, line or option is wrong."""
    result = run_gates_command("score", *arguments)

    assert result.exit_code == EXIT_CODE_OF_WRONG_INPUT
    assert message in result.output
    assert "Traceback" not in result.output


def test_the_command_starts_without_importing_slow_libraries() -> None:
    """They take a second to import, and most uses of the command do not need them.

    A new Python process imports the command, and prints which of the libraries that has loaded.
    """
    script = """
import sys
import controlplane.gates.__main__
for name in ("pydantic", "openai", "rich", "httpx2"):
    if name in sys.modules:
        print(name)
"""
    assert run_python("-c", script).out.strip() == ""
