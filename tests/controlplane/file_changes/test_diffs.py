"""The diff of a change, which a user reads before they consent to it: no character may hide in it.

old bytes b"pay\\n", new text "p\\u200bay\\n"

-pay
+p‹U+200B ZERO WIDTH SPACE›ay
"""

from pathlib import Path

import pytest

from controlplane.file_changes.file_change import FileChange
from controlplane.view.answer.file_diff import file_diff


def diff_text(folder: Path, old_bytes: bytes, new_text: str | None) -> str:
    """Return the diff of a file with these bytes and its new text, None if it is deleted."""
    file = folder / "a.txt"
    file.write_bytes(old_bytes)
    file.chmod(0o644)
    diff = file_diff("a.txt", FileChange.of(folder, "/a.txt", new_text))
    return diff.text + "\n"


class TestHiddenCharacters:
    """A new text has characters that a terminal does not show, or that look like others.

    The diff names them, as in `p‹U+200B ZERO WIDTH SPACE›ay`.
    """

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
        self, tmp_path: Path, old_bytes: bytes, new_text: str, expected_part: str
    ) -> None:
        """They may change what a program or a model reads."""
        assert expected_part in diff_text(tmp_path, old_bytes, new_text)


class TestBlanksAndLineEnds:
    """A new text differs from the old one in blanks, or in the ends of its lines.

    CRLF is the line end of Windows. The product writes a file with CRLF again with CRLF.
    """

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
        self, tmp_path: Path, old_bytes: bytes, new_text: str, expected_part: str
    ) -> None:
        """Two lines that look the same would say nothing."""
        assert expected_part in diff_text(tmp_path, old_bytes, new_text)


class TestWholeFiles:
    """A change that a diff cannot show line by line is described in words."""

    def test_a_deleted_file_is_marked_as_deleted(self, tmp_path: Path) -> None:
        assert "+++ /dev/null\n(deleted)" in diff_text(tmp_path, b"a\n", None)

    def test_a_binary_file_is_not_shown(self, tmp_path: Path) -> None:
        assert "not a text" in diff_text(tmp_path, b"a\0b\n", "b\n")

    def test_a_text_with_too_many_lines_is_not_shown(self, tmp_path: Path) -> None:
        """The old file is named by its size and its hash, so that the user can find it."""
        diff = diff_text(tmp_path, b"a\n", "x\n" * 30_000)

        # The SHA-256 of "a\n" begins with 87428fc5.
        assert "too large to show, before 2 bytes, sha256 87428fc5" in diff

    def test_a_new_text_that_will_be_read_in_another_encoding_is_marked(
        self, tmp_path: Path
    ) -> None:
        """The file is in Latin-1, and stays so: "\u00c3\u00bc" is written as the bytes C3 BC. The
        next program takes them for UTF-8, in which they are "\u00fc"."""
        old_bytes = "\u00fcber Geb\u00fchr\n".encode("latin-1")

        diff = diff_text(tmp_path, old_bytes, "\u00c3\u00bc\n")

        assert "will be read as utf-8" in diff
