"""Files are changed all or none, as the user has seen in the diff, and old versions are kept.

A failure or a kill half way is finished or undone later. A file that was edited meanwhile is not
overwritten. No change goes through a link or a pipe, or makes a file run under other rights. The
diff shows blanks, line ends and unseen characters with bounded work. Files keep their encodings,
and processes may make changes at the same time.
"""

import os
import signal
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from controlplane import decode_text
from controlplane.agent.opening.ranking import words_of
from controlplane.benchmarks.files.files_benchmark import find_sources
from controlplane.benchmarks.files.files_environment import files_with_words
from controlplane.errors import UsageError
from controlplane.file_changes import (
    ChangeRefused,
    FileChange,
    PreparedChanges,
    finish_changes,
    make_changes,
)
from controlplane.journal.state_files import state_path
from controlplane.view.answer.file_diff import file_diff
from tests.support.command import run_python, wait_until

# A folder of text files that a test changes as the product does, all files or none.
#
# For example:
#
#     folder = TextFolder(tmp_path)
#     folder.write(one="1\n", two="2\n")
#     folder.change(one="new\n", two=None)
#
#     folder.texts() -> {"one": "new\n"}                  two.txt is deleted
#     folder.old_texts() -> {"one": "1\n", "two": "2\n"}  the files as they were before


def texts_in(folder: Path) -> dict[str, str]:
    """Return the texts of a folder's files by their names without `.txt`."""
    return {path.stem: path.read_text() for path in folder.glob("*.txt")}


@dataclass(frozen=True)
class TextFolder:
    """A folder with files such as `one.txt`, which is called `one` here."""

    root: Path

    @property
    def old_versions(self) -> Path:
        """The folder that keeps the files as they were before the last change."""
        return self.root / "kept"

    def path(self, name: str) -> Path:
        return self.root / f"{name}.txt"

    def write(self, **texts: str) -> None:
        """Write files as the user does."""
        for name, text in texts.items():
            self.path(name).write_text(text)

    def prepared(self, **new_texts: str | None) -> dict[str, FileChange]:
        """Return changes of the files as they are now, to be made later; None deletes a file."""
        changes: dict[str, FileChange] = {}
        for name, new_text in new_texts.items():
            path = f"/{name}.txt"
            changes[path] = FileChange.of(self.root, path, new_text)
        return changes

    def make(self, changes: dict[str, FileChange]) -> None:
        """Make all changes or, if one cannot be made, none. Raises `ChangeRefused` then."""
        make_changes(changes, self.old_versions)

    def change(self, **new_texts: str | None) -> None:
        """Prepare and make changes."""
        self.make(self.prepared(**new_texts))

    def texts(self) -> dict[str, str]:
        """Return the texts of all files."""
        return texts_in(self.root)

    def old_texts(self) -> dict[str, str]:
        """Return the texts of all files that the last change has changed, as they were before."""
        return texts_in(self.old_versions)


def impossible_change(root: Path, folder: str = "") -> dict[str, FileChange]:
    """Return a change of a file in a folder, such as `new/`, whose name is too long."""
    path = f"{folder}{'b' * 300}"
    change = FileChange(
        place=root / path, root=root, old_bytes=None, mode=0, new_text="x"
    )
    return {f"/{path}": change}


@pytest.fixture
def folder(tmp_path: Path) -> TextFolder:
    """An empty folder."""
    return TextFolder(tmp_path)


# The diff of a file's change, as the user reads it.
#
# For example:
#
#     diff_text(folder, b"a\n", "b\n")    ->    "--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-a\n+b\n"


def diff_text(folder: Path, old_bytes: bytes, new_text: str | None) -> str:
    """Return the diff of a file with these bytes and its new text, None if it is deleted."""
    file = folder / "a.txt"
    file.write_bytes(old_bytes)
    file.chmod(0o644)
    diff = file_diff("a.txt", FileChange.of(folder, "/a.txt", new_text))
    return diff.text + "\n"


# Changes files in another process, a fork of this one, which may be killed half way.
#
# `folder.change(one="new 1", two="new 2")` first writes the new versions to a work folder, and then
# moves them into their places, one in each step:
#
#     step 0    os.replace("kept.new/new/0", "one.txt")
#     step 1    os.replace("kept.new/new/1", "two.txt")
#
# A test gives a function in place of `os.replace`, which can kill the process at a step:
#
#     change_in_fork(folder, {"one": "new"}, replace)    ->    -9 if `replace` has killed the fork

