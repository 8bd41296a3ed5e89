"""The file `task.toml` of a task in Harbor's format, a public format for tasks in containers.

The file says how much memory, disk and network the task's container needs. Versions of the
format spell its keys differently: `memory = "2G"` is `memory_mb = 2048` in a newer one.
"""

from pathlib import Path

import pytest

from controlplane.benchmarks.harbor.harbor_benchmark import TaskFileError
from tests.benchmarks.harbor.task_file.written_task import write_and_read_task

OLD_SPELLINGS = """
version = "1.0"

[environment]
memory = "2G"
storage = "10 GB"
allow_internet = false
"""
NEW_SPELLINGS = """
[environment]
memory_mb = 2048
storage_mb = 10240
network_mode = "no-network"
"""


@pytest.mark.parametrize(
    "toml",
    [
        pytest.param(OLD_SPELLINGS, id="old spellings"),
        pytest.param(NEW_SPELLINGS, id="new spellings"),
    ],
)
def test_old_and_new_spellings_of_limits_mean_the_same(
    toml: str, tmp_path: Path
) -> None:
    task = write_and_read_task(tmp_path / "task", toml)

    assert task.memory_mb == 2048
    assert task.storage_mb == 10240
    assert task.file.agent_network == "no-network"


@pytest.mark.parametrize(
    "toml",
    [
        pytest.param("[agent]\ntimeout_sec = -1", id="negative time"),
        pytest.param('[environment]\nmemory = "much"', id="not a size"),
        pytest.param("[agent", id="syntax error"),
    ],
)
def test_an_error_in_task_toml_names_the_file(tmp_path: Path, toml: str) -> None:
    with pytest.raises(TaskFileError, match=r"task\.toml"):
        write_and_read_task(tmp_path / "task", toml)
