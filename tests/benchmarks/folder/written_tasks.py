"""Folders of tasks that a test writes, and the message for which one is refused.

    folder = task_folder(tmp_path, {"one/task.toml": 'instruction = 7\\n'})
    fault_of(folder)  # ".../one/task.toml: instruction: Input should be a valid string, not 7"

A task is a folder with a task.toml; the agent sees what is in its subfolder `files`.
"""

from collections.abc import Mapping
from pathlib import Path

import pytest

from controlplane import BenchmarkError
from controlplane.benchmarks.folder.task_folder import read_folder

TASK = 'instruction = "Count."\n[expected]\noutcome = "OUTCOME_OK"\n'
"""The smallest task.toml. Further lines are keys of the table `expected`."""


def task_folder(parent: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files into the folder `tasks`, and return it."""
    folder = parent / "tasks"
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def fault_of(folder: Path) -> str:
    """Read a folder that must be refused, and return the message, of at most 1,000 characters.

    It is shown on a terminal, however long the name of a file is.
    """
    with pytest.raises(BenchmarkError) as error:
        read_folder(folder)
    message = str(error.value)
    assert len(message) < 1_000
    return message
