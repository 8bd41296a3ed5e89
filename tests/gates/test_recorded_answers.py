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
from typing import Any

import pytest
from click.testing import CliRunner, Result

from controlplane.gates.__main__ import main
from controlplane.gates.recorded_answers import judge_recorded, read_scored
from controlplane.gates.rule_set_loading import load_rule_set
from controlplane.gates.score_report import score_report
from tests.support.command import run_python


def write_records(folder: Path, records: list[dict[str, Any]]) -> Path:
    """Write recorded answers into a file, one a line, and return its path.

    Each also gets what the grader expected, a key that the gates ignore.
    """
    path = folder / "answers.jsonl"
    lines: list[str] = []
    for record in records:
        lines.append(json.dumps(record | {"grader": ["7"]}) + "\n")
    path.write_text("".join(lines), encoding="utf-8")
    return path


def is_accepted(folder: Path, record: dict[str, Any]) -> bool:
    """Write and read one recorded answer, and return whether the gates accept it."""
    [answer] = read_scored(write_records(folder, [record]))
    return judge_recorded(answer).accepted


class TestRecordedAnswers:
    """An answer that was recorded without its trial is judged by its form.

    A record has the request, the answer and the score that a grader gave it. It lacks the calls
    of its trial, so the gates cannot know what was read. `is_accepted` says whether they accept
    it.
    """

    def test_a_recorded_right_answer_is_accepted(self, tmp_path: Path) -> None:
        """A record lacks the calls of its trial, so only the form of the answer is judged."""
        record = {
            "id": "right",
            "task_text": "How many? Answer with `%d` only.",
            "outcome": "OUTCOME_OK",
            "message": "7",
            "refs": [],
            "score": 1.0,
        }

        assert is_accepted(tmp_path, record)

    @pytest.mark.parametrize(
        "record",
        [
            # The task wants only a number. `refs` may be missing in a record.
            pytest.param(
                {
                    "id": "a",
                    "task_text": "How many? Answer with `%d` only.",
                    "outcome": "OUTCOME_OK",
                    "message": "OUTCOME_OK: 7",
                    "score": 0.0,
                },
                id="wrong format",
            ),
            pytest.param(
                {
                    "id": "b",
                    "task_text": "How many?",
                    "outcome": "OUTCOME_OK",
                    "message": "7",
                    "refs": ["/a.md", "/a.md"],
                    "score": 0.4,
                },
                id="file cited twice",
            ),
            pytest.param(
                {
                    "id": "c",
                    "task_text": "How many?",
                    "outcome": "OUTCOME_ERR_INTERNAL",
                    "message": "no idea",
                    "refs": [],
                    "score": 0.0,
                },
                id="gives up though no call has failed",
            ),
        ],
    )
    def test_a_recorded_answer_of_wrong_form_is_rejected(
        self, record: dict[str, Any], tmp_path: Path
    ) -> None:
        assert not is_accepted(tmp_path, record)


RECORDED = (
    Path(__file__).resolve().parents[3] / "shared" / "recorded" / "answers-dev.jsonl"
)
"""Thousands of answers of real models with their scores. They are not part of the project."""
needs_recorded = pytest.mark.skipif(
    not RECORDED.exists(), reason=f"{RECORDED} is not there"
)


class TestAnswersOfRealModels:
    """Of thousands of real answers, the gates hold up no right one.

    The answers were recorded with the score that a grader gave them. They are not part of the
    project, and without them the tests are skipped.
    """

    @needs_recorded
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

    @needs_recorded
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
        self, reword: Callable[[str], str], heavy: bool
    ) -> None:
        """`I’m looking for a tent` asks for the same as `I'm looking for a tent`. Recorded right
        answers to one of them are right answers to the other."""
        check_right_answers_pass(reword, heavy)


def run_gates_command(*arguments: object) -> Result:
    """Run `python -m controlplane.gates ARGUMENTS` in this process."""
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


class TestScoreCommand:
    """`python -m controlplane.gates score FILE` tells how many answers were caught.

    The file has a recorded answer a line, with its score: an answer that scores 1 is right, one
    that scores 0 is wrong. The gates catch a wrong answer if they reject it.
    """

    def test_score_prints_how_many_wrong_answers_were_caught(
        self, tmp_path: Path
    ) -> None:
        """Answers that score 0 are wrong. Gates catch both of them: one answers `%d`, which wants a
        number, with words, and the other gives up though no call has failed. Answers that score 1
        are right, and those in between are neither."""
        words = {
            "id": "words",
            "task_text": "How many? Answer with `%d` only.",
            "outcome": "OUTCOME_OK",
            "message": "OUTCOME_OK: 7",
            "score": 0.0,
        }
        giving_up = words | {
            "id": "giving up",
            "message": "no idea",
            "outcome": "OUTCOME_ERR_INTERNAL",
        }
        right = words | {"id": "right", "message": "7", "score": 1.0}
        partly_right = right | {"id": "part", "refs": ["/a.md", "/a.md"], "score": 0.4}
        path = write_records(tmp_path, [right, words, partly_right, giving_up])

        text_result = run_gates_command("score", path)
        json_result = run_gates_command("score", path, "--json")

        assert "caught 2 of 2 wrong" in text_result.output
        assert json.loads(json_result.output)["caught"] == 2


FILE_OF_OTHER_CONTENT = __file__
"""A file that exists, but has no recorded answers: the source text of these tests."""

EXIT_CODE_OF_WRONG_INPUT = 2


class TestUsesOfScoreCommand:
    """The command reports wrong input in a line, and starts quickly.

    `--rule-sets` names the rules that judge beside the gates. A wrong file, line or option ends
    the command with the exit code 2.
    """

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
        self, arguments: list[str], message: str
    ) -> None:
        """The user reads which file, line or option is wrong."""
        result = run_gates_command("score", *arguments)

        assert result.exit_code == EXIT_CODE_OF_WRONG_INPUT
        assert message in result.output
        assert "Traceback" not in result.output

    def test_the_command_starts_without_importing_slow_libraries(self) -> None:
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
