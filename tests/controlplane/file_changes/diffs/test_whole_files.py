"""A change that a diff cannot show line by line is described in words.

For example:

    a text of 30,000 lines    ->    "too large to show, before 2 bytes, sha256 87428fc5..."
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
    """The file is in Latin-1, and stays so: "\u00c3\u00bc" is written as the bytes C3 BC. The
    next program takes them for UTF-8, in which they are "\u00fc"."""
    old_bytes = "\u00fcber Geb\u00fchr\n".encode("latin-1")

    diff = diff_text(tmp_path, old_bytes, "\u00c3\u00bc\n")

    assert "will be read as utf-8" in diff
