"""Finds the place and the sentence of a value in running text, to show them in messages.

The call `send_money(recipient="GB33BUKB20201555555555")` may be held because only a mail has the
account. The message says where: `/mail/7.md, line 3`, “Please pay 420 to GB33 BUKB 2020 1555
5555 55.” If the search would take too long, it names the mail alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from controlplane.agent.evidence.origins.finding import Location
from controlplane.agent.evidence.origins.known_text import KnownText
from controlplane.agent.evidence.origins.value_sentence import (
    MAX_SENTENCE_CHARS,
    has_value,
    sentence_with,
)
from controlplane.agent.evidence.origins.values.argument_value import ArgumentValue


@dataclass(frozen=True, slots=True)
class _Passage:
    """A line of a text, or a part of one."""

    line: int
    """The number of the line, from 1."""
    text: str


MAX_PASSAGES: Final = 50
"""How many passages with the letters of a value are examined. Most of them
may not have the value: the letters `a1` are also in `a10` and `data1`."""
MAX_SEARCHED_CHARS: Final = 50_000
"""The longest text, in characters, that is searched for
other spellings of a value. This takes about 0.1 s."""


def locate(known: KnownText, value: ArgumentValue) -> Location:
    """Return where a value is in a text that has it: `/mail/7.md, line 3`, with the sentence.

    Only the name of the text is returned, `/mail/7.md`, if the search would take too long.
    """
    passages: Iterator[_Passage]
    spelling = value.text.casefold()
    if spelling and spelling in known.text.casefold():
        passages = islice(_passages_with(spelling, known.text), MAX_PASSAGES)
    elif len(known.text) <= MAX_SEARCHED_CHARS:
        # Another spelling, such as `15 May 2026` for `2026-05-15`, may be anywhere.
        passages = _lines(known.text)
    else:
        return Location(known.place)

    for passage in passages:
        if has_value(passage.text, value):
            place = known.place
            if known.path:
                place += f", line {passage.line}"
            return Location(place, sentence_with(value, passage.text))
    return Location(known.place)


def _lines(text: str) -> Iterator[_Passage]:
    """Yield the lines of a text with their numbers."""
    for number, line in enumerate(text.split("\n"), start=1):
        yield _Passage(number, line)


def _passages_with(spelling: str, text: str) -> Iterator[_Passage]:
    """Yield a passage around each occurrence of a spelling in a text.

    The spelling is in lower case, and so are the lines in which it is searched. A line may
    become longer in lower case (`ß` becomes `ss`). So the position may be too high, but the
    passage begins 300 characters before it, and ends 300 characters behind the spelling.
    """
    for number, line in enumerate(text.split("\n"), start=1):
        folded = line.casefold()
        position = folded.find(spelling)
        while position >= 0:
            start = max(position - MAX_SENTENCE_CHARS, 0)
            end = position + len(spelling)
            yield _Passage(number, line[start : end + MAX_SENTENCE_CHARS])
            position = folded.find(spelling, end)
