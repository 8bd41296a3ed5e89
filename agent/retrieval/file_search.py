"""Searches the files of a workspace for words.

For a request about a lost key, `Search("/docs", ["lost", "key"])` finds the lines below `/docs`
with a word that begins with `lost` or `key`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.agent.initial_calls.initial_calls import InitialCalls
from controlplane.agent.retrieval.request_words import lines_pattern
from controlplane.sandbox.interface import Plain

MAX_FOUND_LINES: Final = 1_000
"""The most lines that one search returns."""


@dataclass(frozen=True, slots=True)
class Search:
    """A search for lines that have a word which begins with one of some terms."""

    root: str
    """The folder whose files are searched."""
    terms: Sequence[str]

    @property
    def arguments(self) -> dict[str, Plain]:
        """The arguments of the call that makes the search."""
        return {
            "pattern": lines_pattern(self.terms),
            "root": self.root,
            "limit": MAX_FOUND_LINES,
        }


def search_files(
    calls: InitialCalls, operation: str, searches: Iterable[Search]
) -> dict[str, str]:
    """Make searches side by side, and return the lines that they found in each file, by path.

    `{"/docs/keys.md": "A lost key costs a fee.\\nEach key has a number.\\n"}`

    A search that fails finds nothing. Without the operation, nothing is searched.
    """
    if calls.tool_schema.operation(operation) is None:
        return {}
    sent_calls = [calls.send(operation, search.arguments) for search in searches]
    lines: dict[str, str] = defaultdict(str)
    for call in sent_calls:
        matches = call.result().get("matches")  # waits for the call
        if not isinstance(matches, list):
            continue
        for match in matches:
            if isinstance(match, dict):
                lines[str(match.get("path"))] += f"{match.get('text', '')}\n"
    return dict(lines)
