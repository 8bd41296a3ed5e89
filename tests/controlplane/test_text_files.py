"""Changes of a user's text files: read in any encoding, made whole or not at all, shown as a diff.

An agent proposes new texts for files. The user sees a diff, consents, and `make_changes` writes
all files or none. The files as they were stay in a folder of old versions, for `undo`.
The tests show that no file is harmed: by odd encodings, links, failures, or a kill half way.
"""

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from controlplane import decode_text
from controlplane.benchmarks.files.sources.folder_scan import find_sources
from controlplane.benchmarks.files.sources.source_search import files_with_words
from controlplane.errors import UsageError
from controlplane.file_changes.file_change import ChangeRefused, FileChange
from controlplane.file_changes.making_changes import finish_changes, make_changes
from controlplane.file_changes.prepared_changes import PreparedChanges
from controlplane.file_changes.step_list import StepList
from controlplane.sandbox.files.text_words import words_of
from controlplane.view.answer.citation_indents import without_citation_indents
from controlplane.view.answer.file_diff import file_diff
from tests.support.command import ROOT, wait_until
from tests.support.executed_work import executed_lines

# --- Encodings ---

TEXT_BY_ENCODING = {
    "cp1252": "Name;Größe\nMüller;3 €\n",
    "cp1250": "Zażółć gęślą jaźń, proszę pana.\n",
    "koi8_r": "Привет, как дела? Всё хорошо.\n",
    "shift_jis": "これは日本語の文章です。\n",
    "gb18030": "这是中文文本。你好吗\n",
    "utf-8": "Größe → 3\n",
    "utf-16-le": "Größe → 3, und noch ein paar Worte\n",
}
"""A text in several languages, by an encoding that is usual for it."""


@pytest.mark.parametrize("encoding", TEXT_BY_ENCODING)
def test_a_file_is_read_in_the_encoding_it_was_written_in(
    encoding: str, tmp_path: Path
) -> None:
    """Nothing but the bytes of the file tells its encoding."""
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
    first_words = words_of(text[:5])

    sources = find_sources(tmp_path)

    assert files_with_words(sources, first_words) == ["/a.txt"]


def test_a_lone_byte_that_is_not_utf_8_is_read_as_western_european() -> None:
    """In a Cyrillic encoding, the same bytes would be two letters that make no word."""
    assert decode_text(b"caf\xe9 \x80").text == "café €"


def test_many_bytes_that_form_cyrillic_words_are_read_as_cyrillic() -> None:
    """In a Western encoding, the same bytes would be words like "Ïðèâåò"."""
    text = "Привет, мир. Как дела"

    assert decode_text(text.encode("cp1251")).text == text


# --- Changes of several files, made all or none ---


def changes_of(folder: Path, **new_texts: str | None) -> dict[str, FileChange]:
    """Return changes of text files in a folder, by their paths; None deletes the file.

    `changes_of(folder, one="new")` changes `one.txt`: `{"/one.txt": FileChange(...)}`.
    """
    changes: dict[str, FileChange] = {}
    for name, new_text in new_texts.items():
        path = f"/{name}.txt"
        changes[path] = FileChange.of(folder, path, new_text)
    return changes


def mode_of(path: Path) -> int:
    """Return the permissions of a file, such as 0o640, with the set-user-id bit (0o4000)."""
    return path.stat().st_mode & 0o7777


def test_files_are_changed_and_deleted_and_the_old_versions_are_kept(
    tmp_path: Path,
) -> None:
    """`one.txt` gets a new text, and `two.txt` is deleted (None). Both are kept as they were."""
    changed_file = tmp_path / "one.txt"
    changed_file.write_text("1\n")
    deleted_file = tmp_path / "two.txt"
    deleted_file.write_text("2\n")
    old_versions = tmp_path / "kept"

    make_changes(changes_of(tmp_path, one="new\n", two=None), old_versions)

    assert changed_file.read_text() == "new\n"
    assert not deleted_file.exists()
    assert (old_versions / "one.txt").read_text() == "1\n"
    assert (old_versions / "two.txt").read_text() == "2\n"


