"""A folder of tasks is read within bounds, and faults are told with the task and the key.

Tasks are found in subfolders by their names. Links, huge folders, pipes, files that are not text,
and paths that are missing or lead out of the folder are refused. A digest tells whether the folder
has changed.
"""

import os
from pathlib import Path

import pytest

from controlplane.benchmarks.folder.task_folder import read_folder
from controlplane.sandbox.interface import bounds
from tests.benchmarks.folder.written_tasks import TASK, fault_of, task_folder

# The digest of a folder of tasks tells whether the folder is still as it was in a run.
#
# The journal of a run has it. The task `one` is `one/task.toml`, and its agent sees the files below
# `one/files/`.


def test_the_digest_of_a_folder_does_not_change_by_itself(tmp_path: Path) -> None:
    folder = task_folder(tmp_path, {"one/task.toml": TASK, "one/files/a.txt": "n"})

    assert read_folder(folder).digest == read_folder(folder).digest


def test_the_digest_of_a_folder_changes_with_every_text_and_name(
    tmp_path: Path,
) -> None:
    folder = task_folder(tmp_path, {"one/task.toml": TASK, "one/files/a.txt": "n"})
    digest = read_folder(folder).digest

    (folder / "one/files/a.txt").write_text("m")
    digest_with_another_text = read_folder(folder).digest
    (folder / "one/files/a.txt").rename(folder / "one/files/b.txt")
    digest_with_another_name = read_folder(folder).digest

    assert digest_with_another_text != digest
    assert digest_with_another_name not in (digest, digest_with_another_text)


# Links in a folder of tasks. They are refused, because they could lead out of the folder.
#
# Anybody may share such a folder. By a link to `/etc/passwd`, a downloaded task could show the agent a
# file of the user's. The message names the place: `one/files/link: it is a link`.


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


# A huge folder of tasks is refused: to read it by mistake would take long, and fill the memory.
#
# `fault_of(folder)` is the message with which a folder of tasks is refused. The limits are lowered to
# two files, and to 120 bytes.


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


# A folder of tasks has a subfolder for each task, whose name is the task's id.
#
# `fault_of(folder)` is the message with which a folder of tasks is refused.


def test_tasks_are_found_in_folders_of_folders(tmp_path: Path) -> None:
    """What is below a task's own folder is no task, and neither is a hidden folder."""
    folder = task_folder(
        tmp_path,
        {
            "easy/one/task.toml": TASK,
            "easy/one/files/x/task.toml": "no = 'task'",
            "easy/two/task.toml": TASK,
            "hard/deep/two/task.toml": TASK,
            "hard/.old/three/task.toml": TASK,
            "common/a.txt": "a",
        },
    )

    tasks = read_folder(folder).tasks

    assert list(tasks) == ["one", "easy.two", "hard.deep.two"]
    assert list(tasks["one"].files) == ["/x/task.toml"]


def test_a_task_is_found_however_deep_it_is(tmp_path: Path) -> None:
    """A path may have at most 40 levels, and here are 31."""
    folder = task_folder(tmp_path, {f"{30 * 'd/'}one/task.toml": TASK})

    assert list(read_folder(folder).tasks) == ["one"]


