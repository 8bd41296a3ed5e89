"""The result of a search in files: the matching lines, and how many files were searched.

{
    "matches": [{"path": "/docs/a.md", "line": 12, "text": "at most 3 days"}],
    "truncated": True,
    "searched": "3 of 10 files; narrow it by root or files",
}
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Final

from controlplane.sandbox.files.search.line_matcher import FoundLine
from controlplane.sandbox.files.search.line_search import LineSearch
from controlplane.sandbox.files.search.normal_forms import decoded
from controlplane.sandbox.files.search.shown_lines import Surroundings
from controlplane.sandbox.files.search.text_batches import SearchedText
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.plain_data import Plain

SEARCH_S: Final = 3.0
"""The longest time of one search, because the parent waits for it."""
MOST_MATCHES: Final = 1_200
"""Matches that one search returns."""
MOST_MATCH_CHARS: Final = 600_000
"""Characters of all lines that one search returns.
Even with every character escaped, they fit one message."""
MOST_CONTEXT_LINES: Final = 20
"""The most lines that a search shows before and after
a match. To see more, a script can read the file."""


@dataclass(frozen=True, slots=True)
class ResultForm:
    """How much a search shows, as its caller asked for it."""

    limit: int
    """The most matches; 0 for `MOST_MATCHES`."""
    context: int
    """Lines before and after each match."""
    files_only: bool
    """Show only the first match of each file."""

    @property
    def most_matches(self) -> int:
        return self.limit if 0 < self.limit < MOST_MATCHES else MOST_MATCHES

    @property
    def context_lines(self) -> int:
        return max(0, min(self.context, MOST_CONTEXT_LINES))


def search_files(
    search: LineSearch,
    texts: Iterable[SearchedText],
    file_count: int,
    form: ResultForm,
) -> dict[str, Plain]:
    """Search the texts of `file_count` files until a limit of time or size is reached.

    Returns `matches`, `truncated` (True if not all could be searched) and `searched`, a
    text that says how many files were.
    """
    shown = ShownMatches(form)
    searched_files = 0
    # A quick search of all texts sets `may_match`, so that most need not be searched by lines.
    for text in search.prefiltered(texts):
        if text.may_match:
            shown.add(text, search.lines_of(text.text))
        if shown.is_full or search.is_late:
            break
        searched_files += 1

    is_cut = searched_files < file_count
    report = f"{searched_files:,} of {file_count:,} files"
    if is_cut:
        report += "; narrow it by root or files"
    if search.may_have_missed_match:
        report += (
            f"; lines of more than {bounds.MOST_SEARCHED_LINE_BYTES:,} bytes were searched in "
            "parts, so that longer matches are not found"
        )
    return {
        "matches": shown.matches,
        "truncated": is_cut or search.may_have_missed_match,
        "searched": report,
    }


class ShownMatches:
    """Collects the matches of a search, as many as one result can hold."""

    def __init__(self, form: ResultForm) -> None:
        self._form = form
        self.matches: list[Plain] = []
        """One mapping a match: `{"path": "/docs/a.md", "line": 12, "text": "at most 3 days"}`."""
        self.is_full = False
        """True if a match was left out because the result was full. Then the search can end."""
        self._remaining_chars = MOST_MATCH_CHARS
        """Characters of lines for which there is still room."""

    def add(self, text: SearchedText, lines: Iterable[FoundLine]) -> None:
        """Add the matching lines of a file, until there is no room."""
        if self._form.files_only:
            lines = islice(lines, 1)
        for match in _matches_to_show(text, lines, self._form.context_lines):
            text_chars = len(str(match["text"]))
            has_room = text_chars <= self._remaining_chars
            if not has_room or len(self.matches) >= self._form.most_matches:
                self.is_full = True
                return
            self._remaining_chars -= text_chars
            self.matches.append(match)


def _matches_to_show(
    text: SearchedText, lines: Iterable[FoundLine], context_lines: int
) -> Iterable[dict[str, Plain]]:
    """Yield the matching lines of a file with their context. No line is shown twice."""
    surroundings = Surroundings(text.text, context_lines)
    for line in lines:
        match: dict[str, Plain] = {
            "path": text.path,
            "line": line.number,
            "text": line.text,
        }
        if line.offset is not None:
            # The text is an excerpt of a long line. It is shown without other lines, and with the
            # character of the file at which a script can read on.
            match["char"] = _char_of(text.text, line.number, line.offset)
        elif context_lines:
            passage = surroundings.next_passage(line.number)
            if passage is None:
                continue  # The passages of earlier matches show this line and its context.
            match["first"] = passage.first_line
            match["text"] = passage.text
        yield match


def _char_of(text: bytes, line_number: int, offset: int) -> int:
    """Return the number of the character (from 1, in the whole text) at a byte offset of a line.

    In `"é\\nab".encode()`, offset 1 of line 2 is the `b`: 4.
    """
    # 1. Find the byte at which the line starts, behind `line_number - 1` line feeds.
    line_start = 0
    for _ in range(line_number - 1):
        line_start = text.find(b"\n", line_start) + 1

    # 2. Count the characters before the position. The next one is the character asked for.
    before = decoded(text[: line_start + offset])
    return len(before) + 1