OsReplace = Callable[..., None]
"""A function with the arguments of `os.replace(source, target)`."""


def change_in_fork(
    folder: TextFolder, new_texts: dict[str, str], replace: OsReplace
) -> int:
    """Change files in a fork of this process, in which steps call `replace` for `os.replace`.

    Returns the exit code of the fork: -9 if it was killed.
    """
    fork = os.fork()
    if fork == 0:
        os.replace = replace
        folder.change(**new_texts)
        os._exit(0)
    _, status = os.waitpid(fork, 0)
    return os.waitstatus_to_exitcode(status)


def is_step(source: str | Path, number: int, folder: TextFolder) -> bool:
    """Return whether `os.replace(source, ...)` is the step of this number, counted from 0."""
    return Path(source) == folder.root / f"kept.new/new/{number}"


# Processes that each make a change as soon as all of them are told to start.
#
# For example:
#
#     processes = WaitingProcesses()
#     processes.add(change, old_versions=folder / "kept")
#     processes.run()    ->    [MADE]

MADE = 0
REFUSED = 1
FAILED = 2
"""The exit codes of the processes that make changes."""


class WaitingProcesses:
    """Processes that each make a change as soon as all of them are told to start."""

    def __init__(self) -> None:
        self.ids: list[int] = []
        # The processes wait to read from a pipe. It ends when this process closes the other end.
        self.start_reader, self.start_writer = os.pipe()

    def add(self, change: FileChange, old_versions: Path) -> None:
        """Start a process that waits, makes the change, and ends with one of the exit codes."""
        process_id = os.fork()
        if process_id:
            self.ids.append(process_id)
            return
        os.close(self.start_writer)
        os.read(self.start_reader, 1)
        try:
            make_changes({f"/{change.place.name}": change}, old_versions)
        except ChangeRefused:
            os._exit(REFUSED)
        except BaseException:  # noqa: BLE001 - the border of a process
            os._exit(FAILED)
        os._exit(MADE)

    def run(self) -> list[int]:
        """Let all make their changes, and return their exit codes."""
        os.close(self.start_reader)
        os.close(self.start_writer)
        exit_codes: list[int] = []
        for process_id in self.ids:
            _, status = os.waitpid(process_id, 0)
            exit_codes.append(os.waitstatus_to_exitcode(status))
        return exit_codes


# Files are changed all or not at all: if one cannot be written, those before it are restored.
#
#     one.txt    "old"    ->  "new"
#     bbbb...    no file  ->  "x"      ChangeRefused: the name, 300 times "b", is too long
#
# Afterwards one.txt contains "old" again. `impossible_change` is the change of bbbb....


def test_a_failure_half_way_undoes_the_changes_before_it(folder: TextFolder) -> None:
    """The folder of old versions has a file as it was before its last change, here "oldest". The
    failure leaves that old version as it is."""
    folder.write(one="oldest\n")
    folder.change(one="old\n")
    changes = {**folder.prepared(one="new\n"), **impossible_change(folder.root)}

    with pytest.raises(
        ChangeRefused, match=r"bbb: it cannot be written: File name too long"
    ):
        folder.make(changes)

    assert folder.texts() == {"one": "old\n"}
    assert folder.old_texts() == {"one": "oldest\n"}


def test_a_failure_leaves_no_new_folder(folder: TextFolder) -> None:
    """The first file is in a folder that has to be made, and the second cannot be written."""
    changes = {
        **folder.prepared(**{"new/deep/ok": "x"}),
        **impossible_change(folder.root, "other/"),
    }

    with pytest.raises(ChangeRefused, match="File name too long"):
        folder.make(changes)

    assert not list(folder.root.iterdir())


def test_files_are_restored_if_the_list_for_undoing_cannot_be_written(
    folder: TextFolder,
) -> None:
    """A change that could not be undone later is not made.

    The list for undoing is a file that says which files were changed. Here a folder that is not
    empty stands in the place of this file.
    """
    folder.write(one="old\n")
    prepared = PreparedChanges(folder.old_versions)
    path_of_undo_list = state_path(prepared.list_name("changed"))
    (path_of_undo_list / "a").mkdir(parents=True)

    with pytest.raises(ChangeRefused, match=r"it cannot be written"):
        folder.change(one="new\n")

    assert folder.texts() == {"one": "old\n"}


