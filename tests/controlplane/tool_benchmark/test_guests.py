"""A user's tools and graders run in this process, and none of them ends more than its trial."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import controlplane
from controlplane import Task, TaskEnvironment, Tool
from tests.support.command import run_controlplane as command_line

SCRIPT = """
[[reply]]
code = '''
scratchpad["answer"], scratchpad["outcome"] = "done", "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["answer"] == "done")
'''
"""
WANDERING_SCRIPT = SCRIPT.replace("code = '''", "code = '''\nharness.wander()")


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    (tmp_path / "replies.toml").write_text(SCRIPT)
    monkeypatch.chdir(tmp_path)
    return {"model": "scripted:replies.toml", "gates": "none"}


class Unprintable(Exception):
    def __str__(self) -> str:
        msg = "no text"
        raise RuntimeError(msg)


class SelfishText(str):
    def __str__(self) -> str:
        msg = "no text"
        raise RuntimeError(msg)

    def __format__(self, form: str) -> str:
        msg = "no text"
        raise RuntimeError(msg)


@pytest.mark.parametrize(
    "error",
    [
        Unprintable(),
        ValueError(SelfishText("x")),
        ValueError("half a pair \ud800"),
        SystemExit(3),
        GeneratorExit(),
        RecursionError(),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_of_a_grader_costs_its_trial_alone(
    error: BaseException, settings: dict[str, Any]
) -> None:
    def fail(end: TaskEnvironment) -> float:
        raise error

    broken = Task("broken", "x", files={"/a": "x"}, grade=fail)
    fine = Task("fine", "x", files={"/a": "x"}, grade=lambda end: 1.0)
    run = controlplane.run([broken, fine], **settings)

    reason = ascii(run["broken"].why)  # so that a failing test can be reported

    assert run["fine"].score == 1.0
    assert run["broken"].score is None
    assert type(error).__name__ in reason
    assert command_line("show", run.journal, "--json", cwd=Path.cwd()).code == 0


def leave_for_another_folder() -> None:
    os.chdir("/")


def leave_for_a_removed_folder() -> None:
    folder = Path("gone").absolute()
    folder.mkdir()
    os.chdir(folder)
    folder.rmdir()


@pytest.mark.parametrize(
    "leave", [leave_for_another_folder, leave_for_a_removed_folder]
)
def test_a_tool_that_changes_the_working_folder_loses_no_journal(
    leave: Callable[[], None], settings: dict[str, Any]
) -> None:
    Path("replies.toml").write_text(WANDERING_SCRIPT)
    home = Path.cwd()

    def wander() -> str:
        """Go elsewhere."""
        leave()
        return "gone"

    task = Task("away", "x", tools=[Tool(wander, "acts")], grade=lambda end: 1.0)
    try:
        run = controlplane.run([task], runs_dir="runs", **settings)
    finally:
        os.chdir(home)

    assert run.mean == 1.0
    assert run.journal.is_file()


def test_a_resumed_trial_has_the_instruction_with_which_it_began(
    settings: dict[str, Any],
) -> None:
    grades: list[str] = []

    def interrupt(end: TaskEnvironment) -> float:
        grades.append(end.answer or "")
        if len(grades) == 1:
            raise KeyboardInterrupt
        return 1.0

    with pytest.raises(KeyboardInterrupt):
        controlplane.run(
            [Task("t", "Add 2 and 3.", files={"/a": "x"}, grade=interrupt)], **settings
        )
    journal = next(Path("runs").glob("*.jsonl"))

    other = Task("t", "Delete everything.", files={"/a": "x"}, grade=interrupt)
    refused = controlplane.run([other], resume=journal)

    assert refused["t"].score is None
    assert "another instruction" in refused["t"].why

    same = Task("t", "Add 2 and 3.", files={"/a": "x"}, grade=interrupt)
    assert controlplane.run([same], resume=journal)["t"].score == 1.0
