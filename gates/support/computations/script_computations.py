"""Describes which expressions of a script computed a value: `= sum(fees), from /loans.csv`.

An expression such as `sum(fees) * 36` computed a value if

1. it wrote the value, in the answer or in an output (see `script_outputs`);
2. the script does not state the value itself;
3. it reads the environment, or has numbers such as 36, and all its numbers stand in the
   question or in what was read (see `script_origins`).

If several expressions may have written the value, all of this must be true of each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.gates.support.computations.known_numbers import KnownNumbers
from controlplane.gates.support.computations.output_templates import Writers
from controlplane.gates.support.computations.script_outputs import (
    ANSWER_KEY,
    Output,
    WrittenTexts,
    stored_output,
)
from controlplane.gates.support.computations.value_templates import known_text_of
from controlplane.gates.support.matching.given_texts import GivenTexts
from controlplane.gates.support.matching.line_search import (
    LineBudget,
    find_matches,
    is_stated,
)
from controlplane.gates.support.scripts.script_expressions import (
    ScriptExpression,
    text_of,
)
from controlplane.gates.support.scripts.script_origins import Origins, origins_of
from controlplane.gates.support.sources.sources import Source
from controlplane.gates.values.number_style import NumberStyle
from controlplane.gates.values.value_kinds import WrittenValue

SHOWN_ROWS: Final = 6
"""Line numbers of a table's rows that are shown."""
SHOWN_EXPRESSIONS: Final = 3
"""The most expressions that are shown if any of them may have given the value."""
_PYTHON_STYLE: Final = NumberStyle(".")
"""How Python prints numbers: with a decimal point."""


@dataclass(frozen=True, slots=True)
class TracedExpression:
    """An expression of a script, with what it is computed from."""

    expression: ScriptExpression
    origins: Origins
    literals: Source
    """The literals of the origins, one a line, so that a value can be looked up in them."""

    @property
    def is_literal(self) -> bool:
        """True for `12`, `"-" * 40`, and a choice among literals: `{"a": 1, "b": 2}[name]`."""
        known_text = known_text_of(self.expression.expression)
        return self.origins.is_literal or bool(known_text)


class ScriptComputations:
    """Finds the expressions that computed a value, in what the scripts wrote."""

    def __init__(
        self,
        written: WrittenTexts,
        sources: Sequence[Source],
        given_texts: GivenTexts,
        budget: LineBudget,
    ) -> None:
        self._written = written
        self._sources = sources
        self._known_numbers = KnownNumbers(sources, given_texts)
        self._budget = budget

        # Cached, because the values of one answer often share them
        self._traced: dict[ScriptExpression, TracedExpression] = {}
        self._answers: dict[str, Output] = {}

    def describe(
        self, value: WrittenValue, answer: str, style: NumberStyle
    ) -> str | None:
        """Return the expressions that computed a value; None if it is not computed."""
        for writers in self._possible_writers(value, answer, style):
            expressions = self._computing(value, writers)
            if expressions:
                return self._description(expressions)
        return None

    def _possible_writers(
        self, value: WrittenValue, answer: str, style: NumberStyle
    ) -> Iterator[Writers]:
        """Yield what may have written a value, for each place where a script wrote it.

        The places are in the answer, and in what was printed or stored. `Writers` are the
        expressions that may have written the value, and the texts that a script writes as
        they stand in its code.
        """
        yield self._answer_output(answer).writers_of(value.start, value.end)

        # A number may be written as Python writes numbers, or as the answer does.
        styles = dict.fromkeys((_PYTHON_STYLE, style))
        for output in self._written.outputs:
            for output_style in styles:
                source = output.source(output_style)
                for match in find_matches(value, [source], self._budget):
                    yield output.writers_of_match(match)

    def _answer_output(self, answer: str) -> Output:
        if answer not in self._answers:
            stored = self._written.stored
            self._answers[answer] = stored_output(ANSWER_KEY, answer, stored)
        return self._answers[answer]

    def _computing(
        self, value: WrittenValue, writers: Writers
    ) -> list[TracedExpression]:
        """Return the expressions that computed a value at one place.

        Returns nothing if one of the possible writers may have stated or invented it.
        """
        # The `000` of `f"{count}000"` is a known text: these digits are not computed.
        if any(character.isdigit() for character in writers.known_text):
            return []
        computing_expressions: list[TracedExpression] = []
        for expression in writers.expressions:
            traced = self._trace(expression)
            # The script states the value itself, in a text or number of its code.
            if is_stated(value, [traced.literals], self._budget):
                return []
            # A literal with another value cannot have written this one.
            if traced.is_literal:
                continue
            # Without inputs that the trial was given, the script may have invented the value.
            if not self._known_numbers.has_all_inputs(traced.origins):
                return []
            computing_expressions.append(traced)
        return computing_expressions

    def _trace(self, expression: ScriptExpression) -> TracedExpression:
        if expression not in self._traced:
            origins = origins_of(expression, self._written.stored)
            lines = "\n".join(origins.literals)
            literals = Source("", lines, first_line_is_heading=False)
            self._traced[expression] = TracedExpression(expression, origins, literals)
        return self._traced[expression]

    # In words

    def _description(self, expressions: Sequence[TracedExpression]) -> str:
        """Return expressions with their inputs: `= sum(fees), from /loans.csv`."""
        texts = _unique(text_of(traced.expression) for traced in expressions)
        paths = _unique(path for traced in expressions for path in traced.origins.paths)
        numbers = _unique(
            number for traced in expressions for number in traced.origins.numbers
        )
        description = f"= {'; '.join(texts[:SHOWN_EXPRESSIONS])}"
        inputs = [self._path_with_rows(path) for path in paths] + numbers
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
        calls = {call.text for call in self._written.path_calls if call.path == path}
        if len(calls) > 1:
            return []
        for source in self._sources:
            # `of_rows`: 7 and 9 for a heading in line 1 and rows in lines 7 and 9
            if source.path == path and source.line_numbers.of_rows:
                return source.line_numbers.of_rows
        return []


def _unique(texts: Iterable[str]) -> list[str]:
    """Return texts in their order, each once."""
    return list(dict.fromkeys(texts))