# Text files are changed and deleted, all or none, and kept as they were, for `undo`.
#
# For example:
#
#     folder.change(one="new\n", two=None)    changes one.txt and deletes two.txt
#     folder.old_texts()    ->    {"one": "1\n", "two": "2\n"}


def mode_of(path: Path) -> int:
    """Return the permissions of a file, such as 0o640."""
    return path.stat().st_mode & 0o7777


def test_files_are_changed_and_deleted_and_the_old_versions_are_kept(
    folder: TextFolder,
) -> None:
    folder.write(one="1\n", two="2\n")

    folder.change(one="new\n", two=None)

    assert folder.texts() == {"one": "new\n"}
    assert folder.old_texts() == {"one": "1\n", "two": "2\n"}


def test_old_versions_are_those_of_the_last_changes_only(folder: TextFolder) -> None:
    """Only the last changes can be undone."""
    folder.write(one="1\n", two="2\n")

    folder.change(one="new\n", two=None)
    folder.change(one="newer\n")

    assert folder.old_texts() == {"one": "new\n"}
    assert [path.name for path in folder.old_versions.iterdir()] == ["one.txt"]


def test_a_changed_file_and_its_old_version_have_the_mode_of_the_file(
    folder: TextFolder,
) -> None:
    """Old versions are in a folder that only the user can open."""
    folder.write(one="1\n")
    folder.path("one").chmod(0o640)

    folder.change(one="new\n")

    assert mode_of(folder.path("one")) == 0o640
    assert mode_of(folder.old_versions / "one.txt") == 0o640
    assert mode_of(folder.old_versions) == 0o700


def test_an_old_version_survives_an_edit_in_place(folder: TextFolder) -> None:
    """An editor may hold the old file open and write to it after the change. The old version is
    a copy, so the editor's text does not reach it."""
    folder.write(one="old")

    with folder.path("one").open("r+") as file_of_editor:
        folder.change(one="new")
        file_of_editor.write("odd")

    assert folder.old_texts() == {"one": "old"}


# A change that cannot be made as the user has seen it is refused, and no other is made.
#
# `folder.prepared(one="new\n")` is the change that the user sees as a diff, and `folder.make(changes)`
# makes it later, when the user has consented. If the file was edited meanwhile: "one.txt: it was changed
# meanwhile".


def test_a_text_that_its_encoding_lacks_is_refused_before_anything_is_written(
    folder: TextFolder,
) -> None:
    """A changed file keeps its encoding. cp1252 has no arrow, so the message names its line."""
    folder.path("two").write_bytes("Größe: 3 €\n".encode("cp1252"))
    changes = folder.prepared(one="new", two="Größe: 3 €\n→\n")

    with pytest.raises(
        ChangeRefused,
        match=r"two.txt: it is written in cp1252, which has no '→' \(line 2\)",
    ):
        folder.make(changes)

    assert not folder.path("one").exists()


def test_a_file_that_the_user_edited_since_the_diff_is_not_overwritten(
    folder: TextFolder,
) -> None:
    """The edit is noticed even if an editor gives the file an older time of change."""
    folder.write(one="oldest\n")
    folder.change(one="old\n")
    changes = folder.prepared(one="new\n")

    last_access = folder.path("one").stat().st_atime
    folder.write(one="edited\n")
    os.utime(folder.path("one"), (last_access, 1.0))
    with pytest.raises(ChangeRefused, match=r"one.txt: it was changed meanwhile"):
        folder.make(changes)

    assert folder.texts() == {"one": "edited\n"}
    assert folder.old_texts() == {"one": "oldest\n"}


# Changes of files do not write elsewhere through a link or a pipe.
#
# ln -s ../away docs        somebody makes `docs` a link after the user has asked
# change of docs/a.txt      is refused, so that nothing is written to `away`


def change_both_files(root: Path) -> None:
    """Change `docs/a.txt` and `one.txt`; the old versions are to go to `.old`."""
    changes = {
        "/docs/a.txt": FileChange.of(root, "/docs/a.txt", "ours\n"),
        "/one.txt": FileChange.of(root, "/one.txt", "ours\n"),
    }
    make_changes(changes, old_versions=root / ".old")


