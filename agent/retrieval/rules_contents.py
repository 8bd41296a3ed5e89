"""Reads tables of contents in a workspace's rules: passages that name files by their subjects.

`Cars: /docs/parking.md, keys: /docs/locks.md. Books: /docs/loans.md.` ->

    {"/docs/parking.md": ["cars"], "/docs/locks.md": ["keys"], "/docs/loans.md": ["books"]}

Passages with fewer paths are rules, whose words may say anything about a path.
"""

from __future__ import annotations

from typing import Final

import re2

from controlplane.agent.retrieval.written_paths import paths_in
from controlplane.sandbox.files.text_words import words_of

MIN_CONTENTS_PATHS: Final = 3
"""A passage of the rules with this many paths counts as a table of contents."""
_MARKUP: Final = str.maketrans(dict.fromkeys("`*_"))
"""Removes the characters of markup: `**Cars**` -> `Cars`."""
_PASSAGE_BREAK: Final = re2.compile(
    r"\n\s*\n"  # an empty line
    r"|\n\s*(?:[-*#]|\d+[.)])\s"  # a list item or a heading: `- `, `2. `, `# `
    r"|\n\*\*"  # a line that begins with bold text: `**Cars**`
)
"""Matches what stands between two passages of the rules."""


def words_by_path(rules: str) -> dict[str, list[str]]:
    """Return the words that stand in one sentence with each path, in tables of contents."""
    words_of_paths: dict[str, list[str]] = {}
    for passage in _PASSAGE_BREAK.split(rules):
        text = " ".join(passage.translate(_MARKUP).split())
        if len(set(paths_in(text))) < MIN_CONTENTS_PATHS:
            continue
        for sentence in _sentences_of(text):
            for path in paths_in(sentence):
                words = words_of_paths.setdefault(path, [])
                words += words_of(sentence.replace(path, " "))
    return words_of_paths


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
