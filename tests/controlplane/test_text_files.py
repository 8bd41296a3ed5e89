"""Texts in their encodings, and changes that harm no file."""

import os
import subprocess
from pathlib import Path

import pytest

from benchmarks.files.file_sources import find_sources
from controlplane.errors import UsageError
from controlplane.text_files import ChangeRefused, FileChange, make_changes
from sandbox.files import StagedFile

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
def test_a_text_is_read_in_its_encoding_and_found_by_its_words(encoding: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(TEXTS[encoding].encode(encoding))
    sources = find_sources(tmp_path)
    assert sources["/a.txt"] == TEXTS[encoding]
    assert sources.likeliest([TEXTS[encoding][:5].lower()]) == ["/a.txt"]


def test_changes_are_made_with_the_files_modes_and_old_versions_are_kept(tmp_path: Path) -> None:
    one, two = tmp_path / "one.txt", tmp_path / "two.txt"
    one.write_text("1\n")
    one.chmod(0o640)
    two.write_text("2\n")
    kept = tmp_path / "kept"
    make_changes(
        {
            "/one.txt": FileChange.of(tmp_path, "/one.txt", "new\n"),
            "/two.txt": FileChange.of(tmp_path, "/two.txt", None),
        },
        kept,
    )
    assert (one.read_text(), one.stat().st_mode & 0o777, two.exists()) == ("new\n", 0o640, False)
    assert [(kept / name).read_text() for name in ("one.txt", "two.txt")] == ["1\n", "2\n"]
    assert (kept.stat().st_mode & 0o777, (kept / "one.txt").stat().st_mode & 0o777) == (0o700, 0o600)
    make_changes({"/one.txt": FileChange.of(tmp_path, "/one.txt", "newer\n")}, kept)
    assert [path.name for path in kept.iterdir()] == ["one.txt"]


def test_a_text_that_does_not_fit_is_refused_with_its_line_before_anything_is_written(tmp_path: Path) -> None:
    one, two = tmp_path / "one.txt", tmp_path / "two.txt"
    two.write_bytes("Größe: 3 €\n".encode("cp1252"))
    changes = {
        "/one.txt": FileChange.of(tmp_path, "/one.txt", "new"),
        "/two.txt": FileChange.of(tmp_path, "/two.txt", "Größe: 3 €\n→\n"),
    }
    with pytest.raises(ChangeRefused, match=r"two.txt is written in cp1252, which has no '→' \(line 2\)"):
        make_changes(changes, tmp_path / "kept")
    assert not one.exists()


def test_a_failure_half_way_undoes_what_was_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    places = [tmp_path / name for name in ("one.txt", "two.txt")]
    for place in places:
        place.write_text("old\n")
    changes = {f"/{place.name}": FileChange.of(tmp_path, f"/{place.name}", "new\n") for place in places}
    real, put = StagedFile.put, list[Path]()

    def put_one(staged: StagedFile) -> None:
        put.append(staged.place)
        if staged.place == places[1]:
            raise OSError(28, os.strerror(28))
        real(staged)

    monkeypatch.setattr(StagedFile, "put", put_one)
    with pytest.raises(UsageError, match=r"two.txt cannot be written: No space left .*; nothing is written"):
        make_changes(changes, tmp_path / "kept")
    assert [place.read_text() for place in places] == ["old\n", "old\n"]
    places[1].write_text("edited\n")
    with pytest.raises(ChangeRefused, match=r"two.txt was changed meanwhile"):
        make_changes(changes, tmp_path / "kept")
    assert [place.read_text() for place in places] == ["old\n", "edited\n"]


PREPARED = {
    "a link at the place": "ln -s ../../away/a.txt docs/a.txt",
    "a link above it": "rmdir docs; ln -s ../away docs",
    "a link to a hidden folder": "rmdir docs; mkdir .git; ln -s .git docs",
    "a pipe": "mkfifo docs/a.txt",
    "a folder": "mkdir docs/a.txt",
    "a link as the folder of old versions": "ln -s ../away .old",
}


def test_a_failure_leaves_no_new_folder(tmp_path: Path) -> None:
    paths = ("/new/deep/ok.md", f"/other/{'b' * 300}.md")
    changes = {path: FileChange(tmp_path / path[1:], tmp_path, None, 0, "x") for path in paths}
    with pytest.raises(UsageError, match="nothing is written"):
        make_changes(changes, tmp_path / "kept")
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]


@pytest.mark.parametrize("name", PREPARED)
def test_a_change_lands_where_it_was_shown_or_nowhere(name: str, tmp_path: Path) -> None:
    folder, away = tmp_path / "folder", tmp_path / "away"
    (folder / "docs").mkdir(parents=True)
    away.mkdir()
    (away / "a.txt").write_text("theirs")
    (folder / "one.txt").write_text("1\n")
    subprocess.run(PREPARED[name], shell=True, cwd=folder, check=True)
    paths = ("/docs/a.txt", "/one.txt")
    with pytest.raises((ChangeRefused, UsageError), match="nothing is written"):
        make_changes({path: FileChange.of(folder, path, "ours\n") for path in paths}, folder / ".old")
    assert ([path.name for path in away.iterdir()], (away / "a.txt").read_text()) == (["a.txt"], "theirs")
    assert (folder / "one.txt").read_text() == "1\n"
    assert not list(folder.rglob("*.part"))


def test_a_new_version_takes_no_set_user_id_and_a_name_that_nobody_foresees(tmp_path: Path) -> None:
    place = tmp_path / "a.txt"
    place.write_text("a")
    place.chmod(0o4755)
    for name in (f".controlplane-{os.getpid()}-a.txt", ".part", "a.txt.part"):
        (tmp_path / name).symlink_to("elsewhere")
    make_changes({"/a.txt": FileChange.of(tmp_path, "/a.txt", "b")}, tmp_path / "kept")
    assert (place.read_text(), place.stat().st_mode & 0o7777, (tmp_path / "elsewhere").exists()) == ("b", 0o755, False)
    with pytest.raises(ChangeRefused, match="hidden"):
        FileChange.of(tmp_path, "/.git/config", "x")
