"""Reads what a workspace's rules say about each path: `Cars: /docs/parking.md`.

A request about a car then leads to `/docs/parking.md`, even if this document only speaks of
vehicles.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

import re2

from controlplane.agent.retrieval.written_paths import paths_in
from controlplane.sandbox.files.text_words import words_of

MIN_CONTENTS_PATHS: Final = 3
"""A passage of the rules with this many paths counts as a table of contents."""
MAX_SHARED_PATHS: Final = 2
"""A word that describes more paths than this is too general to tell them apart."""
_MARKUP: Final = str.maketrans(dict.fromkeys("`*_"))
"""Removes the characters of markup: `**Cars**` -> `Cars`."""
_PASSAGE_BREAK: Final = re2.compile(
    r"\n\s*\n"  # an empty line
    r"|\n\s*(?:[-*#]|\d+[.)])\s"  # a list item or a heading: `- `, `2. `, `# `
    r"|\n\*\*"  # a line that begins with bold text: `**Cars**`
)
"""Matches what stands between two passages of the rules."""


def descriptions_in(rules: str) -> dict[str, str]:
    """Return the words with which the rules describe each path, in lower case.

    `Cars: /docs/parking.md. Keys: /docs/locks.md. Books: /docs/loans.md.` ->
    `{"/docs/parking.md": "cars", "/docs/locks.md": "keys", "/docs/loans.md": "books"}`

    Words that many paths share, such as `records` and `under`, are left out.
    """
    words_by_path = _words_by_path(rules)
    path_counts = Counter[str]()  # how many paths a word describes
    for words in words_by_path.values():
        path_counts.update(set(words))
    descriptions: dict[str, str] = {}
    for path, words in words_by_path.items():
        specific = [word for word in words if path_counts[word] <= MAX_SHARED_PATHS]
        descriptions[path] = " ".join(specific)
    return descriptions


def _words_by_path(rules: str) -> dict[str, list[str]]:
    """Return the words that stand in one sentence with each path, in tables of contents."""
    words_by_path: dict[str, list[str]] = {}
    for passage in _PASSAGE_BREAK.split(rules):
        text = " ".join(passage.translate(_MARKUP).split())
        if len(set(paths_in(text))) < MIN_CONTENTS_PATHS:
            continue
        for sentence in _sentences_of(text):
            for path in paths_in(sentence):
                words = words_by_path.setdefault(path, [])
                words += words_of(sentence.replace(path, " "))
    return words_by_path


def _sentences_of(passage: str) -> list[str]:
    """Return the sentences of a passage; one with several paths is also split at its commas.

    `Cars: /a.md, keys: /b.md; Books: /c.md` -> `Cars: /a.md`, `keys: /b.md`, `Books: /c.md`
    """
    sentences: list[str] = []
    for sentence in passage.replace("; ", ". ").split(". "):
        if len(paths_in(sentence)) > 1:
            sentences += sentence.split(", ")
        else:
            sentences.append(sentence)
    return sentences
