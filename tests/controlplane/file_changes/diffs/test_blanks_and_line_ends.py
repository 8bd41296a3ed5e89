"""The diff of a change, which a user reads before they consent, shows blanks and line ends that change.

Two lines that look the same would say nothing:

    -a‹TAB›b
    +a    b

CRLF is the line end of Windows. The product writes a file with CRLF again with CRLF.
"""

from pathlib import Path

import pytest

from tests.controlplane.file_changes.diffs.shown_diff import diff_text


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