def test_a_changed_file_and_its_old_version_have_the_mode_of_the_file(
    tmp_path: Path,
) -> None:
    """Old versions are in a folder that only the user can open."""
    changed_file = tmp_path / "one.txt"
    changed_file.write_text("1\n")
    changed_file.chmod(0o640)
    old_versions = tmp_path / "kept"

    make_changes(changes_of(tmp_path, one="new\n"), old_versions)

    assert mode_of(changed_file) == 0o640
    assert mode_of(old_versions / "one.txt") == 0o640
    assert mode_of(old_versions) == 0o700


def test_old_versions_are_those_of_the_last_changes_only(tmp_path: Path) -> None:
    """Only the last changes can be undone. The first ones changed two files, the last ones
    `one.txt`."""
    (tmp_path / "one.txt").write_text("1\n")
    (tmp_path / "two.txt").write_text("2\n")
    old_versions = tmp_path / "kept"

    make_changes(changes_of(tmp_path, one="new\n", two=None), old_versions)
    make_changes(changes_of(tmp_path, one="newer\n"), old_versions)

    assert [path.name for path in old_versions.iterdir()] == ["one.txt"]


def test_a_text_that_its_encoding_lacks_is_refused_before_anything_is_written(
    tmp_path: Path,
) -> None:
    """A changed file keeps its encoding. cp1252 has no arrow, so the message names its line."""
    new_file = tmp_path / "one.txt"
    (tmp_path / "two.txt").write_bytes("Größe: 3 €\n".encode("cp1252"))
    changes = changes_of(tmp_path, one="new", two="Größe: 3 €\n→\n")

    with pytest.raises(
        ChangeRefused,
        match=r"two.txt: it is written in cp1252, which has no '→' \(line 2\)",
    ):
        make_changes(changes, tmp_path / "kept")

    assert not new_file.exists()


def test_a_failure_half_way_undoes_the_changes_before_it(tmp_path: Path) -> None:
    """The second file cannot be written, since its name is too long. The first is put back,
    and the folder of old versions still has what the changes before kept."""
    changed_file = tmp_path / "one.txt"
    changed_file.write_text("oldest\n")
    old_versions = tmp_path / "kept"
    make_changes(changes_of(tmp_path, one="old\n"), old_versions)
    changes = changes_of(tmp_path, one="new\n")
    impossible_file = tmp_path / ("b" * 300)
    changes[f"/{impossible_file.name}"] = FileChange(
        place=impossible_file, root=tmp_path, old_bytes=None, mode=0, new_text="x"
    )

    with pytest.raises(
        (ChangeRefused, UsageError),
        match=r"b: it cannot be written: File name too long",
    ):
        make_changes(changes, old_versions)

    assert changed_file.read_text() == "old\n"
    assert (old_versions / "one.txt").read_text() == "oldest\n"


def test_a_file_that_the_user_edited_since_the_diff_is_not_overwritten(
    tmp_path: Path,
) -> None:
    """The edit is noticed even if an editor gives the file an older time of change."""
    edited_file = tmp_path / "one.txt"
    edited_file.write_text("oldest\n")
    old_versions = tmp_path / "kept"
    make_changes(changes_of(tmp_path, one="old\n"), old_versions)
    changes = changes_of(tmp_path, one="new\n")

    last_access = edited_file.stat().st_atime
    edited_file.write_text("edited\n")
    os.utime(edited_file, (last_access, 1.0))
    with pytest.raises(ChangeRefused, match=r"one.txt: it was changed meanwhile"):
        make_changes(changes, old_versions)

    assert edited_file.read_text() == "edited\n"
    assert (old_versions / "one.txt").read_text() == "oldest\n"


def test_files_are_restored_if_the_list_for_undoing_cannot_be_written(
    tmp_path: Path,
) -> None:
    """A change that could not be undone later is not made. A folder that is not empty lies
    at the path of the list of changes that were made, so that it cannot be written."""
    changed_file = tmp_path / "one.txt"
    changed_file.write_text("old\n")
    old_versions = tmp_path / "kept"
    undo_list = StepList("changed", old_versions)
    (undo_list.path / "a").mkdir(parents=True)

    with pytest.raises(ChangeRefused, match=r"it cannot be written"):
        make_changes(changes_of(tmp_path, one="new\n"), old_versions)

    assert changed_file.read_text() == "old\n"


