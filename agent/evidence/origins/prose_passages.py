"""Finds the passages of a text in which a value may be, to show its sentence in a message.

A text may be long, and each check whether a passage has a value is slow. So if the text has the
value as the call spells it, only what is around it is searched. In a mail with `Pay 420 to GB33.`
in its second line, this is, for the value `gb33`,

    Passage(line_number=2, text="Pay 420 to GB33.")

Otherwise, the text has another spelling, such as `15 May 2026` for `2026-05-15`. It may be in any
line, so all are searched.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from controlplane.agent.evidence.origins.sentences import MAX_SENTENCE_CHARS

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
    """Return the passages of a text in which a value may be that a call spells like this.

    There are none if the text lacks this spelling, and is too long to search for others.
    """
    folded_spelling = spelling.casefold()  # in lower case
    if folded_spelling and folded_spelling in text.casefold():
        return islice(_passages_with(folded_spelling, text), MAX_PASSAGES)
    if len(text) <= MAX_SEARCHED_CHARS:
        return _lines(text)
    return ()


def _lines(text: str) -> Iterator[Passage]:
    """Yield the lines of a text with their numbers."""
    for number, line in enumerate(text.split("\n"), start=1):
        yield Passage(number, line)


def _passages_with(folded_spelling: str, text: str) -> Iterator[Passage]:
    """Yield what is around each occurrence of a spelling: up to 300 characters on either side.

    A message shows at most 300 characters.
    """
    for number, line in enumerate(text.split("\n"), start=1):
        folded_line = line.casefold()
        position = folded_line.find(folded_spelling)
        while position >= 0:
            # In `line`, the value may be a little further left: in lower case, `ß` is `ss`. It is
            # in the passage all the same, which has 300 characters more on either side.
            start = max(position - MAX_SENTENCE_CHARS, 0)
            end = position + len(folded_spelling)
            yield Passage(number, line[start : end + MAX_SENTENCE_CHARS])
            position = folded_line.find(folded_spelling, end)
