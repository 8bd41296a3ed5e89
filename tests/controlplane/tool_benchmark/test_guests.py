"""Tools and graders of a user run in the product's process, and may do what they like there.

`controlplane.run(tasks)` calls the user's Python functions. If one raises an error, even one that
cannot be printed, or changes the working folder, only its own trial may suffer, and the journal of
the run must be whole.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import controlplane
from controlplane import Task, TaskEnvironment, Tool
from tests.support.command import run_controlplane

REPLIES = Path("replies.toml")
"""The file with the replies of the model."""


def write_reply(*lines: str) -> None:
    """Let the model reply with a script of these lines, which then answers "done"."""
    script = "\n".join(
        [
            *lines,
            'scratchpad["answer"], scratchpad["outcome"] = "done", "OUTCOME_OK"',
            'harness.answer(scratchpad, lambda sp: sp["answer"] == "done")',
        ]
    )
    REPLIES.write_text(f"[[reply]]\ncode = '''\n{script}\n'''\n")


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Settings of a run in an empty folder, whose model answers "done" at once.

    Without gates, the checks of answers, every answer is accepted.
    """
    monkeypatch.chdir(tmp_path)
    write_reply()
    return {"model": f"scripted:{REPLIES}", "gates": "none"}


class Unprintable(Exception):
    """An error that raises another one when it is converted to text."""

    def __str__(self) -> str:
        msg = "no text"
        raise RuntimeError(msg)


class UnprintableText(str):
    """A text that raises an error when it is converted to text or formatted."""

    def __str__(self) -> str:
        msg = "no text"
        raise RuntimeError(msg)

    def __format__(self, form: str) -> str:
        msg = "no text"
        raise RuntimeError(msg)


def leave_for_another_folder() -> None:
    os.chdir("/")


def leave_for_a_removed_folder() -> None:
    folder = Path("gone").absolute()
    folder.mkdir()
    os.chdir(folder)
    folder.rmdir()


class TestOddUserCode:
    """A grader raises an error that cannot be shown, or a tool leaves the working folder.

    `settings` are those of a run in an empty folder, whose model answers "done" at once, and
    whose answers are not checked.
    """

    @pytest.mark.parametrize(
        "error",
        [
            # `str(error)` raises, or `str` of the text in the error does.
            pytest.param(Unprintable(), id="an error without text"),
            pytest.param(ValueError(UnprintableText("x")), id="a text without text"),
            # Half of a surrogate pair, which has no UTF-8.
            pytest.param(
                ValueError("half a pair \ud800"), id="a text that is not UTF-8"
            ),
            # Python raises these to end a program, a generator, and calls that are too deep.
            pytest.param(SystemExit(3), id="SystemExit"),
            pytest.param(GeneratorExit(), id="GeneratorExit"),
            pytest.param(RecursionError(), id="RecursionError"),
        ],
    )
    def test_an_error_of_a_grader_ends_only_its_own_trial(
        self, error: BaseException, settings: dict[str, Any]
    ) -> None:
        """The run has two tasks; the grader of one raises the error."""

        def fail(end: TaskEnvironment) -> float:
            raise error

        broken = Task("broken", "x", files={"/a": "x"}, grade=fail)
        fine = Task("fine", "x", files={"/a": "x"}, grade=lambda end: 1.0)
        run = controlplane.run([broken, fine], **settings)

        assert run["fine"].score == 1.0
        assert run["broken"].score is None
        # `ascii`, because a failing test could not print half of a surrogate pair.
        assert type(error).__name__ in ascii(run["broken"].why)
        shown = run_controlplane("show", run.journal, "--json", cwd=Path.cwd())
        assert shown.code == 0

    @pytest.mark.parametrize(
        "leave", [leave_for_another_folder, leave_for_a_removed_folder]
    )
    def test_the_journal_is_whole_if_a_tool_changes_the_working_folder(
        self, leave: Callable[[], None], settings: dict[str, Any]
    ) -> None:
        """1. The run is started with relative paths: of the journals and of the model's replies.
        2. The script of the model calls the tool `wander`, which leaves the folder for another one.
        3. The journal is written to its end in the first folder.
        """
        write_reply("harness.wander()")
        folder_of_the_test = Path.cwd()

        def wander() -> str:
            """Go elsewhere."""
            leave()
            return "gone"

        task = Task("away", "x", tools=[Tool(wander, "acts")], grade=lambda end: 1.0)
        try:
            run = controlplane.run([task], runs_dir="runs", **settings)
        finally:
            os.chdir(folder_of_the_test)

        assert run.mean == 1.0
        assert run.journal.parent == folder_of_the_test / "runs"
        assert run.journal.is_file()


def task_of(
    instruction: str, grade: Callable[[TaskEnvironment], float] = lambda end: 1.0
) -> Task:
    """Return the task "t" with this instruction."""
    return Task("t", instruction, files={"/a": "x"}, grade=grade)


def press_ctrl_c(end: TaskEnvironment) -> float:
    """Interrupt the program when it grades."""
    raise KeyboardInterrupt


@pytest.fixture
def interrupted_journal(settings: dict[str, Any]) -> Path:
    """The journal of a run that was interrupted before its only trial was graded."""
    task = task_of("Add 2 and 3.", grade=press_ctrl_c)
    with pytest.raises(KeyboardInterrupt):
        controlplane.run([task], **settings)
    (journal,) = Path("runs").glob("*.jsonl")
    return journal


class TestInterruptedRuns:
    """A run is interrupted while it grades its only trial, of the task "Add 2 and 3.".

    The user starts the program again: `controlplane.run(tasks, resume=journal)`.
    """

    def test_an_interrupted_trial_is_resumed_with_its_task(
        self, interrupted_journal: Path
    ) -> None:
        """The user starts the program with the same tasks again, and names the journal."""
        resumed = controlplane.run(
            [task_of("Add 2 and 3.")], resume=interrupted_journal
        )

        assert resumed["t"].score == 1.0

    def test_an_interrupted_trial_is_not_resumed_with_another_instruction(
        self, interrupted_journal: Path
    ) -> None:
        """The recorded answer is one to the instruction with which the trial began. The run can
        still be resumed with the right task afterwards."""
        other_task = task_of("Delete everything.")
        refused = controlplane.run([other_task], resume=interrupted_journal)
        resumed = controlplane.run(
            [task_of("Add 2 and 3.")], resume=interrupted_journal
        )

        assert refused["t"].score is None
        assert "another instruction" in refused["t"].why
        assert resumed["t"].score == 1.0
