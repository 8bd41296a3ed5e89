"""A folder of tasks is read whole, within bounds, and nothing from outside of it."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.folder import task_file
from benchmarks.folder.task_file import read_folder
from controlplane import BenchmarkError

TASK = 'instruction = "Count."\n{}[expected]\noutcome = "OUTCOME_OK"\n{}'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one task over two files."""
    put(tmp_path / "tasks/one/task.toml", TASK.format("", ""))
    put(tmp_path / "tasks/one/files/a/b.json", "{}")
    put(tmp_path / "tasks/one/files/notes.txt", "n\n")
    return tmp_path / "tasks"


def put(path: Path, text: str | bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)


def test_the_digest_follows_every_byte_and_every_name(folder: Path) -> None:
    first = read_folder(folder)[1]
    assert read_folder(folder)[1] == first
    put(folder / "one/files/notes.txt", "m\n")
    other = read_folder(folder)[1]
    (folder / "one/files/notes.txt").rename(folder / "one/files/note.txt")
    assert len({first, other, read_folder(folder)[1]}) == 3


def linked(target: str) -> Callable[[Path], None]:
    return lambda folder: (folder / "one/files/link").symlink_to(target)


def task(head: str = "", end: str = "") -> Callable[[Path], None]:
    return lambda folder: put(folder / "one/task.toml", TASK.format(head, end))


def file(path: str, text: str | bytes) -> Callable[[Path], None]:
    return lambda folder: put(folder / path, text)


CHANGE = '[[expected.change]]\npath = "/notes.txt"\n'


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (linked("/etc/passwd"), "one/files/link: it is a link or below one, and links are not followed"),
        (linked("notes.txt"), "one/files/link: it is a link"),
        (linked("."), "one/files/link: it is a link"),
        (lambda folder: os.mkfifo(folder / "one/files/pipe"), "one/files/pipe: it is not a file"),
        (file("one/files/x.bin", b"ab\xff"), "one/files/x.bin: it is not UTF-8 text (byte 2)"),
        (file("one/files/" + "d/" * 41 + "x", ""), "this name cannot be used"),
        (lambda folder: (folder / "one/files" / "/".join("d" * 300)).mkdir(parents=True), "this name cannot be used"),
        (task(f'trees = ["{"a/" * 100_000}"]\n'), "this name cannot be used"),
        (task(f"trees = {['files'] * 21}\n"), "one/task.toml: trees: Tuple should have at most 20 items"),
        (lambda folder: (folder / "one/task.toml").unlink(), "no folder in it holds a task.toml"),
        (file("task.toml", TASK.format("", "")), "keep one or the other"),
        (
            lambda folder: (folder / "one").rename(folder / "a\nb"),
            "a task's folder has a name of at most 100 printable",
        ),
        (lambda folder: (folder / "link").symlink_to("one"), "link/task.toml: it is a link or below one"),
        (task('trees = ["../.."]\n'), "one/task.toml: trees[0]: '../..' leads out of the folder"),
        (task('trees = ["/etc"]\n'), "one/task.toml: trees[0]: '/etc' leads out of the folder"),
        (task('trees = ["files", "."]\n'), "one/task.toml: trees[1]: '.' would show task.toml"),
        (task('trees = ["files/.."]\n'), "one/task.toml: trees[0]: 'files/..' would show task.toml"),
        (task('trees = ["other"]\n'), "one/task.toml: trees[0]: there is no file below 'other'"),
        (task("", 'references = ["/none"]\n'), "one/task.toml: expected.references[0]: /none is not a file"),
        (task("", CHANGE + 'file = "../../x"\n'), "one/task.toml: expected.change[0].file: '../../x' leads out"),
        (
            task("", CHANGE + 'file = "gone.txt"\n'),
            "one/task.toml: expected.change[0].file: there is no file 'gone",
        ),
        (
            task("", '[[expected.change]]\npath = "/none"\ndeleted = true\n'),
            "one/task.toml: expected.change[0].path: /none is not a file that could be deleted",
        ),
        (task('[[tool]]\npath = "/notes.txt"\n'), "one/task.toml: tool[0].path: /notes.txt is a file already"),
        (task("oops = 1\n"), "one/task.toml: oops: there is no such key"),
    ],
)
def test_a_fault_is_told_with_its_place(folder: Path, change: Callable[[Path], None], told: str) -> None:
    read_folder(folder)
    change(folder)
    with pytest.raises(BenchmarkError) as raised:
        read_folder(folder)
    assert told in str(raised.value)
    assert len(str(raised.value)) < 1_000


@pytest.mark.parametrize(("bound", "most"), [("MOST_FILES", 2), ("MOST_BYTES", 20)])
def test_the_bounds_hold(folder: Path, bound: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_file, bound, most)
    with pytest.raises(BenchmarkError, match=r"it holds more than|it is larger than"):
        read_folder(folder)
