"""Finds the passages of a text in which a value may be, to show its sentence in a message.

A text may be long, and each check whether a passage has a value is slow. So for the value
`GB33BUKB2020`, only the passages with these letters are returned. For `2026-05-15`, these are all
lines, because a text may write it in another way: `15 May 2026`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from controlplane.agent.evidence.origins.value_sentence import MAX_SENTENCE_CHARS

MAX_PASSAGES: Final = 50
"""How many passages with the letters of a value are examined. Most of them
may not have the value: the letters `a1` are also in `a10` and `data1`."""
MAX_SEARCHED_CHARS: Final = 50_000
"""The longest text, in characters, that is searched for
other spellings of a value. This takes about 0.1 s."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A line of a text, or a part of one."""

    line_number: int
    """The number of the line, from 1."""
    text: str


def passages_to_search(text: str, spelling: str) -> Iterable[Passage]:
    """Return the passages of a text in which a value with this spelling may be.

    If the text has the spelling, which is in lower case, these are the passages with it, at most
    50. Otherwise the text writes the value in another way, such as `15 May 2026` for
    `2026-05-15`, which may be in any line. But in a long text, it would take too long to search.
    """
    if spelling and spelling in text.casefold():
        return islice(_passages_with(spelling, text), MAX_PASSAGES)
    if len(text) <= MAX_SEARCHED_CHARS:
        return _lines(text)
    return ()


def _lines(text: str) -> Iterator[Passage]:
    """Yield the lines of a text with their numbers."""
    for number, line in enumerate(text.split("\n"), start=1):
        yield Passage(number, line)


def _passages_with(spelling: str, text: str) -> Iterator[Passage]:
    """Yield what is around each occurrence of a spelling: up to 300 characters on either side.

    A message shows at most 300 characters.
    """
    for number, line in enumerate(text.split("\n"), start=1):
        folded_line = line.casefold()
        position = folded_line.find(spelling)
        while position >= 0:
            # This is the position in `line`, too, unless a letter before it has become longer,
            # as `ß` becomes `ss`. The passage then begins a little too late, but has the value.
            start = max(position - MAX_SENTENCE_CHARS, 0)
            end = position + len(spelling)
            yield Passage(number, line[start : end + MAX_SENTENCE_CHARS])
            position = folded_line.find(spelling, end)
