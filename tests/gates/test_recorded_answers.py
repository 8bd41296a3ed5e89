"""Answers and plays of others: judged, measured,
scored by the command line, and no right one sent back."""

import importlib
import json
import random
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from click.testing import CliRunner, Result

from controlplane.gates.__main__ import judge_recorded, main, read_scored, score_report
from controlplane.gates.rule_set_loading import load_rule_set
from controlplane.gates.submission import OK
from controlplane.gates.support.footnotes import unverified_in
from controlplane.journal.journal_reader import open_journal
from controlplane.view.answer.trial_evidence import marker_of_trial
from tests.support.command import ROOT, run_controlplane, run_python

RECORDED = (
    Path(__file__).resolve().parents[3] / "shared" / "recorded" / "answers-dev.jsonl"
)
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
        lines.append(json.dumps(answer | {"grader": ["7"]}) + "\n")
    path.write_text("".join(lines), encoding="utf-8")
    return path


def test_recorded_answers_are_judged_by_what_needs_no_trace(tmp_path: Path) -> None:
    answers = read_scored(write_answers(tmp_path))

    is_accepted = {answer.id: judge_recorded(answer).accepted for answer in answers}

    assert is_accepted == {
        "right": True,
        "wrong format": False,
        "cited twice": False,
        "gives up": False,
    }


@needs_recorded
@pytest.mark.parametrize(("rule_sets", "least_percent"), [((), 4.0), (("ecom",), 34.0)])
def test_real_wrong_answers_are_caught_and_no_right_one_is_held_up(
    rule_sets: tuple[str, ...], least_percent: float
) -> None:
    loaded_rule_sets = tuple(load_rule_set(name) for name in rule_sets)

    report = score_report(read_scored(RECORDED), loaded_rule_sets)

    assert report.held_up_ids == []
    assert report.right > 1_500
    assert report.caught_percent >= least_percent


# Other ways to write an instruction, none of which changes what is asked for.
REWORDINGS: dict[str, Callable[[str], str]] = {
    "greeting": lambda text: f"Hi, {text[:1].lower()}{text[1:]}",
    "thanks": lambda text: f"{text} Thanks a lot!",
    "no-break spaces": lambda text: text.replace(" ", "\u00a0"),
    "other characters": lambda text: text.replace("'", "’").replace("\n", "\r\n"),
    "an earlier refund": lambda text: f"{text} My last refund went well.",
    "an earlier checkout": lambda text: f"Checkout was quick last time. {text}",
    "no discount": lambda text: f"{text} I do not want a discount.",
    "no addition": lambda text: (
        f"{text} Please do not add anything else to my newest basket."
    ),
}


@needs_recorded
@pytest.mark.parametrize("reword", REWORDINGS.values(), ids=REWORDINGS.keys())
def test_no_right_answer_is_held_up_for_the_wording_of_its_instruction(
    reword: Callable[[str], str], heavy: bool
) -> None:
    right_answers = [answer for answer in read_scored(RECORDED) if answer.score == 1.0]
    rule_sets = (load_rule_set("ecom"),)
    sample_size = 400 if heavy else 100

    for answer in random.Random(7).sample(right_answers, sample_size):
        reworded = replace(answer, task_text=reword(answer.task_text))
        judgement = judge_recorded(reworded, rule_sets)
        assert judgement.accepted, f"{answer.id}: {judgement.message}"


def run(*arguments: object) -> Result:
    """Run the command `python -m controlplane.gates` in this process."""
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_score_prints_what_was_caught_and_what_it_cost(tmp_path: Path) -> None:
    path = write_answers(tmp_path)

    # Only the two answers with the score 0 are wrong.
    assert "caught 2 of 2 wrong" in run("score", path).output
    assert json.loads(run("score", path, "--json").output)["caught"] == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["/nowhere.jsonl"], "/nowhere.jsonl"),
        ([__file__], "test_recorded_answers.py:1:"),
        ([__file__, "--rule-sets", "nonesuch"], "no rule set is called 'nonesuch'"),
        ([__file__, "--rule-sets", "nowhere.at:ALL"], "cannot be loaded"),
    ],
)
def test_an_unreadable_file_is_one_line_and_exit_code_two(
    arguments: list[str], message: str
) -> None:
    result = run("score", *arguments)

    assert result.exit_code == 2
    assert message in result.output
    assert "Traceback" not in result.output


def test_the_command_starts_without_slow_libraries() -> None:
    code = """
import sys
import controlplane.gates.__main__
for name in ("pydantic", "openai", "rich", "httpx2"):
    if name in sys.modules:
        print(name)
"""
    assert run_python("-c", code).out.strip() == ""


