"""Folders of tasks that are changed after a run: it can be replayed, but not run again.

    tasks/stock/task.toml     instruction = "How many of A-7 are there?"
    tasks/stock/files/a.txt   the files that the agent sees, here as /a.txt

The agent's model is a file with its replies, as Python scripts that read files and answer.
"""

from pathlib import Path

import pytest

from tests.benchmarks.folder.written_tasks import task_folder
from tests.support.command import run_in_process

pytestmark = pytest.mark.usefixtures("shared_fork_servers")


def test_after_a_change_of_the_folder_a_run_is_replayed_but_not_run_again(
    tmp_path: Path,
) -> None:
    """`rerun` needs the same files. `replay` takes all results from the journal."""
    tasks = task_folder(
        tmp_path,
        {
            "stock/task.toml": 'instruction = "How many of A-7 are there?"\n'
            '[expected]\noutcome = "OUTCOME_OK"\nanswer = "12"\n',
            "stock/files/a.txt": "A-7: 12\n",
        },
    )
    (tmp_path / "replies.toml").write_text(
        """
[[reply]]
code = '''
print(harness.read("/a.txt").content)
scratchpad["answer"], scratchpad["outcome"] = "12", "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["answer"] == "12")
'''
"""
    )
    run = run_in_process(
        "run",
        "--benchmark=folder:tasks",
        "--model=scripted:replies.toml",
        "--json",
        cwd=tmp_path,
    )
    assert run.json["score"] == 1.0, run.out

    (tasks / "stock/files/a.txt").write_text("A-7: 21\n")
    rerun = run_in_process("rerun", "last", cwd=tmp_path)
    replay = run_in_process("replay", "last", "--verify", cwd=tmp_path)

    assert rerun.code == 2
    assert "world" in rerun.err
    assert replay.code == 0
