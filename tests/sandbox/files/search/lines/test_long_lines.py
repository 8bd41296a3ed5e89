"""A line of megabytes is searched in parts, and a match shows only the text around it.

A line may be a whole JSON file. It is searched in parts of 250,000 bytes:
`harness.search("needle")` finds "the needle" wherever it stands, and shows less than 2,000
characters of the line.
"""

import pytest

from controlplane.sandbox.files.file_tree import FileTree
from tests.sandbox.files.search.lines.matching_lines import matching_lines

WORDS = "alpha beta gamma delta epsilon "


@pytest.mark.parametrize("position", [0, 100_000, 249_990, 250_000, 600_000])
@pytest.mark.parametrize(
    "pattern", ["the needle", r"the n\w+", r"\bneedle\b", "(?i)NEEDLE"]
)
def test_a_match_anywhere_in_a_very_long_line_is_found_and_shown_in_short(
    position: int, pattern: str
) -> None:
    filler = WORDS * 25_000
    long_line = filler[:position] + " the needle " + filler[position:]

    lines = matching_lines(pattern, f"first\n{long_line}\nlast\n")

    assert len(lines) == 1
    number, shown_text = lines[0]
    assert number == 2
    assert "needle" in shown_text
    assert len(shown_text) < 2_000


def test_each_match_of_a_long_line_is_found_with_its_position() -> None:
    """`char` is where the shown text begins in the file, counted in characters from 1."""
    text = "é\r\n" + WORDS * 500 + "one needle" + WORDS * 500 + "two needles"

    matches = FileTree({"/a.txt": text}).search("needle")["matches"]

    assert [match["line"] for match in matches] == [2, 2]
    for match in matches:
        start = match["char"] - 1
        assert text[start:].startswith(match["text"])
        assert "needle" in match["text"]


@pytest.mark.parametrize(
    ("pattern", "expected_lines"), [("^alpha", 1), ("epsilon $", 1), ("^beta", 0)]
)
def test_a_part_of_a_long_line_does_not_count_as_a_line(
    pattern: str, expected_lines: int
) -> None:
    """`^` matches where the line begins, not where a part of it does."""
    assert len(matching_lines(pattern, WORDS * 30_000)) == expected_lines