def test_a_failure_leaves_no_new_folder(tmp_path: Path) -> None:
    """The first file is in a folder that has to be made, and the second cannot be written."""
    paths = ("/new/deep/ok.md", f"/other/{'b' * 300}.md")  # The second is too long.
    changes: dict[str, FileChange] = {}
    for path in paths:
        changes[path] = FileChange(
            place=tmp_path / path[1:],
            root=tmp_path,
            old_bytes=None,
            mode=0,
            new_text="x",
        )

    with pytest.raises(ChangeRefused, match="File name too long"):
        make_changes(changes, tmp_path / "kept")

    assert not list(tmp_path.iterdir())


# --- Several processes that change files at the same time ---

MADE, REFUSED, FAILED = 0, 1, 2
"""The exit codes of the processes of `make_changes_at_once`."""


def make_changes_at_once(
    changes: list[FileChange], old_version_folders: list[Path]
) -> int:
    """Make each change in a process of its own, all at the same time; return how many were made.

    Every process waits at a pipe, until this one closes the pipe's other end.
    """
    start_reader, start_writer = os.pipe()
    processes: list[int] = []
    for change, old_versions in zip(changes, old_version_folders, strict=True):
        process = os.fork()
        if process == 0:
            os.close(start_writer)
            os.read(start_reader, 1)  # ends when the parent closes the pipe
            try:
                make_changes({f"/{change.place.name}": change}, old_versions)
            except ChangeRefused:
                os._exit(REFUSED)
            except BaseException:  # noqa: BLE001 - the border of a process
                os._exit(FAILED)
            os._exit(MADE)
        processes.append(process)
    os.close(start_reader)
    os.close(start_writer)

    exit_codes: list[int] = []
    for process in processes:
        _, status = os.waitpid(process, 0)
        exit_codes.append(os.waitstatus_to_exitcode(status))
    assert FAILED not in exit_codes
    return exit_codes.count(MADE)


@pytest.mark.parametrize("attempt", range(3))
def test_of_eight_changes_to_one_file_at_the_same_time_one_is_made(
    attempt: int, tmp_path: Path
) -> None:
    """The others would overwrite a text that their diffs did not show. The race is run
    three times."""
    (tmp_path / "sum.txt").write_text("0\n")
    changes: list[FileChange] = []
    old_version_folders: list[Path] = []
    for number in range(1, 9):
        changes.append(FileChange.of(tmp_path, "/sum.txt", f"{number}\n"))
        old_version_folders.append(tmp_path / f"runs{number}/kept")

    assert make_changes_at_once(changes, old_version_folders) == 1

    assert (tmp_path / "sum.txt").read_text() != "0\n"
    old_versions = list(tmp_path.glob("runs*/kept/sum.txt"))
    assert [old_version.read_text() for old_version in old_versions] == ["0\n"]


def test_changes_to_several_files_at_the_same_time_are_all_made(tmp_path: Path) -> None:
    """Eight processes change one file each, and keep its old version in the same folder."""
    file_names = [f"{number}.txt" for number in range(8)]
    changes = [FileChange.of(tmp_path, f"/{name}", "new\n") for name in file_names]
    old_version_folders = [tmp_path / "runs/kept"] * len(changes)

    assert make_changes_at_once(changes, old_version_folders) == len(changes)

    for name in file_names:
        assert (tmp_path / name).read_text() == "new\n"


# --- Kills half way ---
#
# `make_changes` has two parts:
#
# 1. `PreparedChanges.prepare` writes the new versions to `kept.new/new/0`, `kept.new/new/1` and so
#    on, and then a list of steps, a `StepList`. No file is changed yet.
# 2. `PreparedChanges.make` makes the steps, in a child process that is forked for it. A step is one
#    `os.replace` of a new version into its place. Then the old versions are moved to `kept`, and the
#    list is removed. If the child is killed, its parent goes on.
#
# A later process that finds the list makes the steps that remain, by `finish_changes`. The tests
# kill a process in a step: in a fork, they replace `os.replace` by a function that does so.