@pytest.mark.parametrize(
    "trap",
    [
        pytest.param("ln -s ../../away/a.txt docs/a.txt", id="the file is a link"),
        pytest.param(
            "rmdir docs; ln -s ../away docs", id="the file's folder is a link"
        ),
        pytest.param(
            "rmdir docs; mkdir .git; ln -s .git docs",
            id="the file's folder is a link to a hidden folder",
        ),
        pytest.param("mkfifo docs/a.txt", id="the file is a pipe"),
        pytest.param("mkdir docs/a.txt", id="the file is a folder"),
        pytest.param("ln -s ../away .old", id="the folder of old versions is a link"),
    ],
)
def test_a_change_does_not_follow_a_link_out_of_the_folder(
    trap: str, tmp_path: Path
) -> None:
    """A shell command sets a trap in `root`. Changes of two of its files are refused, and no
    file is written: neither in `away`, where links of the trap lead, nor in `root`."""
    root = tmp_path / "root"
    (root / "docs").mkdir(parents=True)
    (root / "one.txt").write_text("1\n")
    away = tmp_path / "away"
    away.mkdir()
    (away / "a.txt").write_text("theirs")
    subprocess.run(trap, shell=True, cwd=root, check=True)

    with pytest.raises((ChangeRefused, UsageError)):
        change_both_files(root)

    assert [path.name for path in away.iterdir()] == ["a.txt"]
    assert (away / "a.txt").read_text() == "theirs"
    assert (root / "one.txt").read_text() == "1\n"
    assert not list(root.rglob("*.part"))


# A changed file is not run by another program, under other rights, or under a foreseen name.
#
# For example:
#
#     change of .git/config    ->    ChangeRefused "... hidden ...", since git could run a program


def test_nobody_can_foresee_the_name_of_the_temporary_file(folder: TextFolder) -> None:
    """A link under the name of the temporary file would send the new text elsewhere."""
    folder.write(a="a")
    for name in (f".controlplane-{os.getpid()}-a.txt", ".part", "a.txt.part"):
        (folder.root / name).symlink_to("elsewhere")

    folder.change(a="b")

    assert folder.path("a").read_text() == "b"
    assert not (folder.root / "elsewhere").exists()


def test_a_hidden_file_cannot_be_changed(tmp_path: Path) -> None:
    """A change of `.git/config` could make git run a program."""
    with pytest.raises(ChangeRefused, match="hidden"):
        FileChange.of(tmp_path, "/.git/config", "x")


def test_a_changed_file_loses_its_set_user_id_bit(folder: TextFolder) -> None:
    """The bit lets whoever runs the file act as its owner; a new text must not get that
    right."""
    folder.write(a="a")
    folder.path("a").chmod(0o4755)

    folder.change(a="b")

    assert folder.texts() == {"a": "b"}
    mode = folder.path("a").stat().st_mode & 0o7777
    assert mode == 0o755


# The diff of a change, which a user reads before they consent, shows blanks and line ends that change.
#
# Two lines that look the same would say nothing:
#
#     -a‹TAB›b
#     +a    b
#
# CRLF is the line end of Windows. The product writes a file with CRLF again with CRLF.


@pytest.mark.parametrize(
    ("old_bytes", "new_text", "expected_part"),
    [
        pytest.param(
            b"one\ntwo\n",
            "one\u2028two\n",
            "+one‹U+2028 LINE SEPARATOR›two",
            id="unusual line end",
        ),
        pytest.param(
            b"one\ntwo\n",
            "one\r\ntwo\r\n",
            "+one‹CR›\n",
            id="line ends become CRLF",
        ),
        pytest.param(
            b"one\r\ntwo\r\nthree\r\n",
            "one\ntwo\n",
            "(CRLF)",
            id="file with CRLF keeps it",
        ),
        pytest.param(
            b"a\tb\n",
            "a    b\n",
            "-a‹TAB›b\n+a    b",
            id="tab becomes spaces",
        ),
        pytest.param(
            b"a\n",
            "a  \n",
            "+a‹SPACE›‹SPACE›",
            id="spaces at a line's end",
        ),
        pytest.param(
            b"a",
            "a\n",
            "-a\n\\ No newline at end of file\n+a",
            id="new line end at the end",
        ),
    ],
)
def test_a_diff_shows_blanks_and_line_ends_that_change(
    tmp_path: Path, old_bytes: bytes, new_text: str, expected_part: str
) -> None:
    assert expected_part in diff_text(tmp_path, old_bytes, new_text)


# The diff of a change, which a user reads before they consent, names characters that are not seen.
#
# A text may have characters that a terminal does not show, or that look like others:
#
#     -pay
#     +p‹U+200B ZERO WIDTH SPACE›ay


