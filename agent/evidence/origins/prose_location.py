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

from controlplane.agent.evidence.origins.argument_origin import Location
from controlplane.agent.evidence.origins.known_text import KnownText
from controlplane.agent.evidence.origins.values.argument_value import ArgumentValue
from controlplane.agent.evidence.origins.values.numeric_keys import (
    SmallNumbers,
    keys_of_numbers,
)
from controlplane.agent.evidence.origins.values.value_keys import is_phrase
from controlplane.agent.evidence.origins.values.word_keys import keys_of_words
from controlplane.agent.evidence.texts.words import phrase_of

MAX_SENTENCE_CHARS: Final = 300
"""How many characters of a sentence a message shows."""


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
        if _has_value(passage.text, value):
            place = known.place
            if known.path:
                place += f", line {passage.line}"
            return Location(place, _sentence_with(value, passage.text))
    return Location(known.place)


def _lines(text: str) -> Iterator[_Passage]:
    """Yield the lines of a text with their numbers."""
    for number, line in enumerate(text.split("\n"), start=1):
        yield _Passage(number, line)


def _passages_with(spelling: str, text: str) -> Iterator[_Passage]:
    """Yield a passage around each occurrence of a spelling in a text.

    The spelling is in lower case, and is found in upper case, too. It is searched in lines
    in lower case, which may be longer (`ß` becomes `ss`). So a position is not exact, but
    the passage is 300 characters wider on each side.
    """
    for number, line in enumerate(text.split("\n"), start=1):
        folded = line.casefold()
        position = folded.find(spelling)
        while position >= 0:
            start = max(position - MAX_SENTENCE_CHARS, 0)
            end = position + len(spelling)
            yield _Passage(number, line[start : end + MAX_SENTENCE_CHARS])
            position = folded.find(spelling, end)


def _has_value(text: str, value: ArgumentValue) -> bool:
    """Return True if a text has one of a value's keys, which all its spellings share.

    `2026-05-15` is found in `on 15 May 2026`, and the phrase ` ann miller ` in `Dear Ann Miller`.
    """
    for key in value.keys:
        if is_phrase(key) and key in phrase_of(text):
            return True
    # As in all running text, small numbers count only if they stand alone, as in `pay 30`.
    keys = keys_of_words(text) | keys_of_numbers(text, SmallNumbers.STANDALONE)
    return not keys.isdisjoint(value.keys)


def _sentence_with(value: ArgumentValue, line: str) -> str:
    """Return the sentence of a line that contains a value; the whole line if no sentence does."""
    for sentence in _sentences(line):
        if _has_value(sentence, value):
            return _shortened_around(value, sentence)
    return _shortened_around(value, line)


def _sentences(line: str) -> Iterable[str]:
    """Return the sentences of a line: `Hi! Please pay 420.` -> `Hi!`, `Please pay 420.`"""
    for mark in ".!?;":
        line = line.replace(f"{mark} ", f"{mark}\n")
    return line.split("\n")


def _shortened_around(value: ArgumentValue, sentence: str) -> str:
    """Return a sentence, or the part of a long one around a value: `…pay 420 to GB33 before…`."""
    sentence = sentence.strip()
    if len(sentence) <= MAX_SENTENCE_CHARS:
        return sentence
    position = sentence.casefold().find(value.text.casefold())
    # Show the value in the middle. If it is spelled differently (-1), show the beginning.
    start = max(position - MAX_SENTENCE_CHARS // 2, 0)
    end = start + MAX_SENTENCE_CHARS
    shown = sentence[start:end]
    if start > 0:
        shown = f"…{shown}"
    if end < len(sentence):
        shown = f"{shown}…"
    return shown
