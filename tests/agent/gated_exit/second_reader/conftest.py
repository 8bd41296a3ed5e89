"""What tests of commands with a second reader share."""

from pathlib import Path

import pytest

from tests.agent.gated_exit.second_reader.german_task import write_german_task


@pytest.fixture
def folder(tmp_path: Path, shared_fork_servers: None) -> Path:
    """A folder with a task, both models, and a configuration that names the reader.

    The commands of all tests share the processes from which sandboxes are forked.
    """
    write_german_task(tmp_path)
    return tmp_path
