"""The sample of tasks in the documentation: commands play, replay and grade it without a fault.

The benchmark `folder` has tasks that somebody writes as `task.toml` files. A model's replies come
from the file `library.toml` beside the folder `library`.
"""

from pathlib import Path

import pytest

from tests.benchmarks.folder.written_tasks import task_folder
from tests.support.command import run_in_process
from tests.support.product_files import ROOT

# Folders of tasks that are changed after a run: it can be replayed, but not run again.
#
#     tasks/stock/task.toml     instruction = "How many of A-7 are there?"
#     tasks/stock/files/a.txt   the files that the agent sees, here as /a.txt
#
# The agent's model is a file with its replies, as Python scripts that read files and answer.

changed_folders_pytestmark = pytest.mark.usefixtures("shared_fork_servers")


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


# Folders of tasks that cannot be played: commands refuse them in one line, before a run begins.
#
# `run --benchmark folder:tasks` plays the tasks that somebody has written into a folder as `task.toml`
# files. Exit code 2 means that the command was not used rightly.

refused_folders_pytestmark = pytest.mark.usefixtures("shared_fork_servers")


@pytest.mark.parametrize(
    ("files", "refusal"),
    [
        pytest.param(
            {
                "one/task.toml": 'instruction = "x"\nexpected = { outcom = "y" }\n',
                "one/files/a.txt": "A-7: 12\n",
            },
            "one/task.toml: expected.outcom: there is no such key; did you mean 'outcome'?",
            id="a misspelt key",
        ),
        pytest.param(
            {
                "one/task.toml": 'version = "1.0"\n[verifier]\ntimeout_sec = 60.0\n',
                "one/instruction.md": "Say hello.",
                "one/environment/Dockerfile": "FROM scratch\n",
            },
            "this is a task of Harbor, which runs in its container",
            id="a task of another benchmark, Harbor",
        ),
        pytest.param(
            {
                "one/task.toml": 'instruction = "How many of A-7 are there?"\n',
                "one/files/a.txt": "A-7: 12\n",
            },
            "nothing says what is right: give [expected], a rubric, or a grade.py beside it",
            id="a task that cannot be graded",
        ),
    ],
)
def test_a_folder_with_a_fault_is_refused(
    files: dict[str, str], refusal: str, tmp_path: Path
) -> None:
    task_folder(tmp_path, files)

    run = run_in_process("run", "--benchmark", "folder:tasks", cwd=tmp_path)

    assert run.code == 2
    assert refusal in run.err
    assert len(run.err.splitlines()) == 1


pytestmark = pytest.mark.usefixtures("shared_fork_servers")


def test_the_sample_tasks_are_played_replayed_and_graded_again(tmp_path: Path) -> None:
    """The sample of the documentation has three tasks, which replies in a file beside it solve.

    `replay --verify` runs the recorded scripts again, and `judge --grader` the graders.
    """
    library = ROOT / "docs/examples/library"
    run = run_in_process(
        "run",
        f"--benchmark=folder:{library}",
        f"--model=scripted:{library}.toml",
        "--repeats=2",
        "--json",
        cwd=tmp_path,
    )
    replay = run_in_process("replay", "last", "--verify", cwd=tmp_path)
    judge = run_in_process("judge", "last", "--grader", cwd=tmp_path)

    assert run.code == 0, run.err
    assert run.json["score"] == 1.0
    assert len(run.json["trials"]) == 6  # each of three tasks twice
    assert replay.code == 0
    assert "6 trials graded again, 0 changed" in judge.out
