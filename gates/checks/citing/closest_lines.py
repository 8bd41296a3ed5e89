"""Finds the lines of a cited file that share most words with the reason for the citation.

If a reason names nothing that is in the file, the message shows these lines, from which the script
may take a better reason.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from controlplane.gates.boilerplate import is_boilerplate
from controlplane.gates.quoting import quote
from controlplane.gates.support.sources.places import LineNumbers
from controlplane.gates.support.sources.sources import Source
from controlplane.gates.text_folding import fold_text, parts_of
from controlplane.gates.trial.seen_text import SeenText
from controlplane.sandbox.interface import bounds

MOST_SHOWN_LINES: Final = 3
"""A message shows at most this many lines that are similar to the reason."""
SHOWN_LINE_CHARS: Final = 100
"""A message shows at most this many characters of each line."""


def closest_lines(reason: str, texts: Iterable[SeenText]) -> str:
    """Return a sentence with the lines that share most words with a reason, or "".

    " Closest: line 3 `order 17 paid`; line 9 `order 18 open`." If no line shares a word, the
    first lines show at least what the file is about.
    """
    words = {word for word in parts_of(fold_text(reason)) if not is_boilerplate(word)}
    lines: list[_ScoredLine] = []
    for seen in texts:
        lines += _scored_lines(seen, words)
    if not lines:
        return ""
    lines.sort(key=lambda line: (-line.shared_words, line.number, line.text))
    shown = "; ".join(line.quoted for line in lines[:MOST_SHOWN_LINES])
    return f" Closest: {shown}."


@dataclass(frozen=True, slots=True)
class _ScoredLine:
    """A line of a file, with the number of words that it shares with a reason."""

    shared_words: int
    number: int
    """Its line number in the file; 0 if the number is unknown."""
    text: str

    @property
    def quoted(self) -> str:
        """The line as a message shows it: "line 3 `order 17; paid`"."""
        text = quote(self.text, SHOWN_LINE_CHARS)
        return f"line {self.number} {text}" if self.number else text


def _scored_lines(seen: SeenText, words: set[str]) -> list[_ScoredLine]:
    """Return every line of a text that is not blank, with how many of the words it has."""
    text = seen.text[: bounds.MOST_RECORD_CHARS]
    # The text may be a part of the file, so its lines have other numbers there.
    source = Source("", text, LineNumbers(seen.lines))
    lines: list[_ScoredLine] = []
    for index, line in enumerate(source.lines):
        if line.strip():
            shared_words = len(words.intersection(parts_of(fold_text(line))))
            number = source.place(index).line  # in the file
            lines.append(_ScoredLine(shared_words, number, line.strip()))
    return lines
