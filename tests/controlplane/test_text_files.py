"""Texts in their encodings, and changes that harm no file."""

import os
import resource
import subprocess
import sys
import time
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
from controlplane.view.answer.answer_text import without_citation_indents
from controlplane.view.answer.file_diff import file_diff
from tests.support.command import ROOT

TEXTS = {
    "cp1252": "Name;Größe\nMüller;3 €\n",
    "cp1250": "Zażółć gęślą jaźń, proszę pana.\n",
    "koi8_r": "Привет, как дела? Всё хорошо.\n",
    "shift_jis": "これは日本語の文章です。\n",
    "gb18030": "这是中文文本。你好吗\n",
    "utf-8": "Größe → 3\n",
    "utf-16-le": "Größe → 3, und noch ein paar Worte\n",
}


@pytest.mark.parametrize("encoding", TEXTS)
def test_a_text_is_read_in_its_encoding_and_found_by_its_words(
    encoding: str, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_bytes(TEXTS[encoding].encode(encoding))
    sources = find_sources(tmp_path)

    assert sources["/a.txt"] == TEXTS[encoding]
    assert files_with_words(sources, words_of(TEXTS[encoding][:5])) == ["/a.txt"]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"caf\xe9 \x80", "café €"),
        ("Привет, мир. Как дела".encode("cp1251"), "Привет, мир. Как дела"),
    ],
)
def test_single_western_bytes_come_before_cyrillic_and_runs_after(
    data: bytes, text: str
) -> None:
    assert decode_text(data).text == text


def changes_of(folder: Path, **texts: str | None) -> dict[str, FileChange]:
    """Return the changes of these files, by their names without the ending."""
    return {
        f"/{name}.txt": FileChange.of(folder, f"/{name}.txt", text)
        for name, text in texts.items()
    }


def test_changes_are_made_with_the_files_modes_and_old_versions_are_kept(
    tmp_path: Path,
) -> None:
    one, two = tmp_path / "one.txt", tmp_path / "two.txt"
    one.write_text("1\n")
    one.chmod(0o640)
    two.write_text("2\n")
    kept = tmp_path / "kept"
    make_changes(changes_of(tmp_path, one="new\n", two=None), kept)

    assert (one.read_text(), one.stat().st_mode & 0o777, two.exists()) == (
        "new\n",
        0o640,
        False,
    )
    assert [(kept / name).read_text() for name in ("one.txt", "two.txt")] == [
        "1\n",
        "2\n",
    ]
    assert (kept.stat().st_mode & 0o777, (kept / "one.txt").stat().st_mode & 0o777) == (
        0o700,
        0o640,
    )
    make_changes(changes_of(tmp_path, one="newer\n"), kept)
    assert [path.name for path in kept.iterdir()] == ["one.txt"]


def test_a_text_that_does_not_fit_is_refused_with_its_line_before_anything_is_written(
    tmp_path: Path,
) -> None:
    one, two = tmp_path / "one.txt", tmp_path / "two.txt"
    two.write_bytes("Größe: 3 €\n".encode("cp1252"))
    changes = changes_of(tmp_path, one="new", two="Größe: 3 €\n→\n")
    with pytest.raises(
        ChangeRefused,
        match=r"two.txt: it is written in cp1252, which has no '→' \(line 2\)",
    ):
        make_changes(changes, tmp_path / "kept")

    assert not one.exists()


def test_a_failure_half_way_undoes_what_was_done_and_keeps_the_old_versions(
    tmp_path: Path,
) -> None:
    place, long = tmp_path / "one.txt", tmp_path / ("b" * 300)
    place.write_text("oldest\n")
    kept = tmp_path / "kept"
    make_changes(changes_of(tmp_path, one="old\n"), kept)
    changes = changes_of(tmp_path, one="new\n")
    with pytest.raises(
        (ChangeRefused, UsageError),
        match=r"b: it cannot be written: File name too long",
    ):
        make_changes(
            {**changes, f"/{long.name}": FileChange(long, tmp_path, None, 0, "x")}, kept
        )

    assert (place.read_text(), (kept / "one.txt").read_text()) == ("old\n", "oldest\n")
    stamp = place.stat()
    place.write_text("edited\n")
    os.utime(place, (stamp.st_atime, 1.0))
    with pytest.raises(ChangeRefused, match=r"one.txt: it was changed meanwhile"):
        make_changes(changes, kept)
    assert (place.read_text(), (kept / "one.txt").read_text()) == (
        "edited\n",
        "oldest\n",
    )


