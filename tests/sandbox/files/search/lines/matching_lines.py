"""The lines of a text in which a search finds a pattern."""

from controlplane.sandbox.files.tree_texts import LineSearch


def matching_lines(pattern: str, text: str) -> list[tuple[int, str]]:
    """Return the number and the shown text of each line that matches.

    `matching_lines("needle", "first\nthe needle")` -> `[(2, "the needle")]`
    """
    search = LineSearch(pattern, timeout_s=10.0)
    return [(line.number, line.text) for line in search.lines_of(text.encode())]
