"""Searches the files of a workspace for the words of a request.

For a request about a lost key, it finds all lines with a word that begins with `lost` or `key`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from controlplane.agent.evidence.calls.call_under_way import CallUnderWay
from controlplane.agent.initial_calls.initial_calls import InitialCalls
from controlplane.agent.retrieval.request_words import lines_pattern
from controlplane.sandbox.interface import Plain

MAX_FOUND_LINES: Final = 1_000
"""The most lines that one search returns."""


class FileSearch:
    """Sends searches, and collects the lines that they find.

    `send` does not wait for the result, so several searches run at the same time. `lines` waits
    for all of them.
    """

    def __init__(self, calls: InitialCalls, operation: str) -> None:
        self._calls = calls
        self._operation = operation
        self._sent: list[CallUnderWay] = []

    @property
    def is_possible(self) -> bool:
        """True if the environment has the operation that searches."""
        return self._calls.tool_schema.operation(self._operation) is not None

    def send(self, root: str, terms: Sequence[str]) -> None:
        """Send a search of the files below `root` for lines with one of the terms."""
        arguments: dict[str, Plain] = {
            "pattern": lines_pattern(terms),
            "root": root,
            "limit": MAX_FOUND_LINES,
        }
        self._sent.append(self._calls.send(self._operation, arguments))

    def lines(self) -> dict[str, str]:
        """Return the found lines of each file, by path: `{"/docs/keys.md": "A lost key ..."}`.

        A search that failed has found nothing.
        """
        lines: dict[str, str] = defaultdict(str)
        for call in self._sent:
            matches = self._calls.result(call).get("matches")
            if not isinstance(matches, list):
                continue
            for match in matches:
                if isinstance(match, dict):
                    lines[str(match.get("path"))] += f"{match.get('text', '')}\n"
        return dict(lines)
