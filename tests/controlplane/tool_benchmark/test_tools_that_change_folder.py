"""A tool that changes the working folder does not move the journal of its run.

Tools are functions of the user, which are called in the product's own process.
"""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

import controlplane
from controlplane import Task, Tool

REPLY = """
[[reply]]
code = '''
harness.wander()
scratchpad["answer"], scratchpad["outcome"] = "done", "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["answer"] == "done")
'''
"""


def leave_for_another_folder() -> None:
    os.chdir("/")


def leave_for_a_removed_folder() -> None:
    folder = Path("gone").absolute()
    folder.mkdir()
    os.chdir(folder)
    folder.rmdir()


@pytest.mark.parametrize(
    "leave",
    [
        pytest.param(leave_for_another_folder, id="another folder"),
        pytest.param(leave_for_a_removed_folder, id="a folder that is removed"),
    ],
)
def test_the_journal_is_whole_if_a_tool_changes_the_working_folder(
    leave: Callable[[], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("replies.toml").write_text(REPLY)

    def wander() -> str:
        """Go elsewhere."""
        leave()
        return "gone"

    task = Task("away", "x", tools=[Tool(wander, "acts")], grade=lambda end: 1.0)
    try:
        # Both paths are relative to the folder in which the run is started.
        run = controlplane.run(
            [task], model="scripted:replies.toml", runs_dir="runs", gates="none"
        )
    finally:
        os.chdir(tmp_path)

    assert run.mean == 1.0
    assert run.journal.parent == tmp_path / "runs"
    assert run.journal.is_file()
