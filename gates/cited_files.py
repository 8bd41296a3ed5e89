"""What a cited file contains: values, counts of lines and rows, words.

Gate 5 compares it with the reason that a script gives for the citation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.gates.accesses import Access, SeenText
from controlplane.gates.records import parse
from controlplane.gates.submission import quote
from controlplane.gates.support.sources.places import LineNumbers
from controlplane.gates.support.sources.sources import Source
from controlplane.gates.support.stated_values import states_value
from controlplane.gates.text_folding import (
    bare_text,
    fold_text,
    index_of,
    is_boilerplate,
    parts_of,
)
from controlplane.gates.values.value_kinds import LAST_BEFORE_CJK, WrittenValue
from controlplane.sandbox.interface import bounds

LEAST_WORDS: Final = 2
"""A reason must share this many different words with the file, or all if it has fewer.

A single shared word may be a coincidence.
"""
LEAST_CJK_CHARS: Final = 4
"""A reason in Chinese or Japanese must share this many consecutive characters with the file.

These languages are written without spaces, so no words are compared.
"""
MOST_SHOWN_LINES: Final = 3
"""A message shows at most this many lines that are similar to the reason."""
SHOWN_LINE_CHARS: Final = 100
"""A message shows at most this many characters of each line."""


@dataclass(frozen=True, slots=True)
class CitedFile:
    """A file that an answer cites, with what was seen of it.

    `access.given_texts` are the texts that the environment gave, without those that the
    script itself wrote.
    """

    path: str
    access: Access

    @property
    def is_unknown_or_empty(self) -> bool:
        """True if no text of the file was seen, or one of the texts is whole and empty."""
        if not self.access.seen:
            return True
        given = self.access.given_texts
        return any(seen.is_whole and not seen.text.strip() for seen in given)

    def states_any(self, values: Iterable[WrittenValue]) -> bool:
        """Return True if the file states one of the values, or has as many lines or rows."""
        return any(self._has_count(value) or self._states(value) for value in values)

    def _has_count(self, value: WrittenValue) -> bool:
        count = value.canonical
        return count.isdigit() and count in self._counts()

    def _counts(self) -> set[str]:
        """Return how many lines and rows each text of the file has, as digits: {"41", "40"}."""
        counts: set[str] = set()
        for seen in self.access.given_texts:
            counts.add(str(seen.text.count("\n") + 1))
            # A column has a cell in each row; a key of JSON may be left out.
            cells = Counter(column for column, _ in parse(seen.text, self.path))
            if cells:
                counts.add(str(max(cells.values())))
        return counts

    def _states(self, value: WrittenValue) -> bool:
        """Return True if a text has a value that the call did not have already.

        `tainted` are the words of the call: a search for `36` prints a line `36: not found`.
        """
        for seen in self.access.given_texts:
            is_repeated = seen.tainted != "" and states_value(seen.tainted, value)
            if not is_repeated and states_value(seen.text, value):
                return True
        return False

    def shares_words(self, words: Sequence[str]) -> bool:
        """Return True if the file contains enough of the words.

        Enough are `LEAST_WORDS`, or all if there are fewer, or a single one in a heading.
        """
        texts = self._comparable_texts
        shared = [word for word in words if any(seen.holds(word) for seen in texts)]
        if not shared:
            return False
        if len(shared) >= LEAST_WORDS or len(shared) == len(words):
            return True
        headings = [_headings_of(seen.text, self.path) for seen in texts]
        index = index_of("\n".join(headings))
        return any(index.holds(word) for word in shared)

    @property
    def _comparable_texts(self) -> tuple[SeenText, ...]:
        """The texts with which words are compared.

        Text that the script wrote counts only if the file existed before: the reason
        may then describe the change. In a new file, all words are the script's own.
        """
        if self.access.had_text_before_writing:
            return self.access.seen
        return self.access.given_texts

    def shares_cjk_text(self, reason: str) -> bool:
        """Return True if the file and a Chinese or Japanese reason share a piece of text.

        The piece has `LEAST_CJK_CHARS` characters: these languages separate no words.
        """
        pieces = _cjk_pieces(bare_text(reason))  # without blanks and accents
        if not pieces:
            return False
        for seen in self.access.given_texts:
            text = bare_text(seen.text)
            if any(piece in text for piece in pieces):
                return True
        return False

    def closest_lines(self, reason: str) -> str:
        """Return a sentence with the lines that share most words with a reason, or "".

        " Closest: line 3 `order 17 paid`; line 9 `order 18 open`."
        """
        words = {
            word for word in parts_of(fold_text(reason)) if not is_boilerplate(word)
        }
        lines: list[_ScoredLine] = []
        for seen in self.access.given_texts:
            lines += _scored_lines(seen, words)
        if not lines:
            return ""
        lines.sort(key=lambda line: (-line.shared_words, line.number, line.text))
        shown = "; ".join(line.quoted for line in lines[:MOST_SHOWN_LINES])
        return f" Closest: {shown}."


def _headings_of(text: str, path: str) -> str:
    """Return the headings of a text, one per line.

    These are its first line, its Markdown headings, and its names of fields or columns.
    """
    first_line, *lines = text.split("\n")
    markdown = [line for line in lines if line.startswith("#")]
    names = [name for name, _ in parse(text, path)]
    return "\n".join([first_line, *markdown, *names])


def _cjk_pieces(reason: str) -> set[str]:
    """Return the pieces of a reason in Chinese or Japanese, four characters from each place on.

    `貸出記録を確認` -> `貸出記録`, `出記録を`, `記録を確`, `録を確認`. A shorter reason is one piece.
    """
    if reason.isascii():
        return set()
    last_start = max(len(reason) - LEAST_CJK_CHARS, 0)
    pieces = {
        reason[start : start + LEAST_CJK_CHARS] for start in range(last_start + 1)
    }
    return {piece for piece in pieces if piece[0] > LAST_BEFORE_CJK}  # by code point


@dataclass(frozen=True, slots=True)
class _ScoredLine:
    """A line of a file, with the number of words that it shares with a reason."""

    shared_words: int
    number: int
    """Its line number in the file; 0 if the number is unknown."""
    text: str

    @property
    def quoted(self) -> str:
        text = quote(self.text, SHOWN_LINE_CHARS)
        return f"line {self.number} {text}" if self.number else text


def _scored_lines(seen: SeenText, words: set[str]) -> list[_ScoredLine]:
    """Return every line of a text that is not blank, with how many of the words it has."""
    text = seen.text[: bounds.MOST_RECORD_CHARS]
    source = Source("", text, LineNumbers(seen.lines))
    lines: list[_ScoredLine] = []
    for index, line in enumerate(source.lines):
        if line.strip():
            shared_words = len(words.intersection(parts_of(fold_text(line))))
            number = source.place(index).line
            lines.append(_ScoredLine(shared_words, number, line.strip()))
    return lines