OLD_TEXTS = {"one": "old one\n", "two": "old two\n", "three": "old three\n"}
NEW_TEXTS = {"one": "new one\n", "two": "new two\n", "three": "new three\n"}
"""The texts of three files before and after a change."""


def write_texts(folder: Path, texts: dict[str, str]) -> None:
    """Write text files by their names without the ending."""
    for name, text in texts.items():
        (folder / f"{name}.txt").write_text(text)


def read_texts(folder: Path) -> dict[str, str]:
    """Return the texts of `one.txt`, `two.txt` and `three.txt`, by their names."""
    return {name: (folder / f"{name}.txt").read_text() for name in OLD_TEXTS}


def exit_code_of_fork(task: Callable[[], object]) -> int:
    """Run `task` in a fork of this process; return 0, or -9 if the fork was killed."""
    child = os.fork()
    if child == 0:
        task()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def kill_before_second_step(folder: Path) -> None:
    """Change three files in a process that is killed after it changed the first.

    `make_changes` forks a child that makes the changes. Both kill themselves before the
    second step: the child, and then its parent, which would make what remains.
    """
    old_versions = folder / "kept"
    changes = changes_of(folder, **NEW_TEXTS)
    second_new_version = str(folder / "kept.new/new/1")
    real_replace = os.replace

    def replace_or_die(source: str, target: str, **folders: int) -> None:
        if str(source).startswith(second_new_version):
            os.kill(os.getpid(), signal.SIGKILL)
        real_replace(source, target, **folders)

    def change_and_die() -> None:
        os.replace = replace_or_die  # in the fork only
        make_changes(changes, old_versions)

    assert exit_code_of_fork(change_and_die) == -signal.SIGKILL


def test_changes_that_were_cut_off_by_a_kill_are_finished_later(tmp_path: Path) -> None:
    """After the kill, the first file has its new text and the others have not. `finish_changes`
    makes the rest; a second call finds nothing to do."""
    write_texts(tmp_path, OLD_TEXTS)
    kill_before_second_step(tmp_path)
    assert (tmp_path / "one.txt").read_text() == "new one\n"
    assert not list(tmp_path.glob(".*"))  # no half-written file

    assert finish_changes(tmp_path / "kept")

    assert read_texts(tmp_path) == NEW_TEXTS
    assert not finish_changes(tmp_path / "kept")


def test_changes_that_were_cut_off_by_a_kill_are_undone_after_an_edit(
    tmp_path: Path,
) -> None:
    """After the kill, the user edits a file that was to change next. Not all changes can be
    made any more, so the one that was made is undone."""
    write_texts(tmp_path, OLD_TEXTS)
    kill_before_second_step(tmp_path)
    assert (tmp_path / "one.txt").read_text() == "new one\n"
    assert not list(tmp_path.glob(".*"))  # no half-written file

    (tmp_path / "two.txt").write_text("edited\n")
    with pytest.raises(ChangeRefused, match=r"two.txt: it was changed meanwhile"):
        finish_changes(tmp_path / "kept")

    assert read_texts(tmp_path) == {**OLD_TEXTS, "two": "edited\n"}
    assert not finish_changes(tmp_path / "kept")


def test_old_versions_stay_if_the_process_is_killed_after_it_moved_them(
    tmp_path: Path,
) -> None:
    """The last act is to remove the list of steps. A process that is killed just before leaves
    the list behind, and a later one must not take the new file for the old version."""
    changed_file = tmp_path / "one.txt"
    changed_file.write_text("old\n")
    old_versions = tmp_path / "kept"
    changes = changes_of(tmp_path, one="new\n")
    prepared = PreparedChanges(old_versions)
    prepared.prepare(changes, new_bytes={"/one.txt": b"new\n"})
    step_list = StepList("changes", old_versions)
    steps = step_list.read()
    prepared.make()
    step_list.write(steps)  # as if it had been killed before it removed the list

    assert finish_changes(old_versions)

    assert changed_file.read_text() == "new\n"
    assert (old_versions / "one.txt").read_text() == "old\n"
    assert not prepared.exist


def is_running(process_id: int) -> bool:
    """Return whether a process runs; the command line of one that has ended is empty."""
    command_line = Path(f"/proc/{process_id}/cmdline")
    return command_line.exists() and command_line.read_bytes() != b""


