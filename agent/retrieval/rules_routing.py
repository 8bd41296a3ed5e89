"""Reads what a workspace's rules say about each path: `Cars: /docs/parking.md`.

A request about a car then leads to `/docs/parking.md`, even if this document only speaks of
vehicles.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from controlplane.agent.retrieval.rules_contents import words_by_path

MAX_SHARED_PATHS: Final = 2
"""A word that describes more paths than this is too general to tell them apart."""


def descriptions_in(rules: str) -> dict[str, str]:
    """Return the words with which the rules describe each path, in lower case.

    `Cars: /docs/parking.md. Keys: /docs/locks.md. Books: /docs/loans.md.` ->
    `{"/docs/parking.md": "cars", "/docs/locks.md": "keys", "/docs/loans.md": "books"}`

    Words that many paths share, such as `records` and `under`, are left out.
    """
    contents = words_by_path(rules)
    path_counts = Counter[str]()  # how many paths a word describes
    for words in contents.values():
        path_counts.update(set(words))
    descriptions: dict[str, str] = {}
    for path, words in contents.items():
        specific = [word for word in words if path_counts[word] <= MAX_SHARED_PATHS]
        descriptions[path] = " ".join(specific)
    return descriptions