@pytest.mark.parametrize(
    ("old_bytes", "new_text", "expected_part"),
    [
        pytest.param(
            b"pay\n",
            "p\u200bay\n",
            "+p‹U+200B ZERO WIDTH SPACE›ay",
            id="invisible space in a word",
        ),
        pytest.param(
            b"pay\n",
            "pay\u3164\u2800\n",
            "‹U+3164 HANGUL FILLER›‹U+2800 BRAILLE PATTERN BLANK›",
            id="letters that look like spaces",
        ),
        pytest.param(
            b"a\n",
            "a\U000e0100\ufe0f\n",
            "+a‹U+E0100 VARIATION SELECTOR-17›‹U+FE0F VARIATION SELECTOR-16›",
            id="invisible variation selectors",
        ),
        pytest.param(
            b"a\n",
            "\ufeffa\n",
            "+‹U+FEFF ZERO WIDTH NO-BREAK SPACE›a",
            id="byte-order mark",
        ),
        pytest.param(
            b"a\n",
            "a\u202egpj\n",
            "+a‹U+202E RIGHT-TO-LEFT OVERRIDE›gpj",
            id="text shown from right to left",
        ),
        pytest.param(
            b"a\n",
            "a\x1b[2K\n",
            "+a‹U+001B CONTROL›[2K",
            id="command to the terminal",
        ),
        pytest.param(
            b"a b\n",
            "a\u00a0b\n",
            "+a‹U+00A0 NO-BREAK SPACE›b",
            id="space that looks like another",
        ),
    ],
)
def test_a_diff_names_characters_that_are_not_seen(
    tmp_path: Path, old_bytes: bytes, new_text: str, expected_part: str
) -> None:
    """They may change what a program or a model reads."""
    assert expected_part in diff_text(tmp_path, old_bytes, new_text)


# A change that a diff cannot show line by line is described in words.
#
# For example:
#
#     "a" becomes a text of 30,000 lines    ->    "too large to show, before 2 bytes, sha256 87428fc5..."
#
# In `diff_text(folder, b"a\n", "b\n")`, the file has the bytes `a\n`, and gets the text "b\n".


def test_a_deleted_file_is_marked_as_deleted(tmp_path: Path) -> None:
    assert "+++ /dev/null\n(deleted)" in diff_text(tmp_path, b"a\n", None)


def test_a_binary_file_is_not_shown(tmp_path: Path) -> None:
    assert "not a text" in diff_text(tmp_path, b"a\0b\n", "b\n")


def test_a_text_with_too_many_lines_is_not_shown(tmp_path: Path) -> None:
    """The old file is named by its size and its hash, so that the user can find it."""
    diff = diff_text(tmp_path, b"a\n", "x\n" * 30_000)

    # The SHA-256 of "a\n" begins with 87428fc5.
    assert "too large to show, before 2 bytes, sha256 87428fc5" in diff


def test_a_new_text_that_will_be_read_in_another_encoding_is_marked(
    tmp_path: Path,
) -> None:
    """The file is in Latin-1, and its new text is written in Latin-1, too. The new bytes happen to
    be valid UTF-8, so the next program would read another text. The diff warns of this."""
    old_bytes = "über Gebühr\n".encode("latin-1")
    new_text = "Ã¼\n"
    assert new_text.encode("latin-1").decode("utf-8") == "ü\n"

    diff = diff_text(tmp_path, old_bytes, new_text)

    assert "will be read as utf-8" in diff


# Changes of files that were cut off by a kill are finished, or undone, by the next process.
#
# A process makes three changes, one after the other, and is killed after the first. `finish_changes`
# then makes those that remain.


def change_until_kill_before_second_step(
    folder: TextFolder, new_texts: dict[str, str]
) -> int:
    """Change files in a fork of this process, which is killed before it changes the second one.

    The fork lets a child make the changes, and makes those that remain itself if the child dies.
    So each of the two is killed when it calls `os.replace` for the second file. Returns the exit
    code of the fork: -9, as it was killed.
    """
    real_replace = os.replace

    def replace_or_die(source: str, target: str, **folders: int) -> None:
        if is_step(source, 1, folder):  # counted from 0
            os.kill(os.getpid(), signal.SIGKILL)
        real_replace(source, target, **folders)

    return change_in_fork(folder, new_texts, replace_or_die)