def test_files_are_restored_if_the_list_for_undoing_cannot_be_written(
    tmp_path: Path,
) -> None:
    place = tmp_path / "one.txt"
    place.write_text("old\n")
    kept = tmp_path / "kept"
    in_place_of_list = StepList("changed", kept).path
    (in_place_of_list / "a").mkdir(parents=True)

    with pytest.raises(ChangeRefused, match=r"it cannot be written"):
        make_changes(changes_of(tmp_path, one="new\n"), kept)
    assert place.read_text() == "old\n"


def test_old_versions_stay_if_the_process_is_killed_after_it_moved_them(
    tmp_path: Path,
) -> None:
    place = tmp_path / "one.txt"
    place.write_text("old\n")
    kept = tmp_path / "kept"
    prepared = PreparedChanges(kept)
    changes = changes_of(tmp_path, one="new\n")
    prepared.prepare(changes, {path: b"new\n" for path in changes})
    list_of_steps = StepList("changes", kept)
    steps = list_of_steps.read()
    prepared.make()
    list_of_steps.write(steps)  # as if it had been killed before it removed the list

    assert finish_changes(kept)
    assert (place.read_text(), (kept / "one.txt").read_text()) == ("new\n", "old\n")
    assert not prepared.exist


def make_changes_at_once(changes: list[FileChange], kept_folders: list[Path]) -> int:
    """Make each change in a process of its own, all at the same time; return how many were made."""
    start_reader, start_writer = os.pipe()
    processes = []
    for change, kept in zip(changes, kept_folders, strict=True):
        process = os.fork()
        if process == 0:
            os.close(start_writer)
            os.read(start_reader, 1)  # ends when the parent closes the pipe
            try:
                make_changes({f"/{change.place.name}": change}, kept)
            except ChangeRefused:
                os._exit(1)
            except BaseException:  # noqa: BLE001 - the border of a process
                os._exit(2)
            os._exit(0)
        processes.append(process)
    os.close(start_reader)
    os.close(start_writer)
    exit_codes = [
        os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) for process in processes
    ]
    assert 2 not in exit_codes
    return exit_codes.count(0)


@pytest.mark.parametrize("attempt", range(3))
def test_of_changes_to_one_file_at_the_same_time_one_is_made(
    attempt: int, tmp_path: Path
) -> None:
    (tmp_path / "sum.txt").write_text("0\n")
    changes = [
        FileChange.of(tmp_path, "/sum.txt", f"{number}\n") for number in range(1, 9)
    ]
    kept_folders = [tmp_path / f"runs{number}/kept" for number in range(1, 9)]

    assert make_changes_at_once(changes, kept_folders) == 1

    assert (tmp_path / "sum.txt").read_text() != "0\n"
    old_versions = list(tmp_path.glob("runs*/kept/sum.txt"))
    assert [old.read_text() for old in old_versions] == ["0\n"]


def test_changes_to_several_files_at_the_same_time_are_all_made(tmp_path: Path) -> None:
    changes = [
        FileChange.of(tmp_path, f"/{number}.txt", "new\n") for number in range(8)
    ]

    assert make_changes_at_once(changes, [tmp_path / "runs/kept"] * 8) == 8

    assert [(tmp_path / f"{number}.txt").read_text() for number in range(8)] == [
        "new\n"
    ] * 8


