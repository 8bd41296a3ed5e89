"""The files of a task are read as texts. What is not a text, or lies too deep, is refused.

The agent of the task `one` sees the files below `one/files/`. `fault_of(folder)` is the message with
which a folder of tasks is refused.
"""

import os
from pathlib import Path

from tests.benchmarks.folder.written_tasks import TASK, fault_of, task_folder


def test_a_pipe_is_refused(tmp_path: Path) -> None:
    """A pipe has no text, and would keep the reader waiting."""
    folder = task_folder(tmp_path, {"one/task.toml": TASK, "one/files/a.txt": "n"})
    os.mkfifo(folder / "one/files/pipe")

    assert "one/files/pipe: it is not a file" in fault_of(folder)


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    """The byte 255 is in no text in UTF-8."""
    folder = task_folder(
        tmp_path, {"one/task.toml": TASK, "one/files/x.bin": b"ab\xff"}
    )

    assert "one/files/x.bin: it is not UTF-8 text (byte 2)" in fault_of(folder)


def test_a_file_in_too_many_folders_is_refused(tmp_path: Path) -> None:
    """A path may have at most 40 levels."""
    deep_file = "one/files/" + 41 * "d/" + "x"
    folder = task_folder(tmp_path, {"one/task.toml": TASK, deep_file: ""})

    assert "this name cannot be used" in fault_of(folder)


def test_an_empty_folder_in_too_many_folders_is_refused(tmp_path: Path) -> None:
    """There is no file to read, but looking for files would go through all 300 levels."""
    folder = task_folder(tmp_path, {"one/task.toml": TASK, "one/files/a.txt": "n"})
    (folder / "one/files" / (300 * "d/")).mkdir(parents=True)

    assert "this name cannot be used" in fault_of(folder)
