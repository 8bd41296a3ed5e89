"""The diff of a change, which a user reads before they consent to it: no character may hide in it.

old bytes b"pay\\n", new text "p\\u200bay\\n"

-pay
+p‹U+200B ZERO WIDTH SPACE›ay
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from controlplane.file_changes.file_change import FileChange
from controlplane.view.answer.citation_indents import without_citation_indents
from controlplane.view.answer.file_diff import file_diff
from tests.controlplane.file_changes.diff_cost import LARGE_CHANGES
from tests.support.command import ROOT


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
    """A change that a diff cannot show line by line is described in words.

    The file was binary, is deleted, gets another encoding, or has very many lines.
    """

    @pytest.mark.parametrize(
        ("old_bytes", "new_text", "expected_part"),
        [
            # The file is in Latin-1, and stays so: "\u00c3\u00bc" is written as the bytes C3 BC. These
            # are also "ü" in UTF-8, as which the next program will read them.
            pytest.param(
                "über Gebühr\n".encode("latin-1"),
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
            # "a\n" has 2 bytes, and its SHA-256 begins with 87428fc5.
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
    def test_a_diff_says_what_it_does_not_show(
        self, tmp_path: Path, old_bytes: bytes, new_text: str | None, expected_part: str
    ) -> None:
        """The old file is named by its size and its hash."""
        assert expected_part in diff_text(tmp_path, old_bytes, new_text)

    @pytest.mark.parametrize("name", LARGE_CHANGES)
    def test_a_diff_of_large_texts_takes_little_work_and_memory(
        self, tmp_path: Path, name: str
    ) -> None:
        """A model may propose any text, and the user waits for the diff. The program `diff_cost`
        fails if the diff takes a million lines of Python or more, or 200 MB."""
        program = "tests.controlplane.file_changes.diff_cost"
        subprocess.run(
            [sys.executable, "-m", program, name, str(tmp_path)],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            check=True,
        )


class TestAnswers:
    """An answer is printed with its checked citations below, as in `  [1] docs/a.md:7`.

    A reader trusts a citation, since the product has looked it up. A model must not be able to
    write lines that look like one.
    """

    def test_lines_of_an_answer_never_look_like_citations(self) -> None:
        """Checked citations are printed indented below an answer. A model may write lines of the
        same form, so these lose their indent; other indented lines keep theirs."""
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