@pytest.mark.parametrize("edited", ["", "two.txt"])
def test_changes_that_were_cut_off_by_a_kill_are_finished_or_undone_later(
    edited: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("one.txt", "two.txt", "three.txt")
    for name in names:
        (tmp_path / name).write_text(f"old {name}\n")
    changes = {
        f"/{name}": FileChange.of(tmp_path, f"/{name}", f"new {name}\n")
        for name in names
    }
    real, replaced = os.replace, list[str]()

    def replace(source: str, name: str, **folders: int) -> None:
        if (
            str(source).startswith(str(tmp_path / "kept.new/new/1"))
            and not monkeypatch_is_off
        ):
            # The process of its own; the one that waits for it goes on, and is ended, too.
            os.kill(os.getpid(), 9)
        replaced.append(name)
        real(source, name, **folders)

    monkeypatch_is_off = False
    monkeypatch.setattr(os, "replace", replace)
    child = os.fork()
    if not child:
        make_changes(changes, tmp_path / "kept")
        os._exit(0)

    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -9
    monkeypatch_is_off = True
    assert (tmp_path / "one.txt").read_text() == "new one.txt\n"
    assert not list(tmp_path.glob(".*"))
    if edited:
        (tmp_path / edited).write_text("edited\n")
        with pytest.raises(ChangeRefused, match=r"two.txt: it was changed meanwhile"):
            finish_changes(tmp_path / "kept")
        expected = ["old one.txt\n", "edited\n", "old three.txt\n"]
    else:
        assert finish_changes(tmp_path / "kept")
        expected = [f"new {name}\n" for name in names]
    assert [(tmp_path / name).read_text() for name in names] == expected
    assert not finish_changes(tmp_path / "kept")


def test_changes_are_made_to_their_end_and_their_process_too_if_the_one_that_waits_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes, real = changes_of(tmp_path, one="new\n", two="new\n"), os.replace
    child = os.fork()
    if not child:

        def replace(source: str, name: str, **folders: int) -> None:
            real(source, name, **folders)
            if str(source).startswith(str(tmp_path / "kept.new/new/0")):
                (tmp_path / "pid").write_text(str(os.getpid()))
                os.kill(os.getppid(), 9)

        monkeypatch.setattr(os, "replace", replace)
        make_changes(changes, tmp_path / "kept")
        os._exit(0)

    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -9
    process = int((tmp_path / "pid").read_text())
    until = time.monotonic() + 20
    while (
        Path(f"/proc/{process}/cmdline").exists()
        and Path(f"/proc/{process}/cmdline").read_bytes()
    ):
        assert time.monotonic() < until
        time.sleep(0.02)
    assert [(tmp_path / f"{name}.txt").read_text() for name in ("one", "two")] == [
        "new\n",
        "new\n",
    ]


def test_a_kept_version_survives_an_edit_in_place(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("old")
    change = FileChange.of(tmp_path, "/a.txt", "new")
    with (tmp_path / "a.txt").open("r+") as open_file:  # as an editor holds it
        make_changes({"/a.txt": change}, tmp_path / "kept")
        open_file.write("odd")

    assert (tmp_path / "kept/a.txt").read_text() == "old"


def test_a_failure_leaves_no_new_folder(tmp_path: Path) -> None:
    paths = ("/new/deep/ok.md", f"/other/{'b' * 300}.md")
    changes = {
        path: FileChange(tmp_path / path[1:], tmp_path, None, 0, "x") for path in paths
    }
    with pytest.raises(ChangeRefused, match="File name too long"):
        make_changes(changes, tmp_path / "kept")

    assert not list(tmp_path.iterdir())


PREPARED = {
    "a link at the place": "ln -s ../../away/a.txt docs/a.txt",
    "a link above it": "rmdir docs; ln -s ../away docs",
    "a link to a hidden folder": "rmdir docs; mkdir .git; ln -s .git docs",
    "a pipe": "mkfifo docs/a.txt",
    "a folder": "mkdir docs/a.txt",
    "a link as the folder of old versions": "ln -s ../away .old",
}


@pytest.mark.parametrize("name", PREPARED)
def test_a_change_lands_where_it_was_shown_or_nowhere(
    name: str, tmp_path: Path
) -> None:
    folder, away = tmp_path / "folder", tmp_path / "away"
    (folder / "docs").mkdir(parents=True)
    away.mkdir()
    (away / "a.txt").write_text("theirs")
    (folder / "one.txt").write_text("1\n")
    subprocess.run(PREPARED[name], shell=True, cwd=folder, check=True)
    paths = ("/docs/a.txt", "/one.txt")
    with pytest.raises((ChangeRefused, UsageError)):
        make_changes(
            {path: FileChange.of(folder, path, "ours\n") for path in paths},
            folder / ".old",
        )

    assert ([path.name for path in away.iterdir()], (away / "a.txt").read_text()) == (
        ["a.txt"],
        "theirs",
    )
    assert (folder / "one.txt").read_text() == "1\n"
    assert not list(folder.rglob("*.part"))


def test_a_new_version_takes_no_set_user_id_and_a_name_that_nobody_foresees(
    tmp_path: Path,
) -> None:
    place = tmp_path / "a.txt"
    place.write_text("a")
    place.chmod(0o4755)
    for name in (f".controlplane-{os.getpid()}-a.txt", ".part", "a.txt.part"):
        (tmp_path / name).symlink_to("elsewhere")
    make_changes({"/a.txt": FileChange.of(tmp_path, "/a.txt", "b")}, tmp_path / "kept")

    assert (
        place.read_text(),
        place.stat().st_mode & 0o7777,
        (tmp_path / "elsewhere").exists(),
    ) == ("b", 0o755, False)
    with pytest.raises(ChangeRefused, match="hidden"):
        FileChange.of(tmp_path, "/.git/config", "x")


def shown(
    folder: Path, before: bytes | None, after: str | None, mode: int = 0o644
) -> str:
    place = folder / "a.txt"
    if before is not None:
        place.write_bytes(before)
        place.chmod(mode)
    return file_diff("a.txt", FileChange.of(folder, "/a.txt", after)).text


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (b"one\ntwo\n", "one\u2028two\n", "+one‹U+2028 LINE SEPARATOR›two"),
        (b"one\ntwo\n", "one\r\ntwo\r\n", "+one‹CR›\n"),
        (b"one\r\ntwo\r\nthree\r\n", "one\ntwo\n", "(CRLF)"),
        (b"a\tb\n", "a    b\n", "-a‹TAB›b\n+a    b"),
        (b"a\n", "a  \n", "+a‹SPACE›‹SPACE›"),
        (b"pay\n", "p\u200bay\n", "+p‹U+200B ZERO WIDTH SPACE›ay"),
        (
            b"pay\n",
            "pay\u3164\u2800\n",
            "‹U+3164 HANGUL FILLER›‹U+2800 BRAILLE PATTERN BLANK›",
        ),
        (
            b"a\n",
            "a\U000e0100\ufe0f\n",
            "+a‹U+E0100 VARIATION SELECTOR-17›‹U+FE0F VARIATION SELECTOR-16›",
        ),
        (b"a\n", "\ufeffa\n", "+‹U+FEFF ZERO WIDTH NO-BREAK SPACE›a"),
        (b"a\n", "a\u202egpj\n", "+a‹U+202E RIGHT-TO-LEFT OVERRIDE›gpj"),
        (b"a\n", "a\x1b[2K\n", "+a‹U+001B CONTROL›[2K"),
        (b"a b\n", "a\u00a0b\n", "+a‹U+00A0 NO-BREAK SPACE›b"),
        (b"a", "a\n", "-a\n\\ No newline at end of file\n+a"),
        (b"\xfcber Geb\xfchr\n", "\u00c3\u00bc\n", "will be read as utf-8"),
        (b"a\0b\n", "b\n", "not a text"),
        (b"a\n", "x\n" * 30_000, "too large to show, before 2 bytes, sha256 87428fc5"),
        (b"a\n", None, "+++ /dev/null\n(deleted)"),
    ],
)
def test_a_diff_shows_every_byte_that_changes(
    tmp_path: Path, before: bytes, after: str | None, said: str
) -> None:
    assert said in shown(tmp_path, before, after) + "\n"


