"""Cuts a line of text into sentences, and a long sentence around the words that matter.

A message about a call shows the sentence of a mail that has the account of the call:

    sentences_of("Hi Bob! Please pay 420 to GB33.")    -> ["Hi Bob!", "Please pay 420 to GB33."]
"""

from __future__ import annotations

from typing import Final

MAX_SENTENCE_CHARS: Final = 300
"""How many characters of a sentence a message shows."""


def sentences_of(line: str) -> list[str]:
    """Return the sentences of a line."""
    for mark in ".!?;":
        line = line.replace(f"{mark} ", f"{mark}\n")
    return line.split("\n")


def shortened_around(words: str, sentence: str) -> str:
    """Return a sentence, or 300 characters of a longer one: `…and pay 420 to GB33 before…`.

    The words are in the middle. If the sentence spells them in another way, its beginning is shown.
    """
    sentence = sentence.strip()
    if len(sentence) <= MAX_SENTENCE_CHARS:
        return sentence
    position = sentence.casefold().find(words.casefold())  # -1 for another spelling
    start = max(position - MAX_SENTENCE_CHARS // 2, 0)
    end = start + MAX_SENTENCE_CHARS
    shown = sentence[start:end]
    if start > 0:
        shown = f"…{shown}"
    if end < len(sentence):
        shown = f"{shown}…"
    return shown
