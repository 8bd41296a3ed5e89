"""Adds calls that list folders or search in files to the evidence of a trial.

They show which files there are, and a search also shows lines of them:

    list("/docs")   -> {"entries": [{"path": "/docs/fees.md"}]}
    search("late")  -> {"matches": [{"path": "/docs/fees.md", "line": 4, "text": "late: 7 EUR"}]}

After the search, an answer may cite `/docs/fees.md` for line 4. After the listing alone, it may not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from controlplane.agent.evidence.paths.known_paths import KnownPaths
from controlplane.agent.evidence.paths.path_texts import PathTexts
from controlplane.agent.evidence.texts.returned_call import ReturnedCall
from controlplane.agent.evidence.texts.words import has_words
from controlplane.gates.paths import canonical
from controlplane.gates.trial import SeenText, TextKind
from controlplane.sandbox.interface import Plain, bounds

# Lines of a file, as the result of a search has them.
#
# An answer may cite a file for the lines that a search has found. A result has a list of matches,
# each with one line or some lines of a file. Items of other forms have nothing that could be cited:
#
#     FoundLines.of({"path": "/a.md", "line": 3, "text": "fee: 7"})
#         -> FoundLines("/a.md", "fee: 7", first_line=3)
#     FoundLines.of({"name": "a.md"})   -> None


@dataclass(frozen=True, slots=True)
class _FoundLines:
    """Adjacent lines of a file."""

    path: str
    text: str
    first_line: int | None
    """The number of the first line, from 1. None if it is not known."""

    @classmethod
    def of(cls, match: object) -> _FoundLines | None:
        """Return the lines in an item of a result's list; None if the item is not a match."""
        if not isinstance(match, dict):
            return None
        path = match.get("path")
        text = match.get("text")
        if not isinstance(path, str) or not isinstance(text, str):
            return None
        if not path.startswith("/") or len(path) > bounds.MOST_PATH_CHARS:
            return None
        # If the text begins before the matching line, the field `first` says where.
        first_line = match.get("first", match.get("line"))
        return cls(path, text, first_line if isinstance(first_line, int) else None)

    @property
    def line_numbers(self) -> tuple[int, ...]:
        """The line numbers as `SeenText` has them: `(3,)` stands for line 3 and those after it.

        Empty if they are not known.
        """
        if self.first_line is None or self.first_line <= 0:
            return ()
        return (self.first_line,)

    def follows(self, earlier: _FoundLines) -> bool:
        """Return True if this text begins on the line after `earlier`, in the same file."""
        if self.path != earlier.path:
            return False
        if self.first_line is None or earlier.first_line is None:
            return False
        # Some servers end each line with its line break, which begins no further line.
        earlier_lines = earlier.text.removesuffix("\n").count("\n") + 1
        return self.first_line == earlier.first_line + earlier_lines


# Reads the lines of files in the result of a search.
#
# Lines that follow each other in a file are joined to one text, because a quotation may run over
# several lines. For a result with the lines 3 (`fee: 7`), 4 (`due: May`) and 9 (`rent: 40`) of `/a.md`:
#
#     FoundLines("/a.md", "fee: 7\ndue: May", first_line=3)
#     FoundLines("/a.md", "rent: 40", first_line=9)


def found_lines(result: Mapping[str, Plain]) -> Iterator[_FoundLines]:
    """Yield the lines in a result. Adjacent lines are joined to one text."""
    adjacent: list[_FoundLines] = []
    for match in _matches(result):
        if adjacent and not match.follows(adjacent[-1]):
            yield _joined(adjacent)
            adjacent = []
        adjacent.append(match)
    if adjacent:
        yield _joined(adjacent)


def _matches(result: Mapping[str, Plain]) -> Iterator[_FoundLines]:
    """Yield the matches in the lists of a result: `{"matches": [...], "count": 3}`."""
    for items in result.values():
        if not isinstance(items, list):
            continue
        for item in items:
            match = _FoundLines.of(item)
            if match is not None:
                yield match


def _joined(adjacent: Sequence[_FoundLines]) -> _FoundLines:
    """Return adjacent lines as one text."""
    text = "\n".join(match.text for match in adjacent)
    return _FoundLines(adjacent[0].path, text, adjacent[0].first_line)


@dataclass(frozen=True, slots=True)
class FileListings:
    """Adds the listings and searches of one trial."""

    known_paths: KnownPaths
    """Learns which files there are."""
    texts: PathTexts
    """Gets the found lines, each at the path of its file."""

    def add(self, call: ReturnedCall) -> tuple[str, ...]:
        """Add a listing or a search. Return earlier paths that turn out to be aliases.

        `/fees.md`, which was read before, is one if only `/docs/fees.md` is listed.
        """
        folder = call.requested_path or "/"
        new_aliases = self.known_paths.learn_listing(folder, call.result)
        shows_lines = call.shown_chars != 0
        if shows_lines:  # The initial prompt may show none of them.
            self._add_found_lines(call.result)
        return new_aliases

    def _add_found_lines(self, result: Mapping[str, Plain]) -> None:
        """Add the lines in the result of a search, each as an excerpt of its file."""
        for found in found_lines(result):
            if has_words(found.text):
                excerpt = SeenText(
                    found.text, TextKind.EXCERPT, lines=found.line_numbers
                )
                self.texts.add_file_text(canonical(found.path), excerpt)
