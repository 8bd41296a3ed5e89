"""Folders of tasks that cannot be played: commands refuse them in one line, before a run begins.

`run --benchmark folder:tasks` plays the tasks that somebody has written into a folder as `task.toml`
files. Exit code 2 means that the command was not used rightly.
"""

from pathlib import Path

import pytest

from tests.benchmarks.folder.written_tasks import task_folder
from tests.support.command import run_in_process

pytestmark = pytest.mark.usefixtures("shared_fork_servers")


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
