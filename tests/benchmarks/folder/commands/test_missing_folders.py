"""Commands that name no folder of tasks, or one that does not exist. They are refused in one line.

`run --benchmark folder:tasks` plays the tasks in the folder `tasks`. Exit code 2 means that the
command was not used rightly.
"""

from pathlib import Path

import pytest

from tests.support.command import run_in_process


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
    benchmark: str, refusal: str, tmp_path: Path
) -> None:
    run = run_in_process("run", "--benchmark", benchmark, cwd=tmp_path)

    assert run.code == 2
    assert refusal in run.err
    assert len(run.err.splitlines()) == 1
