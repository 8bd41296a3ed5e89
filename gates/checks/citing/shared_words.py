"""Compares the words of a reason with those of the cited file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from controlplane.gates.records import parse
from controlplane.gates.text_index import index_of
from controlplane.gates.trial.accesses import Access
from controlplane.gates.trial.seen_text import SeenText

LEAST_WORDS: Final = 2
"""A reason must share this many different words with the file, or all if it has fewer.

A single shared word may be a coincidence.
"""


def shares_words(words: Sequence[str], access: Access) -> bool:
    """Return True if a file contains enough of the words of a reason.

    Enough are `LEAST_WORDS`, or all if there are fewer, or a single one in a heading. `access` is
    what the trial's calls did with the file, and the texts that they saw there.
    """
    texts = _comparable_texts(access)
    shared = [word for word in words if any(seen.holds(word) for seen in texts)]
    if not shared:
        return False
    if len(shared) >= LEAST_WORDS or len(shared) == len(words):
        return True
    headings = [_headings_of(seen.text, access.path) for seen in texts]
    index = index_of("\n".join(headings))
    return any(index.holds(word) for word in shared)


def _comparable_texts(access: Access) -> tuple[SeenText, ...]:
    """Return the texts of a file with which words are compared.

    Text that the script wrote counts only if the file existed before: the reason
    may then describe the change. In a new file, all words are the script's own.
    """
    if access.had_text_before_writing:
        return access.seen
    return access.given_texts


def _headings_of(text: str, path: str) -> str:
    """Return the headings of a text, one per line.

    These are its first line, its Markdown headings, and its names of fields or columns.
    """
    first_line, *lines = text.split("\n")
    markdown = [line for line in lines if line.startswith("#")]
    names = [name for name, _ in parse(text, path)]
    return "\n".join([first_line, *markdown, *names])
