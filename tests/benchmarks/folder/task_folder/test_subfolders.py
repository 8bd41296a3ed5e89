"""A folder of tasks has a subfolder for each task, whose name is the task's id.

`fault_of(folder)` is the message with which a folder of tasks is refused.
"""

from pathlib import Path

from tests.benchmarks.folder.written_tasks import TASK, fault_of, task_folder


def test_a_folder_without_a_task_is_refused(tmp_path: Path) -> None:
    folder = task_folder(tmp_path, {"one/files/notes.txt": "n"})

    assert "no folder in it holds a task.toml" in fault_of(folder)


def test_a_task_in_the_folder_of_all_tasks_is_refused_if_there_are_others(
    tmp_path: Path,
) -> None:
    """It would not be clear whether the folder is one task, or a folder with the task `one`."""
    folder = task_folder(tmp_path, {"task.toml": TASK, "one/task.toml": TASK})

    assert "keep one or the other" in fault_of(folder)


def test_a_task_whose_name_has_a_line_break_is_refused(tmp_path: Path) -> None:
    """The task's id must fit into a line of a table or a message."""
    folder = task_folder(tmp_path, {"a\nb/task.toml": TASK})

    assert "a task's folder has a name of at most 200 printable" in fault_of(folder)
