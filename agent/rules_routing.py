"""Where the rules of a workspace lead: the paths that they name, and the words that they have for each."""

from __future__ import annotations

from collections import Counter
from typing import Final

import re2

from controlplane.sandbox.files.word_ranking import words_of

BETWEEN_NAMES: Final = str.maketrans(dict.fromkeys("`'\"()[]{}<>,;:!?*#|=+&%$@~^\\", " "))
"""The marks between paths and names, as blanks."""
MIN_ROUTED_PATHS: Final = 3
"""A passage of the rules with fewer paths leads nowhere: it says something about these paths."""
_NO_MARKUP: Final = str.maketrans(dict.fromkeys("`*_"))
_PASSAGE: Final = re2.compile(r"\n\s*\n|\n\s*(?:[-*#]|\d+[.)])\s|\n\*\*")
"""The begin of a paragraph, list item or heading."""


def paths_in(text: str) -> list[str]:
    """Return the absolute paths that a text names, in their order."""
    paths: list[str] = []
    for token in text.translate(BETWEEN_NAMES).split():
        if token.startswith("/") and token[1:2].isalnum():
            paths.append(token.rstrip("./-"))
    return paths


def subjects_of(rules: str) -> dict[str, str]:
    """Return the words that the rules have for each path in a passage that leads to several paths, lines joined.

    These are the words of the path's part of the passage: up to a full stop or semicolon, or to a comma if the part
    names several paths. Words that several paths share, such as `records under`, say nothing about any of them.
    """
    words_for: dict[str, list[str]] = {}
    for passage in _PASSAGE.split(rules):
        text = " ".join(passage.translate(_NO_MARKUP).split())
        if len(set(paths_in(text))) < MIN_ROUTED_PATHS:
            continue
        for part in _parts_of(text):
            for path in paths_in(part):
                words = words_for.setdefault(path, [])
                words += words_of(part.replace(path, " "))

    counts = Counter[str]()
    for words in words_for.values():
        counts.update(set(words))
    subjects: dict[str, str] = {}
    for path, words in words_for.items():
        own_words = [word for word in words if counts[word] < MIN_ROUTED_PATHS]
        subjects[path] = " ".join(own_words)
    return subjects


def _parts_of(passage: str) -> list[str]:
    """Return the sentences of a passage; a sentence with several paths is split at its commas."""
    parts: list[str] = []
    for sentence in passage.replace("; ", ". ").split(". "):
        if len(paths_in(sentence)) > 1:
            parts += sentence.split(", ")
        else:
            parts.append(sentence)
    return parts
