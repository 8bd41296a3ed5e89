"""The benchmark `folder`, whose tasks somebody writes into a folder as `task.toml` files.

    tasks/stock/task.toml     instruction = "Write the stock of A-7 into /stock.txt."
    tasks/stock/files/a.txt   the files that the agent sees, here as /a.txt

Each test runs commands, with replies of the model from a file. What grades the answers has tests of
its own, in the folder `grades`.
"""

import shutil
from pathlib import Path

import pytest

from tests.support.command import ROOT, run_in_process

pytestmark = pytest.mark.usefixtures("shared_fork_servers")
LIBRARY_REPLIES = ROOT / "docs/examples/library.toml"
"""Scripted replies that solve these tasks."""
USAGE_ERROR = 2

LIBRARY = ROOT / "docs/examples/library"
"""The sample of the documentation: three tasks about the files of a library."""

# Exit codes of commands: without errors, and for wrong arguments
SUCCESS = 0


class TestSampleTasks:
    """The sample of the documentation has three tasks about the files of a library.

    Scripted replies, in a file beside them, solve all three.
    """

    def test_the_sample_tasks_are_played_replayed_and_graded_again(
        self, tmp_path: Path
    ) -> None:
        """Each of the three tasks is played twice.

        `replay --verify` runs the recorded scripts again, and `judge --grader` the graders.
        """
        run = run_in_process(
            "run",
            *("--benchmark", f"folder:{LIBRARY}"),
            *("--model", f"scripted:{LIBRARY_REPLIES}"),
            *("--repeats", "2"),
            "--json",
            cwd=tmp_path,
        )
        replay = run_in_process("replay", "last", "--verify", cwd=tmp_path)
        judge = run_in_process("judge", "last", "--grader", cwd=tmp_path)

        assert run.code == SUCCESS, run.err
        assert run.json["score"] == 1.0
        assert len(run.json["trials"]) == 6
        assert replay.code == SUCCESS
        assert "6 trials graded again, 0 changed" in judge.out

    def test_after_a_change_of_the_folder_a_run_is_replayed_but_not_run_again(
        self, tmp_path: Path
    ) -> None:
        """`rerun` needs the same files. `replay` takes all results from the journal."""
        shutil.copytree(LIBRARY, tmp_path / "library")
        run = run_in_process(
            "run",
            "overdue-loans",
            *("--benchmark", "folder:library"),
            *("--model", f"scripted:{LIBRARY_REPLIES}"),
            "--json",
            cwd=tmp_path,
        )
        assert run.json["score"] == 1.0
        (tmp_path / "library/desk/docs/privacy.md").write_text(
            "other\n", encoding="utf-8"
        )

        rerun = run_in_process("rerun", "last", cwd=tmp_path)
        replay = run_in_process("replay", "last", "--verify", cwd=tmp_path)

        assert rerun.code == USAGE_ERROR
        assert "world" in rerun.err
        assert replay.code == SUCCESS


class TestRefusedFolders:
    """A folder that cannot be played is refused in one line, before a run begins.

    The exit code 2 is that of wrong arguments.
    """

    @pytest.mark.parametrize(
        ("benchmark", "refusal"),
        [
            pytest.param(
                "folder", "which folder? Name it as folder:DIR", id="no folder is named"
            ),
            pytest.param(
                "folder:none", "none: there is no such folder", id="no such folder"
            ),
            pytest.param(
                "folder:misspelt",
                "one/task.toml: expected.outcom: there is no such key; did you mean 'outcome'?",
                id="a misspelt key",
            ),
            pytest.param(
                "folder:harbor",
                "this is a task of Harbor, which runs in its container",
                id="a task of another benchmark",
            ),
            pytest.param(
                "folder:ungraded",
                "nothing says what is right: give [expected], a rubric, or a grade.py beside it",
                id="a task that cannot be graded",
            ),
        ],
    )
    def test_a_folder_that_cannot_be_played_is_refused_in_one_line(
        self, benchmark: str, refusal: str, tmp_path: Path
    ) -> None:
        """The folders `misspelt`, `harbor` and `ungraded` have a task with this fault each."""
        # The form of another benchmark, Harbor, whose tasks are in folders, too.
        task_of_harbor = 'version = "1.0"\n[verifier]\ntimeout_sec = 60.0\n'

        # A task with an instruction only.
        task_without_grading = (
            'instruction = "Write the stock of A-7 into /stock.txt."\n'
        )

        # The text of a `task.toml` with a fault each
        task_with_misspelt_key = 'instruction = "x"\nexpected = { outcom = "y" }\n'

        for name, text in {
            "misspelt": task_with_misspelt_key,
            "harbor": task_of_harbor,
            "ungraded": task_without_grading,
        }.items():
            (tmp_path / name / "one/files").mkdir(parents=True)
            (tmp_path / name / "one/files/a.txt").write_text("A-7: 12")
            (tmp_path / name / "one/task.toml").write_text(text)
        (tmp_path / "harbor/one/environment").mkdir()
        (tmp_path / "harbor/one/instruction.md").write_text("Say hello.")

        run = run_in_process(
            "run",
            *("--benchmark", benchmark),
            *("--model", f"scripted:{LIBRARY_REPLIES}"),
            cwd=tmp_path,
        )

        assert run.code == USAGE_ERROR
        assert refusal in run.err
        assert len(run.err.splitlines()) == 1