def test_changes_that_were_cut_off_by_a_kill_are_finished_later(
    folder: TextFolder,
) -> None:
    folder.write(one="old 1", two="old 2", three="old 3")
    new_texts = {"one": "new 1", "two": "new 2", "three": "new 3"}
    exit_code = change_until_kill_before_second_step(folder, new_texts)
    assert exit_code == -signal.SIGKILL
    assert folder.texts() == {"one": "new 1", "two": "old 2", "three": "old 3"}
    assert not list(folder.root.glob(".*"))  # no half-written file

    assert finish_changes(folder.old_versions)

    assert folder.texts() == {"one": "new 1", "two": "new 2", "three": "new 3"}
    assert not finish_changes(folder.old_versions)  # There is nothing left to do.


def test_changes_that_were_cut_off_by_a_kill_are_undone_after_an_edit(
    folder: TextFolder,
) -> None:
    """After the kill, the user edits a file that was to change next. Not all changes can be
    made any more, so the one that was made is undone."""
    folder.write(one="old 1", two="old 2", three="old 3")
    new_texts = {"one": "new 1", "two": "new 2", "three": "new 3"}
    exit_code = change_until_kill_before_second_step(folder, new_texts)
    assert exit_code == -signal.SIGKILL
    assert folder.texts() == {"one": "new 1", "two": "old 2", "three": "old 3"}

    folder.write(two="edited")
    with pytest.raises(ChangeRefused, match=r"two.txt: it was changed meanwhile"):
        finish_changes(folder.old_versions)

    assert folder.texts() == {"one": "old 1", "two": "edited", "three": "old 3"}
    assert not finish_changes(folder.old_versions)


# The process that changes files makes all changes, also if the process that waits is killed.
#
#     process of the test     starts the parent, by `change_in_fork`
#     parent                  starts the child, and waits
#     child                   makes one change after the other, by `os.replace`
#
# Here the child kills its parent after the first of two changes.


def is_running(process_id: int) -> bool:
    """Return whether a process runs; the command line of one that has ended is empty."""
    command_line = Path(f"/proc/{process_id}/cmdline")
    return command_line.exists() and command_line.read_bytes() != b""


def test_the_child_makes_all_changes_if_its_parent_is_killed(
    folder: TextFolder,
) -> None:
    child_id_file = folder.root / "child_id"
    real_replace = os.replace

    def replace_and_kill_parent(source: str, target: str, **directories: int) -> None:
        """Replace a file as `os.replace` does, for which the child calls this function."""
        real_replace(source, target, **directories)
        is_first_change = is_step(source, number=0, folder=folder)
        if is_first_change:
            child_id_file.write_text(str(os.getpid()))
            os.kill(os.getppid(), signal.SIGKILL)

    new_texts = {"one": "new\n", "two": "new\n"}
    exit_code_of_parent = change_in_fork(folder, new_texts, replace_and_kill_parent)

    assert exit_code_of_parent == -signal.SIGKILL
    child_id = int(child_id_file.read_text())
    wait_until(lambda: not is_running(child_id))
    assert folder.texts() == new_texts


# Several processes change files of one folder at the same time.
#
# Each has shown its user a diff of the files as they are. If two change the same file, the second one
# would overwrite a text that its diff did not show, so it is refused.


def test_of_eight_changes_to_one_file_at_the_same_time_one_is_made(
    folder: TextFolder, heavy: bool
) -> None:
    """The race is run once, in the heavy form three times."""
    for race in range(3 if heavy else 1):
        folder.write(sum="0\n")
        kept = folder.root / f"kept{race}"
        processes = WaitingProcesses()
        for number in range(1, 9):
            change = FileChange.of(folder.root, "/sum.txt", f"{number}\n")
            processes.add(change, old_versions=kept / f"run{number}")

        exit_codes = processes.run()

        assert sorted(exit_codes) == [MADE] + [REFUSED] * 7
        assert folder.texts() != {"sum": "0\n"}
        old_versions = list(kept.glob("run*/sum.txt"))
        assert [old_version.read_text() for old_version in old_versions] == ["0\n"]


def test_changes_to_several_files_at_the_same_time_are_all_made(
    folder: TextFolder,
) -> None:
    """Eight processes change one file each, and keep its old version in the same folder."""
    processes = WaitingProcesses()
    for number in range(8):
        change = FileChange.of(folder.root, f"/{number}.txt", "new\n")
        processes.add(change, old_versions=folder.root / "runs/kept")

    exit_codes = processes.run()

    assert exit_codes == [MADE] * 8
    assert folder.texts() == {str(number): "new\n" for number in range(8)}