def test_the_child_finishes_all_changes_if_its_parent_is_killed(tmp_path: Path) -> None:
    """After its first step, the child that makes the changes kills the process that waits for
    it. The child has to make the second change, too, and then to end."""
    changes = changes_of(tmp_path, one="new\n", two="new\n")
    first_new_version = str(tmp_path / "kept.new/new/0")
    child_id_file = tmp_path / "child_id"
    real_replace = os.replace

    def replace_and_kill_parent(source: str, target: str, **folders: int) -> None:
        real_replace(source, target, **folders)
        if str(source).startswith(first_new_version):
            child_id_file.write_text(str(os.getpid()))
            os.kill(os.getppid(), signal.SIGKILL)

    def change_and_be_killed() -> None:
        os.replace = replace_and_kill_parent  # in the fork only
        make_changes(changes, tmp_path / "kept")

    assert exit_code_of_fork(change_and_be_killed) == -signal.SIGKILL

    child_id = int(child_id_file.read_text())
    wait_until(lambda: not is_running(child_id))
    assert (tmp_path / "one.txt").read_text() == "new\n"
    assert (tmp_path / "two.txt").read_text() == "new\n"


# --- Links, modes and open files ---


def test_an_old_version_survives_an_edit_in_place(tmp_path: Path) -> None:
    """An editor may hold the old file open and write to it after the change. The old version is
    a copy, so the editor's text does not reach it."""
    (tmp_path / "a.txt").write_text("old")
    change = FileChange.of(tmp_path, "/a.txt", "new")

    with (tmp_path / "a.txt").open("r+") as file_of_editor:
        make_changes({"/a.txt": change}, tmp_path / "kept")
        file_of_editor.write("odd")

    assert (tmp_path / "kept/a.txt").read_text() == "old"


def change_both_files(folder: Path) -> None:
    """Change `docs/a.txt` and `one.txt`; the old versions are to go to `.old`."""
    changes = {
        "/docs/a.txt": FileChange.of(folder, "/docs/a.txt", "ours\n"),
        "/one.txt": FileChange.of(folder, "/one.txt", "ours\n"),
    }
    make_changes(changes, old_versions=folder / ".old")


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
    """A shell command sets a trap in `folder`. Changes of two of its files are refused, and no
    file is written: neither in `away`, where links of the trap lead, nor in `folder`."""
    folder = tmp_path / "folder"
    (folder / "docs").mkdir(parents=True)
    (folder / "one.txt").write_text("1\n")
    away = tmp_path / "away"
    away.mkdir()
    (away / "a.txt").write_text("theirs")
    subprocess.run(trap, shell=True, cwd=folder, check=True)

    with pytest.raises((ChangeRefused, UsageError)):
        change_both_files(folder)

    assert [path.name for path in away.iterdir()] == ["a.txt"]
    assert (away / "a.txt").read_text() == "theirs"
    assert (folder / "one.txt").read_text() == "1\n"
    assert not list(folder.rglob("*.part"))


def test_a_changed_file_loses_its_set_user_id_bit(tmp_path: Path) -> None:
    """The bit lets whoever runs the file act as its owner; a new text must not get that right."""
    file = tmp_path / "a.txt"
    file.write_text("a")
    file.chmod(0o4755)

    make_changes({"/a.txt": FileChange.of(tmp_path, "/a.txt", "b")}, tmp_path / "kept")

    assert file.read_text() == "b"
    assert mode_of(file) == 0o755


def test_nobody_can_foresee_the_name_of_the_temporary_file(tmp_path: Path) -> None:
    """A link under the name of the temporary file would send the new text elsewhere."""
    file = tmp_path / "a.txt"
    file.write_text("a")
    for name in (f".controlplane-{os.getpid()}-a.txt", ".part", "a.txt.part"):
        (tmp_path / name).symlink_to("elsewhere")

    make_changes({"/a.txt": FileChange.of(tmp_path, "/a.txt", "b")}, tmp_path / "kept")

    assert file.read_text() == "b"
    assert not (tmp_path / "elsewhere").exists()


