"""A folder of tasks, and the faults for which it is refused.

    tasks/one/task.toml           the task `one`
    tasks/one/files/notes.txt     a file that the agent sees, here as /notes.txt

Anybody may write such a folder, or share it for download. So links, pipes and paths that lead out of
it are refused, and the message names the place: `one/files/link: it is a link`.
"""

import os
from pathlib import Path

import pytest

from controlplane.benchmarks.folder.task_folder import read_folder
from controlplane.sandbox.interface import bounds
from tests.benchmarks.folder.written_tasks import TASK, fault_of, task_folder


class TestDigest:
    """The digest in a journal tells whether a folder is still as it was in the run."""

    def test_the_digest_of_a_folder_does_not_change_by_itself(
        self, tmp_path: Path
    ) -> None:
        folder = task_folder(tmp_path, {"one/task.toml": TASK, "one/files/a.txt": "n"})

        assert read_folder(folder).digest == read_folder(folder).digest

    def test_the_digest_of_a_folder_changes_with_every_text_and_name(
        self, tmp_path: Path
    ) -> None:
        folder = task_folder(tmp_path, {"one/task.toml": TASK, "one/files/a.txt": "n"})
        digest = read_folder(folder).digest

        (folder / "one/files/a.txt").write_text("m")
        digest_with_another_text = read_folder(folder).digest
        (folder / "one/files/a.txt").rename(folder / "one/files/b.txt")
        digest_with_another_name = read_folder(folder).digest

        assert digest_with_another_text != digest
        assert digest_with_another_name not in (digest, digest_with_another_text)


class TestLinks:
    """A link could lead out of the folder, so each one is refused.

    By a link to `/etc/passwd`, a downloaded task could show the agent a file of the user's.
    """

    @pytest.mark.parametrize(
        "target",
        [
            pytest.param("/etc/passwd", id="a file of the computer"),
            pytest.param("notes.txt", id="a file of the task itself"),
            pytest.param(".", id="the folder of the link"),
        ],
    )
    def test_a_link_among_the_files_of_a_task_is_refused(
        self, target: str, tmp_path: Path
    ) -> None:
        folder = task_folder(
            tmp_path, {"one/task.toml": TASK, "one/files/notes.txt": "n"}
        )
        (folder / "one/files/link").symlink_to(target)

        assert (
            "one/files/link: it is a link or below one, and links are not followed"
        ) in fault_of(folder)

    def test_a_link_to_the_folder_of_a_task_is_refused(self, tmp_path: Path) -> None:
        folder = task_folder(tmp_path, {"one/task.toml": TASK})
        (folder / "link").symlink_to("one")

        assert "link/task.toml: it is a link or below one" in fault_of(folder)


class TestUnreadableFiles:
    """The files of a task are read as texts. What is no text, or lies too deep, is refused."""

    def test_a_pipe_is_refused(self, tmp_path: Path) -> None:
        """A pipe has no text, and would keep the reader waiting."""
        folder = task_folder(tmp_path, {"one/task.toml": TASK, "one/files/a.txt": "n"})
        os.mkfifo(folder / "one/files/pipe")

        assert "one/files/pipe: it is not a file" in fault_of(folder)

    def test_a_file_that_is_not_text_is_refused(self, tmp_path: Path) -> None:
        """The byte 255 is in no text in UTF-8."""
        folder = task_folder(
            tmp_path, {"one/task.toml": TASK, "one/files/x.bin": b"ab\xff"}
        )

        assert "one/files/x.bin: it is not UTF-8 text (byte 2)" in fault_of(folder)

    def test_a_file_in_too_many_folders_is_refused(self, tmp_path: Path) -> None:
        """A path may have at most 40 levels."""
        deep_file = "one/files/" + 41 * "d/" + "x"
        folder = task_folder(tmp_path, {"one/task.toml": TASK, deep_file: ""})

        assert "this name cannot be used" in fault_of(folder)

    def test_an_empty_folder_in_too_many_folders_is_refused(
        self, tmp_path: Path
    ) -> None:
        """There is no file to read, but looking for files would go through all 300 levels."""
        folder = task_folder(tmp_path, {"one/task.toml": TASK, "one/files/a.txt": "n"})
        (folder / "one/files" / (300 * "d/")).mkdir(parents=True)

        assert "this name cannot be used" in fault_of(folder)


class TestTasksOfFolder:
    """A folder has a subfolder for each task, whose name is the task's id."""

    def test_a_folder_without_a_task_is_refused(self, tmp_path: Path) -> None:
        folder = task_folder(tmp_path, {"one/files/notes.txt": "n"})

        assert "no folder in it holds a task.toml" in fault_of(folder)

    def test_a_task_in_the_folder_of_all_tasks_is_refused_if_there_are_others(
        self, tmp_path: Path
    ) -> None:
        """It would not be clear whether the folder is one task, or a folder with the task `one`."""
        folder = task_folder(tmp_path, {"task.toml": TASK, "one/task.toml": TASK})

        assert "keep one or the other" in fault_of(folder)

    def test_a_task_whose_name_has_a_line_break_is_refused(
        self, tmp_path: Path
    ) -> None:
        """The task's id must fit into a line of a table or a message."""
        folder = task_folder(tmp_path, {"a\nb/task.toml": TASK})

        assert "a task's folder has a name of at most 200 printable" in fault_of(folder)


class TestSizes:
    """Reading a huge folder by mistake would take long, and fill the memory."""

    def test_a_folder_with_too_many_files_is_refused(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(bounds, "MOST_TASK_FILES", 2)
        folder = task_folder(
            tmp_path,
            {"one/task.toml": TASK, "one/files/a.txt": "a", "one/files/b.txt": "b"},
        )

        assert "it holds more than" in fault_of(folder)

    def test_a_file_with_too_many_bytes_is_refused(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(bounds, "MOST_TASK_BYTES", 120)
        folder = task_folder(
            tmp_path, {"one/task.toml": TASK, "one/files/a.txt": 121 * "a"}
        )

        assert "it is larger than" in fault_of(folder)

    def test_files_with_too_many_bytes_in_all_are_refused(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(bounds, "MOST_TASK_BYTES", 120)
        folder = task_folder(
            tmp_path, {"one/task.toml": TASK, "one/files/a.txt": 119 * "a"}
        )

        assert "it holds more than" in fault_of(folder)
