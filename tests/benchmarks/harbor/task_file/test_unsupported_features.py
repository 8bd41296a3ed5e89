"""Tasks in Harbor's format that need what is not supported here: a second container, say.

Harbor is a public format for tasks that are played in containers. A task is a folder, and its
`task.toml` says what it needs. `gpus = 1` needs a graphics card: the task is refused, with a
message that has "GPUs", and the other tasks of the folder can still be played.
"""

from pathlib import Path

import pytest

from controlplane.benchmarks.harbor.harbor_benchmark import read_tasks
from tests.benchmarks.harbor.task_file.written_task import write_and_read_task

SEPARATE_VERIFIER = '[verifier]\nenvironment_mode = "separate"'
SOME_HOSTS_ONLY = '[agent]\nnetwork_mode = "allowlist"'
MCP_SERVER = '[[environment.mcp_servers]]\nname = "notes"'


@pytest.mark.parametrize(
    ("toml", "message_part"),
    [
        pytest.param('[[steps]]\nname = "first"', "several steps", id="steps"),
        pytest.param(
            SEPARATE_VERIFIER,
            "separate environment",
            id="a container of its own for the verifier",
        ),
        pytest.param(
            SOME_HOSTS_ONLY, "list of hosts", id="a network with some hosts only"
        ),
        pytest.param("[environment]\ngpus = 1", "GPUs", id="a graphics card"),
        pytest.param(MCP_SERVER, "MCP", id="an MCP server"),
        pytest.param('[environment]\nos = "windows"', "windows", id="Windows"),
    ],
)
def test_a_task_with_an_unsupported_feature_is_refused_and_others_are_read(
    tmp_path: Path, toml: str, message_part: str
) -> None:
    write_and_read_task(tmp_path / "special", toml)
    write_and_read_task(tmp_path / "plain", "")

    folder = read_tasks(tmp_path)

    assert list(folder.tasks) == ["plain"]
    assert message_part in folder.refusals["special"]
