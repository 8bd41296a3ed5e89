"""Reads which paths a workspace's rules name, and with which words: `Cars: /docs/parking.md`.

A request about a car can then be sent to `/docs/parking.md`, even if this document only
speaks of vehicles.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

import re2

from controlplane.sandbox.files.text_words import words_of

PUNCTUATION_TO_BLANKS: Final = str.maketrans(
    dict.fromkeys("`'\"()[]{}<>,;:!?*#|=+&%$@~^\\", " ")
)
"""Translates the punctuation around paths and names to blanks."""
MIN_ROUTED_PATHS: Final = 3
"""A passage of the rules with this many paths counts as a table of contents.
A word that describes this many paths is too general to tell them apart."""
_NO_MARKUP: Final = str.maketrans(dict.fromkeys("`*_"))
_PASSAGE: Final = re2.compile(r"\n\s*\n|\n\s*(?:[-*#]|\d+[.)])\s|\n\*\*")
"""Matches the start of a paragraph, list item or heading."""


def paths_in(text: str) -> list[str]:
    """Return the absolute paths that a text names, in order."""
    paths: list[str] = []
    for token in text.translate(PUNCTUATION_TO_BLANKS).split():
        if token.startswith("/") and token[1:2].isalnum():
            paths.append(token.rstrip("./-"))
    return paths


def descriptions_in(rules: str) -> dict[str, str]:
    """Return the words with which the rules describe each path.

    `Cars: /docs/parking.md. Keys: /docs/locks.md. Books: /docs/loans.md.` ->
    `{"/docs/parking.md": "cars", "/docs/locks.md": "keys", "/docs/loans.md": "books"}`

    Only passages with at least `MIN_ROUTED_PATHS` paths count. The words
    of a path are those of its sentence, in lower case, including those of another path in
    it. Words that many paths share, such as `records under`, are left out.
    """
    words_for: dict[str, list[str]] = {}
    for passage in _PASSAGE.split(rules):
        text = " ".join(passage.translate(_NO_MARKUP).split())
        if len(set(paths_in(text))) < MIN_ROUTED_PATHS:
            continue
        for part in _parts_of(text):
            for path in paths_in(part):
                words = words_for.setdefault(path, [])
                text_beside_path = part.replace(path, " ")
                words += words_of(text_beside_path)

    counts = Counter[str]()
    for words in words_for.values():
        counts.update(set(words))
    descriptions: dict[str, str] = {}
    for path, words in words_for.items():
        specific_words = [word for word in words if counts[word] < MIN_ROUTED_PATHS]
        descriptions[path] = " ".join(specific_words)
    return descriptions


def _parts_of(passage: str) -> list[str]:
    """Return the sentences of a passage, which end at a full stop or a semicolon.

    A sentence with several paths is also split at its commas.
    """
    parts: list[str] = []
    for sentence in passage.replace("; ", ". ").split(". "):
        if len(paths_in(sentence)) > 1:
            parts += sentence.split(", ")
        else:
            parts.append(sentence)
    return parts
