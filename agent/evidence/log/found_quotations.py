"""The quotations that were found in the texts of cited paths.

If a script cites `/docs/fees.md` with the quotation `fee: 7`, and the file has this text, the
quotation is kept. The gates read it as a reason for the citation:

    add("/docs/fees.md", "fee: 7")
    by_path()   -> {"/docs/fees.md": ("fee: 7",)}
"""

from __future__ import annotations

from typing import Final

MOST_QUOTATIONS_OF_A_PATH: Final = 100
"""How many different quotations are kept for each path."""


class FoundQuotations:
    """The quotations of one trial, by the path that they cite."""

    def __init__(self) -> None:
        self._by_path: dict[str, list[str]] = {}

    def add(self, path: str, quotation: str) -> None:
        """Add a quotation that the text at a path has."""
        quotations = self._by_path.setdefault(path, [])
        if len(quotations) < MOST_QUOTATIONS_OF_A_PATH and quotation not in quotations:
            quotations.append(quotation)

    def by_path(self) -> dict[str, tuple[str, ...]]:
        """Return the quotations of each path."""
        return {path: tuple(texts) for path, texts in self._by_path.items()}
