"""Finds the sentence of a line that has a value, to show it in a message.

In the line `Hi Bob! Please pay 420 to GB33 BUKB 2020 1555 5555 55.`, the value
`GB33BUKB20201555555555` has the second sentence. A long sentence is cut around the value.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from controlplane.agent.evidence.origins.values.argument_value import ArgumentValue
from controlplane.agent.evidence.origins.values.keys import is_phrase
from controlplane.agent.evidence.origins.values.numeric_keys import keys_of_numbers
from controlplane.agent.evidence.origins.values.small_numbers import SmallNumbers
from controlplane.agent.evidence.origins.values.word_keys import keys_of_words
from controlplane.agent.evidence.texts.words import phrase_of

MAX_SENTENCE_CHARS: Final = 300
"""How many characters of a sentence a message shows."""


def has_value(text: str, value: ArgumentValue) -> bool:
    """Return True if a text has one of a value's keys, which all its spellings share.

    `2026-05-15` is found in `on 15 May 2026`, and the phrase ` ann miller ` in `Dear Ann Miller`.
    """
    for key in value.keys:
        if is_phrase(key) and key in phrase_of(text):
            return True
    # As in all running text, small numbers count only if they stand alone, as in `pay 30`.
    keys = keys_of_words(text) | keys_of_numbers(text, SmallNumbers.STANDALONE)
    return not keys.isdisjoint(value.keys)


def sentence_with(value: ArgumentValue, line: str) -> str:
    """Return the sentence of a line that contains a value; the whole line if no sentence does."""
    for sentence in _sentences(line):
        if has_value(sentence, value):
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
