"""Texts in their encodings, and changes that harm no file."""

import os
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchmarks.files.file_sources import find_sources
from controlplane.errors import UsageError
from controlplane.text_files import ChangeRefused, FileChange, decode_text, is_text, make_changes

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
    assert sources.holding([TEXTS[encoding][5:12]], folds_case=False) == ["/a.txt"]


@given(st.binary())
@example(b"\xef\xbb\xbf\xff")
@example(b"\xff\xfe\x00\xd8")
@example("a\r\r\nb\r\n".encode("utf-16"))
@example(b"\x81\x8d\r\n")
def test_every_byte_comes_back(data: bytes) -> None:
    found = decode_text(data)
    assert found.encode(found.text) == data


@pytest.mark.parametrize(
    ("head", "expected"), [(b"plain", True), (b"\0", False), (b"\x89PNG\0\1", False), ("Text".encode("utf-16"), True)]
)
def test_binaries_are_not_texts(head: bytes, expected: bool) -> None:
    assert is_text(head) == expected


def test_changes_are_made_with_the_files_modes_and_old_versions_are_kept(tmp_path: Path) -> None:
    one, two = tmp_path / "one.txt", tmp_path / "two.txt"
    one.write_text("1\n")
    one.chmod(0o640)
    two.write_text("2\n")
    kept = tmp_path / "kept"
    make_changes({"/one.txt": FileChange.of(one, "new\n"), "/two.txt": FileChange.of(two, None)}, kept)
    assert (one.read_text(), one.stat().st_mode & 0o777, two.exists()) == ("new\n", 0o640, False)
    assert [(kept / name).read_text() for name in ("one.txt", "two.txt")] == ["1\n", "2\n"]
    assert (kept.stat().st_mode & 0o777, (kept / "one.txt").stat().st_mode & 0o777) == (0o700, 0o600)
    make_changes({"/one.txt": FileChange.of(one, "newer\n")}, kept)
    assert [path.name for path in kept.iterdir()] == ["one.txt"]


def test_a_text_that_does_not_fit_is_refused_with_its_line_before_anything_is_written(tmp_path: Path) -> None:
    one, two = tmp_path / "one.txt", tmp_path / "two.txt"
    two.write_bytes("Größe: 3 €\n".encode("cp1252"))
    changes = {"/one.txt": FileChange.of(one, "new"), "/two.txt": FileChange.of(two, "Größe: 3 €\n→\n")}
    with pytest.raises(ChangeRefused, match=r"two.txt is written in cp1252, which has no '→' \(line 2\)"):
        make_changes(changes, tmp_path / "kept")
    assert not one.exists()


def test_a_failure_half_way_undoes_what_was_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    places = [tmp_path / name for name in ("one.txt", "two.txt")]
    for place in places:
        place.write_text("old\n")
    changes = {f"/{place.name}": FileChange.of(place, "new\n") for place in places}
    real, made = Path.replace, list[Path]()

    def replace(path: Path, target: Path) -> Path:
        made.append(path)
        if len(made) == 2:
            raise OSError(28, os.strerror(28))
        return real(path, target)

    monkeypatch.setattr(Path, "replace", replace)
    with pytest.raises(UsageError, match=r"two.txt cannot be written: No space left .*; nothing is written"):
        make_changes(changes, tmp_path / "kept")
    assert [place.read_text() for place in places] == ["old\n", "old\n"]
    places[1].write_text("edited\n")
    with pytest.raises(ChangeRefused, match=r"two.txt was changed meanwhile"):
        make_changes(changes, tmp_path / "kept")
    assert [place.read_text() for place in places] == ["old\n", "edited\n"]
