"""A folder of tasks, and the faults for which it is refused.

    tasks/one/task.toml           the task `one`
    tasks/one/files/notes.txt     a file that the agent sees, here as /notes.txt

Anybody may write such a folder, or share it for download. So links, pipes and paths that lead out of
it are refused, and the message names the place: `one/files/link: it is a link`.
"""

import os
from pathlib import Path

import pytest

from controlplane import BenchmarkError
from controlplane.benchmarks.folder.task_folder import read_folder
from controlplane.sandbox.interface import bounds

INSTRUCTION = 'instruction = "Count."\n'
EXPECTED = '[expected]\noutcome = "OUTCOME_OK"\n'
"""The parts of a task.toml that every task here has."""


def write(path: Path, content: str | bytes = "") -> None:
    """Write a file, and create its folder if need be."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, str):
        content = content.encode()
    path.write_bytes(content)


def write_task(folder: Path, *, keys: str = "", expected_keys: str = "") -> None:
    """Write the task `one`, with further keys at its top level or in the table `expected`.

    `keys` and `expected_keys` are lines of TOML: `trees = ["files"]`.
    """
    write(folder / "one/task.toml", f"{INSTRUCTION}{keys}{EXPECTED}{expected_keys}")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of tasks: the task `one` with the files `a/b.json` and `notes.txt`."""
    folder = tmp_path / "tasks"
    write_task(folder)
    write(folder / "one/files/a/b.json", "{}")
    write(folder / "one/files/notes.txt", "n\n")
    return folder


class TestDigest:
    """The digest in a journal tells whether a folder is still as it was in the run."""

    def test_the_digest_of_a_folder_does_not_change_by_itself(
        self, folder: Path
    ) -> None:
        """Reading the same folder twice gives the same digest."""
        assert read_folder(folder).digest == read_folder(folder).digest

    def test_the_digest_of_a_folder_changes_with_every_text_and_name(
        self, folder: Path
    ) -> None:
        digest = read_folder(folder).digest

        write(folder / "one/files/notes.txt", "m\n")
        digest_with_another_text = read_folder(folder).digest

        notes = folder / "one/files/notes.txt"
        notes.rename(notes.with_name("note.txt"))
        digest_with_another_name = read_folder(folder).digest

        assert digest_with_another_text != digest
        assert digest_with_another_name not in (digest, digest_with_another_text)


def fault_of(folder: Path) -> str:
    """Read a folder that must be refused, and return the message."""
    with pytest.raises(BenchmarkError) as error:
        read_folder(folder)
    message = str(error.value)
    assert len(message) < 1_000  # It is shown on a terminal, however long the name is.
    return message


class TestLinks:
    """A link could lead out of the folder, so each one is refused.

    By a link to `/etc/passwd`, a downloaded task could show the agent a file of the user's.
    """

    @pytest.mark.parametrize(
        ("target", "fault"),
        [
            pytest.param(
                "/etc/passwd",
                "one/files/link: it is a link or below one, and links are not followed",
                id="a file of the computer",
            ),
            pytest.param(
                "notes.txt", "one/files/link: it is a link", id="a file of the task"
            ),
            pytest.param(
                ".", "one/files/link: it is a link", id="the folder of the link"
            ),
        ],
    )
    def test_a_link_among_the_files_of_a_task_is_refused(
        self, folder: Path, target: str, fault: str
    ) -> None:
        """Links to files of the task itself are refused as well."""
        (folder / "one/files/link").symlink_to(target)

        assert fault in fault_of(folder)

    def test_a_link_to_the_folder_of_a_task_is_refused(self, folder: Path) -> None:
        """The folder of tasks has a link `link` to its task `one`."""
        (folder / "link").symlink_to("one")

        assert "link/task.toml: it is a link or below one" in fault_of(folder)


class TestUnreadableFiles:
    """The files of a task are read as texts. What is no text, or lies too deep, is refused."""

    def test_a_pipe_is_refused(self, folder: Path) -> None:
        """A pipe has no text, and would keep the reader waiting."""
        os.mkfifo(folder / "one/files/pipe")

        assert "one/files/pipe: it is not a file" in fault_of(folder)

    def test_a_file_that_is_not_text_is_refused(self, folder: Path) -> None:
        """The byte at index 2, which is 255, is in no text in UTF-8."""
        write(folder / "one/files/x.bin", b"ab\xff")

        assert "one/files/x.bin: it is not UTF-8 text (byte 2)" in fault_of(folder)

    def test_a_file_in_too_many_folders_is_refused(self, folder: Path) -> None:
        """A path may have at most 40 levels. This one has 41 nested folders `d/d/d/...`."""
        write(folder / "one/files" / ("d/" * 41) / "x")

        assert "this name cannot be used" in fault_of(folder)

    def test_an_empty_folder_in_too_many_folders_is_refused(self, folder: Path) -> None:
        """There is no file to read in it, but looking for files would go through all 300 levels."""
        (folder / "one/files" / ("d/" * 300)).mkdir(parents=True)

        assert "this name cannot be used" in fault_of(folder)


