"""A change that a diff cannot show line by line is described in words.

For example:

    "a" becomes a text of 30,000 lines    ->    "too large to show, before 2 bytes, sha256 87428fc5..."

In `diff_text(folder, b"a\\n", "b\\n")`, the file has the bytes `a\\n`, and gets the text "b\\n".
"""

from pathlib import Path

from tests.controlplane.file_changes.diffs.shown_diff import diff_text


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
