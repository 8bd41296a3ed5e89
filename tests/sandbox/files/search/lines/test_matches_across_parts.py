"""The result of a search says if a match may be missing because a line was searched in parts.

The line "x---...---y" is so long that no part has both its first and its last letter. So a search
for `x-+y` finds nothing, and its result is marked as truncated.
"""

from controlplane.sandbox.files.file_tree import FileTree
from controlplane.sandbox.files.search.line_search import LineSearch
from controlplane.sandbox.interface import bounds

LINE_LONGER_THAN_A_PART = "x" + "-" * 2 * bounds.MOST_SEARCHED_LINE_BYTES + "y"


def test_a_pattern_that_may_match_across_the_parts_of_a_line_is_reported() -> None:
    result = FileTree({"/a.txt": LINE_LONGER_THAN_A_PART}).search("x-+y")

    assert result["matches"] == []
    assert result["truncated"] is True
    assert "searched in parts" in str(result["searched"])


def test_a_fixed_text_cannot_be_missed_between_the_parts_of_a_line() -> None:
    """A part begins with the end of the one before, by more than a fixed text can have."""
    result = FileTree({"/a.txt": LINE_LONGER_THAN_A_PART}).search("not there")

    assert result["truncated"] is False


def test_a_search_ends_at_its_deadline():
    """100,000 texts, each of which this pattern takes long to search, get 0.2 s together."""
    search = LineSearch("(a|b)*a(a|b){300}c", timeout_s=0.2)
    text = b"ab" * 1_000 + b"\n"

    matching_lines = []
    for _ in range(100_000):
        matching_lines += search.lines_of(text)

    assert matching_lines == []
    assert search.is_late
