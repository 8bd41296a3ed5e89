"""Links in a folder of tasks. They are refused, because they could lead out of the folder.

Anybody may share such a folder. By a link to `/etc/passwd`, a downloaded task could show the agent a
file of the user's. The message names the place: `one/files/link: it is a link`.
"""

from pathlib import Path

import pytest

from tests.benchmarks.folder.written_tasks import TASK, fault_of, task_folder


@pytest.mark.parametrize(
    "target",
    [
        pytest.param("/etc/passwd", id="a file of the computer"),
        pytest.param("notes.txt", id="a file of the task itself"),
        pytest.param(".", id="the folder of the link"),
    ],
)
def test_a_link_among_the_files_of_a_task_is_refused(
    target: str, tmp_path: Path
) -> None:
    folder = task_folder(tmp_path, {"one/task.toml": TASK, "one/files/notes.txt": "n"})
    (folder / "one/files/link").symlink_to(target)

    assert (
        "one/files/link: it is a link or below one, and links are not followed"
    ) in fault_of(folder)


def test_a_link_to_the_folder_of_a_task_is_refused(tmp_path: Path) -> None:
    folder = task_folder(tmp_path, {"one/task.toml": TASK})
    (folder / "link").symlink_to("one")

    assert "link/task.toml: it is a link or below one" in fault_of(folder)
