"""Describes expressions in words, with their inputs: `= sum(fees), from /loans.csv`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.gates.support.computations.traced_expressions import TracedExpression
from controlplane.gates.support.scripts.environment_calls import PathCall
from controlplane.gates.support.scripts.script_expressions import text_of
from controlplane.gates.support.sources.sources import Source

SHOWN_ROWS: Final = 6
"""Line numbers of a table's rows that are shown."""
SHOWN_EXPRESSIONS: Final = 3
"""The most expressions that are shown if any of them may have given the value."""


@dataclass(frozen=True, slots=True)
class ComputationTexts:
    """Describes expressions, and the rows of tables that they read."""

    sources: Sequence[Source]
    """The texts that the trial read."""
    path_calls: Sequence[PathCall]
    """The calls of the environment that name a path."""

    def description(self, expressions: Sequence[TracedExpression]) -> str:
        """Return expressions with their inputs."""
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
        """Return a path, or, for a table, also its rows: `2 rows of /a.csv, lines 4, 9`."""
        rows = self._rows_of(path)
        if not rows:
            return path
        lines = ", ".join(str(row) for row in rows[:SHOWN_ROWS])
        text = f"{len(rows)} rows of {path}, lines {lines}"
        return f"{text} and more" if len(rows) > SHOWN_ROWS else text

    def _rows_of(self, path: str) -> list[int]:
        """Return the line numbers of the rows that a query of a table returned.

        Returns nothing if the table was queried several times, because the value may
        come from other rows.
        """
        queries = {call.text for call in self.path_calls if call.path == path}
        if len(queries) > 1:
            return []
        for source in self.sources:
            # `of_rows`: 7 and 9 for a heading in line 1 and rows in lines 7 and 9
            if source.path == path and source.line_numbers.of_rows:
                return source.line_numbers.of_rows
        return []


def _unique(texts: Iterable[str]) -> list[str]:
    """Return texts in their order, each once."""
    return list(dict.fromkeys(texts))