SHARED = ROOT.parent / "shared"
FRESH = SHARED / "fresh"
"""Tasks that others wrote, with their right answers; its module `run` makes them files."""
CALENDAR = SHARED / "public/mcp_change"
"""A calendar server that others wrote, and scripted replies that create an event."""
OBJECT = '[{"path": scratchpad["p"], "action": "execute"}]'
SPELLINGS: dict[str, Callable[[str], object]] = {
    "path": str,
    "name": lambda path: path.rpartition("/")[2],
    "object": lambda path: {"path": path, "action": "write"},
}


@pytest.mark.second_tier
@pytest.mark.skipif(not CALENDAR.exists(), reason="the server of others is not here")
@pytest.mark.parametrize(
    "changes",
    [
        "",
        OBJECT,
        '[scratchpad["p"]]',
        '["create_event"]',
        '["cal.create_event"]',
        '["harness.cal.create_event()"]',
    ],
)
def test_a_servers_tool_that_succeeded_is_a_change(
    changes: str, tmp_path: Path
) -> None:
    shutil.copytree(CALENDAR / "docs", tmp_path / "docs")
    played = (CALENDAR / "r2.toml").read_text()

    assert OBJECT in played
    lines = [line for line in played.splitlines() if changes or OBJECT not in line]
    (tmp_path / "replies.toml").write_text("\n".join(lines).replace(OBJECT, changes))
    words = (
        "--mcp",
        f"cal={sys.executable} {CALENDAR / 'srv.py'}",
        "--allow",
        "cal.*",
        "--model",
        "scripted:replies.toml",
    )
    request = "Create the event Team lunch in room 4, where the team meets."
    asked = run_controlplane("ask", request, "docs", *words, "--json", cwd=tmp_path)
    assert (asked.json["status"], asked.json["steps"]) == ("answered", 2), asked.err
    assert asked.json["changed"] == ["cal.create_event"]


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(str(FRESH))
    yield importlib.import_module("run")
    for name in [
        name
        for name in sys.modules
        if name == "run" or name.partition(".")[0] == "authored"
    ]:
        del sys.modules[name]


@pytest.mark.second_tier
@pytest.mark.skipif(not FRESH.exists(), reason="the plays of others are not here")
@pytest.mark.parametrize("spelling", [*SPELLINGS, "left out"])
def test_no_right_play_of_a_change_is_sent_back(
    fresh: Any, spelling: str, tmp_path: Path
) -> None:
    """Play the tasks that change files, with their changes declared in one spelling."""
    tasks = [
        task for domain in fresh.domains() for task in domain.tasks if task["change"]
    ]
    assert len(tasks) > 2
    for task in tasks:
        if spelling == "left out":
            task["right"]["changes"] = None
            continue
        spell = SPELLINGS[spelling]
        task["right"]["changes"] = [spell(path) for path, _ in task["change"]]

    task_ids = [task["id"] for task in tasks]
    objections = {
        play.task_id: play.objections for play in plays(fresh, tmp_path, *task_ids)
    }

    assert len(objections) == len(tasks)
    assert not any(objections.values()), objections


@dataclass(frozen=True)
class Play:
    """A task that was played with its right answer."""

    task_id: str
    objections: list[str]
    """The messages of the verdicts on its submissions."""
    unverified_values: list[str]
    """Values of its answer without support; none if its outcome is not OK."""


def plays(fresh: Any, folder: Path, *tasks: str, ask: bool = False) -> list[Play]:
    """Play right answers, of all tasks if none are named."""
    fresh.build(folder / "tasks", "right", ask)
    options = (
        "--benchmark",
        "folder:tasks",
        "--model",
        "scripted:tasks/replies.toml",
        "--runs-dir",
        "runs",
        "--json",
    )
    run = run_controlplane("run", *tasks, *options, cwd=folder)
    assert run.json["score"] == 1.0, run.err
    (journal,) = (folder / "runs").glob("*.jsonl")
    with open_journal(journal) as opened:
        return [play_of(trial) for trial in opened.trials.values()]


def play_of(trial: Any) -> Play:
    """Return what a journal says of one trial."""
    objections = [
        verdict.message
        for step in trial.record.step_summaries
        for verdict in step.verdicts
        if verdict.message
    ]
    unverified_values: list[str] = []
    if trial.summary.outcome == OK:
        marker = marker_of_trial(trial.record, trial.summary)
        unverified_values = list(unverified_in(marker.marks(trial.summary.answer)))
    return Play(trial.summary.task_id, objections, unverified_values)


@pytest.mark.second_tier
@pytest.mark.skipif(not FRESH.exists(), reason="the plays of others are not here")
def test_right_answers_of_others_are_let_out_and_few_of_their_values_are_unverified(
    fresh: Any, tmp_path: Path
) -> None:
    all_plays = plays(fresh, tmp_path, ask=True)

    assert len(all_plays) == 60
    rejected = [play.task_id for play in all_plays if play.objections]
    assert rejected == []
    # Values that a model worked out in its head have no support, whatever they could be made of.
    with_unverified_values = [play for play in all_plays if play.unverified_values]
    assert len(with_unverified_values) <= 9
