"""Describes in words what a value was computed from: `= sum(fees), from /loans.csv`.

Readers see this beside a value of an answer that a script computed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.gates.support.computations.traced_expressions import TracedExpression
from controlplane.gates.support.scripts.environment_calls import PathCall
from controlplane.gates.support.scripts.script_expressions import text_of
from controlplane.gates.support.sources.sources import Source

SHOWN_ROWS: Final = 6
"""How many line numbers are shown of the rows of a table."""
SHOWN_EXPRESSIONS: Final = 3
"""How many expressions are shown. A value has several if it is unknown which one gave it."""


@dataclass(frozen=True, slots=True)
class ComputationTexts:
    """Describes expressions with their inputs: paths and numbers."""

    sources: Sequence[Source]
    """The texts that the trial read."""
    path_calls: Sequence[PathCall]
    """The calls in scripts that name a path: `harness.table("/loans.csv", columns="fee")`."""

    def description(self, expressions: Sequence[TracedExpression]) -> str:
        """Return expressions with their inputs: `= sum(fees) * 36, from /loans.csv; 36`."""
        texts = _unique(text_of(traced.expression) for traced in expressions)
        description = f"= {'; '.join(texts[:SHOWN_EXPRESSIONS])}"

        paths: list[str] = []
        numbers: list[str] = []
        for traced in expressions:
            paths += traced.origins.paths
            numbers += traced.origins.numbers
        inputs = [self._path_with_rows(path) for path in _unique(paths)]
        inputs += _unique(numbers)
        if inputs:
            description += f", from {'; '.join(inputs)}"
        return description

    def _path_with_rows(self, path: str) -> str:
        """Return a path, for a queried table with its rows: `2 rows of /a.csv, lines 4, 9`."""
        rows = self._rows_of(path)
        if not rows:
            return path
        lines = ", ".join(str(row) for row in rows[:SHOWN_ROWS])
        text = f"{len(rows)} rows of {path}, lines {lines}"
        return f"{text} and more" if len(rows) > SHOWN_ROWS else text

    def _rows_of(self, path: str) -> list[int]:
        """Return the line numbers, in the file of a table, of the rows that a query returned.

        Returns nothing if different queries read the table: it is unknown whose rows the value
        comes from.
        """
        queries = {call.text for call in self.path_calls if call.path == path}
        if len(queries) > 1:
            return []
        for source in self.sources:
            # `listed_rows` has 7 and 9 if the query returned the rows in these lines of the file.
            if source.path == path and source.line_numbers.listed_rows:
                return source.line_numbers.listed_rows
        return []


def _unique(texts: Iterable[str]) -> list[str]:
    """Return texts in their order, each once."""
    return list(dict.fromkeys(texts))