def test_lines_of_an_answer_never_look_like_citations() -> None:
    own = "Signed [1].\n\n  [1] docs/a.md:7\n  docs/a.md:7\n\u2003\u00a0> signed\n  - a point"
    assert (
        without_citation_indents(own)
        == "Signed [1].\n\n[1] docs/a.md:7\ndocs/a.md:7\n> signed\n  - a point"
    )


LARGE = {
    "400,000 lines each": (
        "\n".join(f"{n} {n % 7}" for n in range(400_000)),
        lambda text: text[::-1],
    ),
    "equal lines": ("a\nb\n" * 200, lambda text: "b\na\n" * 200),
    "10 MB of nothing": ("\0" * 10_000_000, lambda text: "now a text\n"),
    "one line of 8 MB": ("x" * 8_000_000, lambda text: "y" + text[1:]),
}


def measure(name: str, folder: Path) -> None:
    text, change = LARGE[name]
    (folder / "a.txt").write_text(text)
    after = change(text)
    del text
    began = time.process_time()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    file_diff("a.txt", FileChange.of(folder, "/a.txt", after))
    grown_mb = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    cpu_s = time.process_time() - began
    assert cpu_s < 20, "a diff of large texts is not bounded"
    assert grown_mb < 200


@pytest.mark.parametrize("name", LARGE)
def test_a_diff_takes_little_time_and_memory(tmp_path: Path, name: str) -> None:
    words = [
        sys.executable,
        "-m",
        "tests.controlplane.test_text_files",
        name,
        str(tmp_path),
    ]
    subprocess.run(
        words,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        timeout=60,
        check=True,
    )


if __name__ == "__main__":
    measure(sys.argv[1], Path(sys.argv[2]))
