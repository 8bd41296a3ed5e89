"""Recorded answers: judged without their scores, measured with them, and scored by the command line."""

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gates.__main__ import judge_recorded, main, read_scored, score_report
from gates.rules import load_rule_set
from tests.support.command import python

RECORDED = Path(__file__).resolve().parents[3] / "shared" / "recorded" / "answers-dev.jsonl"
needs_recorded = pytest.mark.skipif(not RECORDED.exists(), reason=f"{RECORDED} is not there")
OWN = [
    {"id": "a", "task_text": "How many? Answer with `%d` only.", "outcome": "OUTCOME_OK", "message": "7", "refs": []},
    {"id": "b", "task_text": "How many? Answer with `%d` only.", "outcome": "OUTCOME_OK", "message": "OUTCOME_OK: 7"},
    {"id": "c", "task_text": "How many?", "outcome": "OUTCOME_OK", "message": "7", "refs": ["/a.md", "/a.md"]},
    {"id": "d", "task_text": "How many?", "outcome": "OUTCOME_ERR_INTERNAL", "message": "no idea", "refs": []},
]
SCORES = {"a": 1.0, "b": 0.0, "c": 0.4, "d": 0.0}


def written(folder: Path) -> Path:
    path = folder / "answers.jsonl"
    records = [record | {"score": SCORES[str(record["id"])], "grader": ["7"]} for record in OWN]
    path.write_text("\n".join(map(json.dumps, records)) + "\n", encoding="utf-8")
    return path


def test_recorded_answers_are_judged_by_what_needs_no_trace(tmp_path: Path) -> None:
    judged = {answer.id: judge_recorded(answer) for answer in read_scored(written(tmp_path))}
    assert {key: found.accepted for key, found in judged.items()} == {"a": True, "b": False, "c": False, "d": False}


@needs_recorded
@pytest.mark.parametrize(("rule_sets", "least_percent"), [((), 4.0), (("ecom",), 34.0)])
def test_real_wrong_answers_are_caught_and_no_right_one_is_held_up(
    rule_sets: tuple[str, ...], least_percent: float
) -> None:
    report = score_report(read_scored(RECORDED), tuple(map(load_rule_set, rule_sets)))
    assert report["held_up_ids"] == []
    assert report["right"] > 1_500
    assert report["caught_percent"] >= least_percent


VARIANTS = (
    lambda text: f"Hi, {text[:1].lower()}{text[1:]}",
    lambda text: f"{text} Thanks a lot!",
    lambda text: text.replace(" ", "\u00a0"),
    lambda text: text.replace("'", "’").replace("\n", "\r\n"),
    lambda text: f"{text} My last refund went well.",
    lambda text: f"Checkout was quick last time. {text}",
    lambda text: f"{text} I do not want a discount.",
    lambda text: f"{text} Please do not add anything else to my newest basket.",
)


@needs_recorded
@pytest.mark.parametrize("number", range(len(VARIANTS)))
def test_no_right_answer_is_held_up_for_the_wording_of_its_instruction(number: int, heavy: bool) -> None:
    right = [answer for answer in read_scored(RECORDED) if answer.score == 1.0]
    rule_set = (load_rule_set("ecom"),)
    for answer in random.Random(7).sample(right, 400 if heavy else 100):
        varied = replace(answer, task_text=VARIANTS[number](answer.task_text))
        found = judge_recorded(varied, rule_set)
        assert found.accepted, f"{answer.id}: {found.message}"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_score_prints_what_was_caught_and_what_it_cost(tmp_path: Path) -> None:
    path = written(tmp_path)
    assert "caught 2 of 2 wrong" in run("score", path).output
    assert json.loads(run("score", path, "--json").output)["caught"] == 2


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["/nowhere.jsonl"], "/nowhere.jsonl"),
        ([__file__], "test_recorded_answers.py:1:"),
        ([__file__, "--rule-sets", "nonesuch"], "no rule set is called 'nonesuch'"),
        ([__file__, "--rule-sets", "nowhere.at:ALL"], "cannot be loaded"),
    ],
)
def test_an_unreadable_file_is_one_line_and_exit_code_two(arguments: list[str], named: str) -> None:
    result = run("score", *arguments)
    assert result.exit_code == 2
    assert named in result.output
    assert "Traceback" not in result.output


def test_the_command_starts_without_slow_libraries() -> None:
    code = (
        "import sys, gates.__main__; print(*(m for m in ('pydantic', 'openai', 'rich', 'httpx2') if m in sys.modules))"
    )
    assert python("-c", code).out.strip() == ""
