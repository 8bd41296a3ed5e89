"""The lines in which two texts differ, with the signs and headers of a unified diff.

Python's `difflib` takes minutes for long texts, so only the part between the first and the last
changed line is compared.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Final

import re2

from controlplane.sandbox.interface import bounds

CONTEXT_LINES: Final = 3
MOST_COMPARED_LINES: Final = 500
"""The largest number of lines that difflib compares, since its time grows faster than the texts.

Equal lines at the beginning and end of both texts are not counted.
"""


NO_LINE_END: Final = "\\ No newline at end of file"


def text_lines(text: str) -> list[str]:
    """Return the lines of a text. If it has no final line end, a remark on that follows.

    The remark is in the same item as the last line, so that both are compared as one.
    """
    lines = text.split("\n")
    last = lines.pop()
    if last:
        lines.append(f"{last}\n{NO_LINE_END}")
    return lines


def diff_lines(before: list[str], after: list[str]) -> list[str] | None:
    """Return the lines of a unified diff; None if they are too many to list.

    The time grows in proportion to the texts: only few lines are compared by difflib. If
    more lines have changed, all of them are listed as replaced.
    """
    # Leave out the equal lines at the beginning and at the end.
    equal_above = _equal_lines(before, after)
    rest_before = before[equal_above:]
    rest_after = after[equal_above:]
    equal_below = _equal_lines(list(reversed(rest_before)), list(reversed(rest_after)))
    changed_before = rest_before[: len(rest_before) - equal_below]
    changed_after = rest_after[: len(rest_after) - equal_below]

    if max(len(changed_before), len(changed_after)) <= MOST_COMPARED_LINES:
        # Compare what is left, with a few equal lines on both sides as the context.
        skipped_above = max(equal_above - CONTEXT_LINES, 0)
        skipped_below = max(equal_below - CONTEXT_LINES, 0)
        return _compared_lines(
            before[skipped_above : len(before) - skipped_below],
            after[skipped_above : len(after) - skipped_below],
            lines_above=skipped_above,
        )

    # Too many lines to compare: show all of them as replaced.
    if len(changed_before) + len(changed_after) > bounds.SHOWN_DIFF_LINES:
        return None
    first_line = equal_above + 1
    lines = [
        f"@@ -{first_line},{len(changed_before)} +{first_line},{len(changed_after)} @@"
    ]
    lines += [f"-{line}" for line in changed_before]
    lines += [f"+{line}" for line in changed_after]
    return lines


def _equal_lines(lines: Sequence[str], other_lines: Sequence[str]) -> int:
    """Return the number of equal lines at the beginning of both lists."""
    count = 0
    for line, other_line in zip(lines, other_lines, strict=False):
        if line != other_line:
            break
        count += 1
    return count


_SIGNED_LINE_NUMBER: Final = re2.compile(r"([-+])(\d+)")
"""The two line numbers in the head of a hunk: `-3` and `+3` in `@@ -3,7 +3,8 @@`."""


def _compared_lines(
    before: list[str], after: list[str], *, lines_above: int
) -> list[str]:
    """Return a unified diff of two parts of files, with the line numbers of the whole files.

    Above both parts, the files have `lines_above` lines. If these are 10, the head
    `@@ -3,7 +3,8 @@` becomes `@@ -13,7 +13,8 @@`.
    """

    def number_in_file(match: re2._Match[str]) -> str:
        sign, number = match[1], int(match[2])
        return f"{sign}{number + lines_above}"

    diff = list(difflib.unified_diff(before, after, lineterm="", n=CONTEXT_LINES))
    lines = []
    for line in diff[2:]:  # after the two file names
        if line.startswith("@@"):
            line = _SIGNED_LINE_NUMBER.sub(number_in_file, line)
        lines.append(line)
    return lines
