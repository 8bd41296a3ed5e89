"""Other faults of a `task.toml`, too, are reported with the task's folder and the key.

`one/task.toml` has the task `one`, whose agent sees the file `one/files/notes.txt` as `/notes.txt`.
"""

from pathlib import Path

from tests.benchmarks.folder.written_tasks import TASK, fault_of, task_folder


def test_a_tool_with_the_path_of_a_file_is_reported_with_its_place(
    tmp_path: Path,
) -> None:
    folder = task_folder(
        tmp_path,
        {
            "one/task.toml": f'{TASK}[[tool]]\npath = "/notes.txt"\n',
            "one/files/notes.txt": "n",
        },
    )

    assert "one/task.toml: tool[0].path: /notes.txt is a file already" in fault_of(
        folder
    )


def test_an_unknown_key_is_reported_with_the_tasks_folder(tmp_path: Path) -> None:
    folder = task_folder(tmp_path, {"one/task.toml": f"oops = 1\n{TASK}"})

    assert "one/task.toml: oops: there is no such key" in fault_of(folder)
