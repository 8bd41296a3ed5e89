"""A huge folder of tasks is refused: to read it by mistake would take long, and fill the memory.

`fault_of(folder)` is the message with which a folder of tasks is refused. The limits are lowered to
two files, and to 120 bytes.
"""

from pathlib import Path

import pytest

from controlplane.sandbox.interface import bounds
from tests.benchmarks.folder.written_tasks import TASK, fault_of, task_folder


def test_a_folder_with_too_many_files_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "MOST_TASK_FILES", 2)
    folder = task_folder(
        tmp_path,
        {"one/task.toml": TASK, "one/files/a.txt": "a", "one/files/b.txt": "b"},
    )

    assert "it holds more than" in fault_of(folder)


def test_a_file_with_too_many_bytes_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "MOST_TASK_BYTES", 120)
    folder = task_folder(
        tmp_path, {"one/task.toml": TASK, "one/files/a.txt": 121 * "a"}
    )

    assert "it is larger than" in fault_of(folder)


def test_files_with_too_many_bytes_in_all_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "MOST_TASK_BYTES", 120)
    folder = task_folder(
        tmp_path, {"one/task.toml": TASK, "one/files/a.txt": 119 * "a"}
    )

    assert "it holds more than" in fault_of(folder)
