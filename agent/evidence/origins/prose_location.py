"""Finds the place and the sentence of a value in running text, to show them in messages.

The call `send_money(recipient="GB33BUKB20201555555555")` may be held because only a mail has the
account. The message says where: `/mail/7.md, line 3`, “Please pay 420 to GB33 BUKB 2020 1555
5555 55.” If the search would take too long, it names the mail alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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
    for passage in _passages_to_search(known.text, value.text.casefold()):
        if has_value(passage.text, value):
            place = known.place
            if known.path:
                place += f", line {passage.line}"
            return Location(place, sentence_with(value, passage.text))
    return Location(known.place)


def _passages_to_search(text: str, spelling: str) -> Iterable[_Passage]:
    """Return the passages of a text in which a value with this spelling may be.

    | the text | passages |
    |---|---|
    | has the spelling | those with the spelling, at most 50 |
    | has it not, but it may have another: `15 May 2026` for `2026-05-15` | all lines |
    | the same, but it is long | none, as this takes too long |
    """
    if spelling and spelling in text.casefold():
        return islice(_passages_with(spelling, text), MAX_PASSAGES)
    if len(text) <= MAX_SEARCHED_CHARS:
        return _lines(text)
    return ()


def _lines(text: str) -> Iterator[_Passage]:
    """Yield the lines of a text with their numbers."""
    for number, line in enumerate(text.split("\n"), start=1):
        yield _Passage(number, line)


def _passages_with(spelling: str, text: str) -> Iterator[_Passage]:
    """Yield a passage around each occurrence of a spelling in a text.

    A passage begins 300 characters before the spelling, and ends 300 characters behind it. This
    is more than enough for the value: its position in the line may differ a little from that
    in lower case, in which it is searched, since `ß` becomes `ss`.
    """
    for number, line in enumerate(text.split("\n"), start=1):
        folded = line.casefold()
        position = folded.find(spelling)
        while position >= 0:
            start = max(position - MAX_SENTENCE_CHARS, 0)
            end = position + len(spelling)
            yield _Passage(number, line[start : end + MAX_SENTENCE_CHARS])
            position = folded.find(spelling, end)