def test_a_hidden_file_cannot_be_changed(tmp_path: Path) -> None:
    """A change of `.git/config` could make git run a program."""
    with pytest.raises(ChangeRefused, match="hidden"):
        FileChange.of(tmp_path, "/.git/config", "x")


# --- Diffs ---


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
        pytest.param(
            b"a",
            "a\n",
            "-a\n\\ No newline at end of file\n+a",
            id="new line end at the end",
        ),
        pytest.param(
            b"\xfcber Geb\xfchr\n",
            "\u00c3\u00bc\n",
            "will be read as utf-8",
            id="new bytes look like another encoding",
        ),
        pytest.param(
            b"a\0b\n",
            "b\n",
            "not a text",
            id="binary file",
        ),
        pytest.param(
            b"a\n",
            "x\n" * 30_000,
            "too large to show, before 2 bytes, sha256 87428fc5",
            id="too many lines",
        ),
        pytest.param(
            b"a\n",
            None,
            "+++ /dev/null\n(deleted)",
            id="deleted file",
        ),
    ],
)
def test_a_diff_shows_every_byte_that_changes(
    tmp_path: Path, old_bytes: bytes, new_text: str | None, expected_part: str
) -> None:
    """The user consents to a diff, so no character may hide in it."""
    file = tmp_path / "a.txt"
    file.write_bytes(old_bytes)
    file.chmod(0o644)

    diff = file_diff("a.txt", FileChange.of(tmp_path, "/a.txt", new_text))

    assert expected_part in diff.text + "\n"


def test_lines_of_an_answer_never_look_like_citations() -> None:
    """Checked citations are printed indented below an answer. A model may write lines of the same
    form, so these lose their indent; other indented lines keep theirs."""
    answer = (
        "Signed [1].\n"
        "\n"
        "  [1] docs/a.md:7\n"
        "  docs/a.md:7\n"
        "\u2003\u00a0> signed\n"
        "  - a point"
    )

    assert without_citation_indents(answer) == (
        "Signed [1].\n"
        "\n"
        "[1] docs/a.md:7\n"
        "docs/a.md:7\n"
        "> signed\n"
        "  - a point"
    )  # fmt: skip


# --- The time and memory of a diff ---
#
# The memory of a process at its peak never falls again. So each large diff is measured in a
# process of its own: `python -m tests.controlplane.test_text_files "equal lines" FOLDER`.

MAX_LINES = 1_000_000
MAX_GROWTH_MB = 200
"""How many lines of Python a diff may execute, and by how much the memory may grow."""

LARGE_CHANGES = {
    "400,000 lines each": (
        "\n".join(f"{n} {n % 7}" for n in range(400_000)),
        lambda text: text[::-1],
    ),
    "equal lines": ("a\nb\n" * 200, lambda text: "b\na\n" * 200),
    "10 MB of nothing": ("\0" * 10_000_000, lambda text: "now a text\n"),
    "one line of 8 MB": ("x" * 8_000_000, lambda text: "y" + text[1:]),
}
"""By name: the old text of a file, and a function of it that returns the new text."""


def peak_memory_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def check_cost_of_diff(name: str, folder: Path) -> None:
    """Assert that the diff of a large change takes little work and memory."""
    old_text, new_text_of = LARGE_CHANGES[name]
    (folder / "a.txt").write_text(old_text)
    new_text = new_text_of(old_text)
    del old_text
    peak_mb_before = peak_memory_mb()

    lines = executed_lines(
        lambda: file_diff("a.txt", FileChange.of(folder, "/a.txt", new_text))
    )

    assert lines < MAX_LINES
    assert peak_memory_mb() - peak_mb_before < MAX_GROWTH_MB


@pytest.mark.parametrize("name", LARGE_CHANGES)
def test_a_diff_of_large_texts_takes_little_work_and_memory(
    tmp_path: Path, name: str
) -> None:
    """A model may propose any text, and the user waits for the diff."""
    subprocess.run(
        [
            sys.executable,
            "-m",
            "tests.controlplane.test_text_files",
            name,
            str(tmp_path),
        ],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        check=True,
    )


if __name__ == "__main__":
    check_cost_of_diff(sys.argv[1], Path(sys.argv[2]))