def test_a_folder_of_very_many_folders_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A user may name `/` by mistake."""
    monkeypatch.setattr(bounds, "MOST_TASK_FILES", 3)
    folder = task_folder(tmp_path, {f"{name}/x/notes.txt": "n" for name in "abc"})

    assert "it has more than 3 folders; name that of the tasks" in fault_of(folder)


def test_tasks_with_the_same_id_are_refused(tmp_path: Path) -> None:
    """Two folders `b` are told apart as `a.b` and `c.b`, but one may be called so already."""
    files = {f"{place}/task.toml": TASK for place in ("a/b", "c/b", "x/a.b")}

    assert "has the id 'a.b', too" in fault_of(task_folder(tmp_path, files))


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


# The files of a task are read as texts. What is not a text, or lies too deep, is refused.
#
# The agent of the task `one` sees the files below `one/files/`. `fault_of(folder)` is the message with
# which a folder of tasks is refused.


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


# The key `expected` of a `task.toml` names files that a right answer cites, or that are to be changed.
#
# A file that is missing is reported with the task's folder and the key:
# `one/task.toml: expected.references[0]: /none is not a file`.


@pytest.mark.parametrize(
    ("expected_keys", "fault"),
    [
        pytest.param(
            'references = ["/none"]',
            "one/task.toml: expected.references[0]: /none is not a file",
            id="a reference that does not exist",
        ),
        pytest.param(
            '[[expected.change]]\npath = "/notes.txt"\nfile = "../../x"',
            "one/task.toml: expected.change[0].file: '../../x' leads out",
            id="a file outside as the result of a change",
        ),
        pytest.param(
            '[[expected.change]]\npath = "/notes.txt"\nfile = "gone.txt"',
            "one/task.toml: expected.change[0].file: there is no file 'gone",
            id="a file that does not exist as the result of a change",
        ),
        pytest.param(
            '[[expected.change]]\npath = "/none"\ndeleted = true',
            "one/task.toml: expected.change[0].path: /none is not a file that could be deleted",
            id="the deletion of a file that does not exist",
        ),
    ],
)
def test_an_expectation_of_a_missing_file_is_reported_with_its_place(
    expected_keys: str, fault: str, tmp_path: Path
) -> None:
    folder = task_folder(
        tmp_path,
        {"one/task.toml": TASK + expected_keys, "one/files/notes.txt": "n"},
    )

    assert fault in fault_of(folder)


@pytest.mark.parametrize(
    ("keys", "fault"),
    [
        pytest.param('trees = "files"', "trees: Input should be a valid array", id="a"),
        pytest.param("expected = 3", "expected: Input should be a valid table", id="t"),
    ],
)
def test_a_value_of_another_type_is_reported_in_the_words_of_toml(
    keys: str, fault: str, tmp_path: Path
) -> None:
    folder = task_folder(tmp_path, {"one/task.toml": f"instruction = 'x'\n{keys}\n"})

    assert f"one/task.toml: {fault}, not " in fault_of(folder)


# Other faults of a `task.toml`, too, are reported with the task's folder and the key.
#
# `one/task.toml` has the task `one`, whose agent sees the file `one/files/notes.txt` as `/notes.txt`.


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


# The key `trees` of a `task.toml` names the folders whose files the agent sees.
#
# They must be in the folder of all tasks, and the agent must not see the task.toml. A fault is
# reported with the task's folder and the key: `one/task.toml: trees[0]: '/etc' leads out of the
# folder`.


@pytest.mark.parametrize(
    ("trees", "fault"),
    [
        pytest.param(
            '["../.."]',
            "one/task.toml: trees[0]: '../..' leads out of the folder",
            id="a folder above all tasks",
        ),
        pytest.param(
            '["/etc"]',
            "one/task.toml: trees[0]: '/etc' leads out of the folder",
            id="an absolute path",
        ),
        pytest.param(
            '["files", "."]',
            "one/task.toml: trees[1]: '.' would show task.toml",
            id="the folder of the task itself",
        ),
        pytest.param(
            '["files/.."]',
            "one/task.toml: trees[0]: 'files/..' would show task.toml",
            id="the folder of the task, spelt in another way",
        ),
        pytest.param(
            '["other"]',
            "one/task.toml: trees[0]: there is no file below 'other'",
            id="a folder that does not exist",
        ),
        pytest.param(
            '["' + 100_000 * "a/" + '"]',
            "this name cannot be used",
            id="a long path",
        ),
        pytest.param(
            "[" + 21 * '"files", ' + "]",
            "one/task.toml: trees: Tuple should have at most 20 items",
            id="too many folders",
        ),
    ],
)
def test_a_fault_of_trees_is_reported_with_its_place(
    trees: str, fault: str, tmp_path: Path
) -> None:
    folder = task_folder(
        tmp_path,
        {"one/task.toml": f"trees = {trees}\n{TASK}", "one/files/notes.txt": "n"},
    )

    assert fault in fault_of(folder)
