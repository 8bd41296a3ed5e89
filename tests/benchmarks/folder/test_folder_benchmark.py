"""The benchmark `folder`, whose tasks somebody writes into a folder as `task.toml` files.

    tasks/stock/task.toml     instruction = "How many of A-7 are there?"
    tasks/stock/files/a.txt   the files that the agent sees, here as /a.txt

Each test runs commands, with replies of the model from a file. What grades the answers has tests of
its own, in the folder `grades`.
"""

from pathlib import Path

import pytest

from tests.benchmarks.folder.written_tasks import task_folder
from tests.support.command import ROOT, run_in_process

pytestmark = pytest.mark.usefixtures("shared_fork_servers")

SUCCESS = 0
USAGE_ERROR = 2


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

    assert run.code == SUCCESS, run.err
    assert run.json["score"] == 1.0
    assert len(run.json["trials"]) == 6  # each of three tasks twice
    assert replay.code == SUCCESS
    assert "6 trials graded again, 0 changed" in judge.out


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
    play = ["run", "--benchmark=folder:tasks", "--model=scripted:replies.toml"]
    run = run_in_process(*play, "--json", cwd=tmp_path)
    assert run.json["score"] == 1.0, run.out

    (tasks / "stock/files/a.txt").write_text("A-7: 21\n")
    rerun = run_in_process("rerun", "last", cwd=tmp_path)
    replay = run_in_process("replay", "last", "--verify", cwd=tmp_path)

    assert rerun.code == USAGE_ERROR
    assert "world" in rerun.err
    assert replay.code == SUCCESS


class TestRefusedFolders:
    """A folder that cannot be played is refused in one line, before a run begins."""

    @pytest.mark.parametrize(
        ("benchmark", "refusal"),
        [
            pytest.param(
                "folder", "which folder? Name it as folder:DIR", id="no folder is named"
            ),
            pytest.param(
                "folder:none", "none: there is no such folder", id="no such folder"
            ),
        ],
    )
    def test_a_benchmark_without_an_existing_folder_is_refused(
        self, benchmark: str, refusal: str, tmp_path: Path
    ) -> None:
        run = run_in_process("run", "--benchmark", benchmark, cwd=tmp_path)

        assert run.code == USAGE_ERROR
        assert refusal in run.err
        assert len(run.err.splitlines()) == 1

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
        self, files: dict[str, str], refusal: str, tmp_path: Path
    ) -> None:
        task_folder(tmp_path, files)

        run = run_in_process("run", "--benchmark", "folder:tasks", cwd=tmp_path)

        assert run.code == USAGE_ERROR
        assert refusal in run.err
        assert len(run.err.splitlines()) == 1