# The encoding in which a user's text file is written, and which nothing but its bytes tells.
#
#     decode_text(b"caf\xe9").text -> "café"
#
# A file is read, and searched for words, as the text that its author saw.

TEXT_BY_ENCODING = {
    "cp1252": "Name;Größe\nMüller;3 €\n",
    "cp1250": "Zażółć gęślą jaźń, proszę pana.\n",
    "koi8_r": "Привет, как дела? Всё хорошо.\n",
    "shift_jis": "これは日本語の文章です。\n",
    "gb18030": "这是中文文本。你好吗\n",
    "utf-8": "Größe → 3\n",
    "utf-16-le": "Größe → 3, und noch ein paar Worte\n",
}
"""A text in a language for which its encoding is usual."""


@pytest.mark.parametrize("encoding", TEXT_BY_ENCODING)
def test_a_file_is_read_in_the_encoding_it_was_written_in(
    encoding: str, tmp_path: Path
) -> None:
    text = TEXT_BY_ENCODING[encoding]
    (tmp_path / "a.txt").write_bytes(text.encode(encoding))

    sources = find_sources(tmp_path)

    assert sources["/a.txt"] == text


@pytest.mark.parametrize("encoding", TEXT_BY_ENCODING)
def test_a_file_in_any_encoding_is_found_by_its_words(
    encoding: str, tmp_path: Path
) -> None:
    """The search finds files that have the words of a question."""
    text = TEXT_BY_ENCODING[encoding]
    (tmp_path / "a.txt").write_bytes(text.encode(encoding))
    words_at_its_beginning = words_of(text[:5])

    sources = find_sources(tmp_path)

    assert files_with_words(sources, words_at_its_beginning) == ["/a.txt"]


def test_a_lone_byte_that_is_not_utf_8_is_read_as_western_european() -> None:
    """In a Cyrillic encoding, the same bytes would be two letters that make no word."""
    assert decode_text(b"caf\xe9 \x80").text == "café €"


def test_many_bytes_that_form_cyrillic_words_are_read_as_cyrillic() -> None:
    """In a Western encoding, the same bytes would be words like "Ïðèâåò"."""
    text = "Привет, мир. Как дела"

    assert decode_text(text.encode("cp1251")).text == text


# A model may propose any text, and the user waits for the diff: it takes little work and memory.

NUMBERED_LINES = "\n".join(f"{n} {n % 7}" for n in range(400_000))


@pytest.mark.parametrize(
    ("old_text", "new_text"),
    [
        pytest.param(NUMBERED_LINES, NUMBERED_LINES[::-1], id="400,000 lines each"),
        pytest.param("a\nb\n" * 200, "b\na\n" * 200, id="equal lines"),
        pytest.param("\0" * 10_000_000, "now a text\n", id="10 MB of nothing"),
        pytest.param("x" * 8_000_000, "y" + "x" * 7_999_999, id="one line of 8 MB"),
    ],
)
def test_a_diff_of_large_texts_takes_little_work_and_memory(
    tmp_path: Path, old_text: str, new_text: str
) -> None:
    """Work is counted in lines of Python that are executed, which is the same on any machine."""
    (tmp_path / "a.txt").write_text(old_text)
    (tmp_path / "new.txt").write_text(new_text)

    measured = run_python("-m", "tests.controlplane.file_changes.diff_cost", tmp_path)

    assert measured.code == 0, measured.err
    assert measured.json["executed_lines"] < 1_000_000
    assert measured.json["growth_mb"] < 200


# A process that has made all its changes is killed before it removes the list of its steps.
#
# The list is removed last. The next process finds it, and must not take the new file for the old
# version.


def test_old_versions_stay_if_only_the_list_of_steps_was_left(
    folder: TextFolder,
) -> None:
    folder.write(one="old\n")
    prepared = PreparedChanges(folder.old_versions)
    prepared.prepare(folder.prepared(one="new\n"), new_bytes={"/one.txt": b"new\n"})
    steps = prepared.steps("changes")
    prepared.make()
    prepared.write_steps(
        "changes", steps
    )  # as if it had been killed before it removed the list

    assert finish_changes(folder.old_versions)

    assert folder.texts() == {"one": "new\n"}
    assert folder.old_texts() == {"one": "old\n"}
    assert not prepared.exist