class TestTasksOfFolder:
    """A folder has a subfolder for each task, whose name is the task's id."""

    def test_a_folder_without_a_task_is_refused(self, folder: Path) -> None:
        """Its only task was `one/task.toml`."""
        (folder / "one/task.toml").unlink()

        assert "no folder in it holds a task.toml" in fault_of(folder)

    def test_a_task_in_the_folder_of_all_tasks_is_refused_if_there_are_others(
        self, folder: Path
    ) -> None:
        """It would not be clear whether the folder is one task, or a folder with the task `one`."""
        write(folder / "task.toml", f"{INSTRUCTION}{EXPECTED}")

        assert "keep one or the other" in fault_of(folder)

    def test_a_task_whose_name_has_a_line_break_is_refused(self, folder: Path) -> None:
        """The task's id must fit into a line of a table or a message."""
        (folder / "one").rename(folder / "a\nb")

        assert "a task's folder has a name of at most 200 printable" in fault_of(folder)


class TestTrees:
    """The key `trees` names the folders whose files the agent sees, by default `files`.

    They must be below the task's folder, and the agent must not see its `task.toml`.
    """

    @pytest.mark.parametrize(
        ("trees", "fault"),
        [
            pytest.param(
                ["../.."],
                "one/task.toml: trees[0]: '../..' leads out of the folder",
                id="a folder above all tasks",
            ),
            pytest.param(
                ["/etc"],
                "one/task.toml: trees[0]: '/etc' leads out of the folder",
                id="an absolute path",
            ),
            pytest.param(
                ["files", "."],
                "one/task.toml: trees[1]: '.' would show task.toml",
                id="the folder of the task itself",
            ),
            pytest.param(
                ["files/.."],
                "one/task.toml: trees[0]: 'files/..' would show task.toml",
                id="the folder of the task, spelt in another way",
            ),
            pytest.param(
                ["other"],
                "one/task.toml: trees[0]: there is no file below 'other'",
                id="a folder that does not exist",
            ),
            pytest.param(
                ["a/" * 100_000], "this name cannot be used", id="a long path"
            ),
            pytest.param(
                ["files"] * 21,
                "one/task.toml: trees: Tuple should have at most 20 items",
                id="too many folders",
            ),
        ],
    )
    def test_a_fault_of_trees_is_reported_with_its_place(
        self, folder: Path, trees: list[str], fault: str
    ) -> None:
        write_task(folder, keys=f"trees = {trees}\n")

        assert fault in fault_of(folder)


class TestKeys:
    """A fault of a `task.toml` is reported with the path of the file and the name of the key.

    `write_task` writes the task `one` with further keys, and `fault_of` returns the message for
    which the folder is refused.
    """

    @pytest.mark.parametrize(
        ("expected_keys", "fault"),
        [
            pytest.param(
                'references = ["/none"]\n',
                "one/task.toml: expected.references[0]: /none is not a file",
                id="a reference that does not exist",
            ),
            pytest.param(
                '[[expected.change]]\npath = "/notes.txt"\nfile = "../../x"\n',
                "one/task.toml: expected.change[0].file: '../../x' leads out",
                id="a file outside as the result of a change",
            ),
            pytest.param(
                '[[expected.change]]\npath = "/notes.txt"\nfile = "gone.txt"\n',
                "one/task.toml: expected.change[0].file: there is no file 'gone",
                id="a file that does not exist as the result of a change",
            ),
            pytest.param(
                '[[expected.change]]\npath = "/none"\ndeleted = true\n',
                "one/task.toml: expected.change[0].path: /none is not a file that could be deleted",
                id="the deletion of a file that does not exist",
            ),
        ],
    )
    def test_an_expectation_of_a_missing_file_is_reported_with_its_place(
        self, folder: Path, expected_keys: str, fault: str
    ) -> None:
        """`[expected]` names files that a right answer cites, or that the agent has to change."""
        write_task(folder, expected_keys=expected_keys)

        assert fault in fault_of(folder)

    @pytest.mark.parametrize(
        ("keys", "fault"),
        [
            (
                '[[tool]]\npath = "/notes.txt"\n',
                "one/task.toml: tool[0].path: /notes.txt is a file already",
            ),
            ("oops = 1\n", "one/task.toml: oops: there is no such key"),
        ],
    )
    def test_a_fault_of_a_key_is_reported_with_the_tasks_folder(
        self, folder: Path, keys: str, fault: str
    ) -> None:
        """The message begins with the path of the `task.toml` below the folder of all tasks."""
        write_task(folder, keys=keys)

        assert fault in fault_of(folder)


class TestSizes:
    """Reading a huge folder by mistake would take long, and fill the memory."""

    def test_a_folder_with_too_many_files_is_refused(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Reading a huge folder by mistake would take long. This folder has three files."""
        monkeypatch.setattr(bounds, "MOST_TASK_FILES", 2)

        assert "it holds more than" in fault_of(folder)

    def test_a_folder_with_too_many_bytes_is_refused(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The `task.toml` alone has more than 20 bytes."""
        monkeypatch.setattr(bounds, "MOST_TASK_BYTES", 20)

        assert "it is larger than" in fault_of(folder)
