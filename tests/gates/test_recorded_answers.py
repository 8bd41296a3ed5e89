"""The command `python -m controlplane.gates score`, which measures the gates on recorded answers.

Each record has an answer and the score that a grader gave it. The gates are good if they reject
("catch") many wrong answers and reject ("hold up") no right one.
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

RECORDED = (
    Path(__file__).resolve().parents[3] / "shared" / "recorded" / "answers-dev.jsonl"
)
"""Thousands of answers of real models with their scores. They are not part of the project."""
needs_recorded = pytest.mark.skipif(
    not RECORDED.exists(), reason=f"{RECORDED} is not there"
)

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
    """Write the four answers into a file, one a line, and return its path."""
    path = folder / "answers.jsonl"
    lines = []
    for answer in (RIGHT_ANSWER, WRONG_FORMAT, CITED_TWICE, GIVES_UP):
        # A further key, such as the right answers that the grader knows, is ignored.
        record = answer | {"grader": ["7"]}
        lines.append(json.dumps(record) + "\n")
    path.write_text("".join(lines), encoding="utf-8")
    return path


def test_recorded_answers_are_judged_without_the_calls_of_their_trial(
    tmp_path: Path,
) -> None:
    """A record does not have the calls, so only the form of the answer can be judged."""
    answers = read_scored(write_answers(tmp_path))

    is_accepted = {answer.id: judge_recorded(answer).accepted for answer in answers}

    assert is_accepted == {
        "right": True,
        "wrong format": False,
        "cited twice": False,
        "gives up": False,
    }


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

    report = score_report(read_scored(RECORDED), rule_sets)

    assert report.held_up_ids == []
    assert report.right > 1_500  # the file has not become empty
    assert report.caught_percent >= least_caught_percent


def check_right_answers_pass(reword: Callable[[str], str], heavy: bool) -> None:
    """Judge right answers to instructions that are worded in another way."""
    right_answers = [answer for answer in read_scored(RECORDED) if answer.score == 1.0]
    rule_sets = (load_rule_set("ecom"),)
    sample_size = 400 if heavy else 100

    for answer in random.Random(7).sample(right_answers, sample_size):
        reworded = replace(answer, task_text=reword(answer.task_text))
        judgement = judge_recorded(reworded, rule_sets)
        assert judgement.accepted, f"{answer.id}: {judgement.message}"


@needs_recorded
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", " Thanks a lot!"),
        ("", " My last refund went well."),
        ("Checkout was quick last time. ", ""),
        ("", " I do not want a discount."),
        ("", " Please do not add anything else to my newest basket."),
    ],
)
def test_no_right_answer_is_held_up_for_further_words_of_its_instruction(
    before: str, after: str, heavy: bool
) -> None:
    """Rules look for words such as `refund` in an instruction. Here they ask for nothing more."""

    def with_further_words(instruction: str) -> str:
        return before + instruction + after

    check_right_answers_pass(with_further_words, heavy)


def with_greeting(instruction: str) -> str:
    """`How many?` -> `Hi, how many?`"""
    return f"Hi, {instruction[:1].lower()}{instruction[1:]}"


def with_no_break_spaces(instruction: str) -> str:
    return instruction.replace(" ", "\u00a0")


def with_typographic_apostrophes_and_line_breaks_of_windows(instruction: str) -> str:
    return instruction.replace("'", "’").replace("\n", "\r\n")


@needs_recorded
@pytest.mark.parametrize(
    "reword",
    [
        with_greeting,
        with_no_break_spaces,
        with_typographic_apostrophes_and_line_breaks_of_windows,
    ],
)
def test_no_right_answer_is_held_up_for_the_characters_of_its_instruction(
    reword: Callable[[str], str], heavy: bool
) -> None:
    """The instruction still asks for the same, so a right answer is still right."""
    check_right_answers_pass(reword, heavy)


# The command line
# --------------------------------------------------------------------------------------------------------------

EXIT_CODE_OF_WRONG_INPUT = 2


def run_gates_command(*arguments: object) -> Result:
    """Run `python -m controlplane.gates ARGUMENTS` in this process."""
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_score_prints_how_many_wrong_answers_were_caught(tmp_path: Path) -> None:
    """Only the two answers with the score 0 count as wrong."""
    path = write_answers(tmp_path)

    text_result = run_gates_command("score", path)
    json_result = run_gates_command("score", path, "--json")

    assert "caught 2 of 2 wrong" in text_result.output
    assert json.loads(json_result.output)["caught"] == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(["/nowhere.jsonl"], "/nowhere.jsonl", id="no such file"),
        pytest.param(
            [__file__], "test_recorded_answers.py:1:", id="a file of something else"
        ),
        pytest.param(
            [__file__, "--rule-sets", "nonesuch"],
            "no rule set is called 'nonesuch'",
            id="unknown rule set",
        ),
        pytest.param(
            [__file__, "--rule-sets", "nowhere.at:ALL"],
            "cannot be loaded",
            id="rule set of a missing module",
        ),
    ],
)
def test_wrong_input_is_reported_in_one_line(
    arguments: list[str], message: str
) -> None:
    """The file of this test stands for a file without records."""
    result = run_gates_command("score", *arguments)

    assert result.exit_code == EXIT_CODE_OF_WRONG_INPUT
    assert message in result.output
    assert "Traceback" not in result.output


def test_the_command_starts_without_importing_slow_libraries() -> None:
    """They take a second to import, and most uses of the command do not need them."""
    script = """
import sys
import controlplane.gates.__main__
for name in ("pydantic", "openai", "rich", "httpx2"):
    if name in sys.modules:
        print(name)
"""
    assert run_python("-c", script).out.strip() == ""
