"""The result of a search says if a match may be missing because a line was searched in parts.

The line "x---...---y" is so long that no part has both its first and its last letter. So a search
for `x-+y` finds nothing, and its result is marked as truncated.
"""

from controlplane.sandbox.files.file_tree import FileTree
from controlplane.sandbox.interface import bounds

LINE_LONGER_THAN_A_PART = "x" + "-" * 2 * bounds.MOST_SEARCHED_LINE_BYTES + "y"


def test_a_pattern_that_may_match_across_the_parts_of_a_line_is_reported() -> None:
    result = FileTree({"/a.txt": LINE_LONGER_THAN_A_PART}).search("x-+y")

    assert result["matches"] == []
    assert result["truncated"] is True
    assert "searched in parts" in str(result["searched"])


def test_a_fixed_text_cannot_be_missed_between_the_parts_of_a_line() -> None:
    """Neighbouring parts overlap by more characters than a pattern may have, so that each fixed text
    stands in one of the parts as a whole."""
    result = FileTree({"/a.txt": LINE_LONGER_THAN_A_PART}).search("not there")

    assert result["truncated"] is False
