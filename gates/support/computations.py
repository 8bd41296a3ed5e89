"""Describes what a value was computed from: a query, a function of the benchmark, or a
script.

    fees = harness.sql("SELECT fee FROM '/loans.csv'")
    print(sum(fees))                                       1070

The 1070 of this output is computed from `sum(fees)`. For that, three things must be
true:

1. `sum(fees)` wrote the 1070 (see `script_outputs`), and reads the environment
   (`/loans.csv`).
2. The script does not state 1070 itself.
3. Numbers in the expression, such as the 12 of `sum(fees) * 12`, stand in the question
   or in what was read (see `script_origins`).

If several expressions may have written the value, all of this must be true of each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from controlplane.gates.evidence import FunctionResultValue, ScriptRun
from controlplane.gates.support.given_texts import GivenTexts
from controlplane.gates.support.line_search import LineBudget, find_matches, is_stated
from controlplane.gates.support.output_templates import Writers, known_text_of
from controlplane.gates.support.script_expressions import ScriptExpression, text_of
from controlplane.gates.support.script_origins import Origins, origins_of
from controlplane.gates.support.script_outputs import (
    ANSWER_KEY,
    Output,
    WrittenTexts,
    stored_output,
    written_texts,
)
from controlplane.gates.support.sources import Source
from controlplane.gates.values.number_style import NumberStyle
from controlplane.gates.values.value_kinds import WrittenValue
from controlplane.gates.values.written_values import written_values

SHOWN_ROWS: Final = 6
"""Line numbers of a table's rows that are shown."""
SHOWN_EXPRESSIONS: Final = 3
"""The most expressions that are shown if any of them may have given the value."""
_PYTHON_STYLE: Final = NumberStyle(".")
"""How Python prints numbers: with a decimal point."""


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """A call of a function: what it was given and what it returned."""

    arguments: Source
    result: Source


@dataclass(frozen=True, slots=True)
class ExpressionInputs:
    """What an expression is computed from."""

    origins: Origins
    """The paths, numbers and literals in the expression and in what its names hold."""
    literals: Source
    """The literals of `origins`, one a line, so that a value can be looked up in
    them."""


class Computations:
    """Finds which query, function or script of a trial computed a value.

    `sources` are the texts that the trial read, and `given_texts` its question, clock
    and the like. Numbers in a script must occur in one of them, because a script could
    contain invented ones.
    """

    def __init__(
        self,
        steps: Sequence[ScriptRun],
        function_results: Sequence[FunctionResultValue],
        query_results: Sequence[Source],
        sources: Sequence[Source],
        given_texts: GivenTexts,
    ) -> None:
        self._steps = steps
        self._function_results = function_results
        self._query_results = query_results
        self._sources = sources
        self._given_texts = given_texts

        # How many more lines may be searched: in what the trial computed, for values of
        # the answer; in what it read, for numbers of its scripts.
        self._answer_value_budget = LineBudget()
        self._script_number_budget = LineBudget()

        # Cached results, because the values of one answer often share them.
        self._is_known_by_number: dict[str, bool] = {}
        self._inputs_by_expression: dict[ScriptExpression, ExpressionInputs] = {}
        self._output_by_answer: dict[str, Output] = {}

    @cached_property
    def written(self) -> WrittenTexts:
        """What the scripts printed and stored."""
        return written_texts(self._steps)

    def describe(
        self, value: WrittenValue, answer: str, style: NumberStyle
    ) -> str | None:
        """Return in words what a value was computed from; None if the trial did not
        compute it.

        `= sum(fees), from /loans.csv`, for example, or `by a function`. `style` is how
        the answer writes numbers: scripts may have written numbers in the same way.
        """
        # 1. A query returned it.
        for query_result in self._query_results:
            if self._is_stated(value, query_result):
                return self._description_of_query(query_result.path)

        # 2. A function returned it. A value that it was given may only be repeated.
        for call in self._function_calls:
            was_argument = self._is_stated(value, call.arguments)
            if not was_argument and self._is_stated(value, call.result):
                return "by a function"

        # 3. An expression of a script wrote it.
        for writers in self._possible_writers(value, answer, style):
            description = self._description_of_expressions(value, writers)
            if description is not None:
                return description
        return None

    @cached_property
    def _function_calls(self) -> list[FunctionCall]:
        calls = []
        for result in self._function_results:
            calls.append(
                FunctionCall(Source("", result.arguments), Source("", result.value))
            )
        return calls

    def _is_stated(self, value: WrittenValue, source: Source) -> bool:
        return is_stated(value, [source], self._answer_value_budget)

    def _description_of_query(self, path: str) -> str:
        """Return the call that gave the result of a query, or else the path of the
        result.

        `= harness.sql("SELECT …")` or `by /bin/query`
        """
        for call in self.written.path_calls:
            if path and call.path == path:
                return f"= {call.text}"
        return f"by {path or 'a query'}"

    # Which expressions wrote a value

    def _possible_writers(
        self, value: WrittenValue, answer: str, style: NumberStyle
    ) -> Iterator[Writers]:
        """Yield what may have written a value, for each place where a script wrote it.

        `Writers` holds the expressions, and any known text of the script at this place.
        """
        # 1. The expression that wrote the value into the answer.
        if answer not in self._output_by_answer:
            self._output_by_answer[answer] = stored_output(
                ANSWER_KEY, answer, self.written.stored
            )
        yield self._output_by_answer[answer].writers_of(value.start, value.end)

        # 2. Expressions that printed or stored the same value. It may be written as Python writes
        #    numbers, or as the answer does. If both are the same, it is searched for once.
        for output in self.written.outputs:
            for output_style in dict.fromkeys((_PYTHON_STYLE, style)):
                source = output.source(output_style)
                for match in find_matches(value, [source], self._answer_value_budget):
                    yield output.writers_of_match(match)

    def _description_of_expressions(
        self, value: WrittenValue, writers: Writers
    ) -> str | None:
        """Return the expressions that computed a value: `= sum(fees), from /loans.csv`.

        Returns None if the value is not computed: an input is unknown, or the script
        states it.
        """
        # The `000` of `f"{count}000"` is a known text: these digits are not computed.
        if any(character.isdigit() for character in writers.known_text):
            return None
        expressions = self._computing_expressions(value, writers.expressions)
        if not expressions:
            return None

        texts = [text_of(expression) for expression in expressions]
        shown_texts = list(dict.fromkeys(texts))[:SHOWN_EXPRESSIONS]
        description = f"= {'; '.join(shown_texts)}"

        paths: list[str] = []
        numbers: list[str] = []
        for expression in expressions:
            origins = self._inputs_of(expression).origins
            paths += origins.paths
            numbers += origins.numbers
        inputs = [self._path_with_rows(path) for path in dict.fromkeys(paths)]
        inputs += dict.fromkeys(numbers)
        if inputs:
            description += f", from {'; '.join(inputs)}"
        return description

    def _computing_expressions(
        self, value: WrittenValue, possible_writers: Sequence[ScriptExpression]
    ) -> list[ScriptExpression]:
        """Return the expressions that may have computed a value.

        Returns nothing if any possible writer states the value as a literal, or has
        unknown inputs.
        """
        computing: list[ScriptExpression] = []
        for expression in possible_writers:
            inputs = self._inputs_of(expression)
            if self._is_stated(value, inputs.literals):
                return []
            if _is_literal(expression, inputs.origins):
                continue  # a literal with another value did not write this one
            if not self._are_known(inputs.origins):
                return []
            computing.append(expression)
        return computing

    def _inputs_of(self, expression: ScriptExpression) -> ExpressionInputs:
        """Return the paths, numbers and literals from which an expression is computed;
        cached."""
        if expression not in self._inputs_by_expression:
            origins = origins_of(expression, self.written.stored)
            literals = Source(
                "", "\n".join(origins.literals), first_line_is_heading=False
            )
            self._inputs_by_expression[expression] = ExpressionInputs(origins, literals)
        return self._inputs_by_expression[expression]

    def _are_known(self, origins: Origins) -> bool:
        """Return True if an expression has inputs, and all of them were given to the
        trial."""
        if not origins.has_inputs or not origins.is_traceable:
            return False
        return all(self._is_known_number(number) for number in origins.numbers)

    def _is_known_number(self, number: str) -> bool:
        """Return True if a number of a script was given to the trial; cached."""
        if number not in self._is_known_by_number:
            values = written_values(number)
            self._is_known_by_number[number] = all(
                self._was_given(value) for value in values
            )
        return self._is_known_by_number[number]

    def _was_given(self, value: WrittenValue) -> bool:
        """Return True if the question, a text that was read, the clock or the like
        state a value."""
        sources = [
            *self._given_texts.question_sources,
            *self._sources,
            *self._given_texts.sources_for(value),
        ]
        return is_stated(value, sources, self._script_number_budget)

    def _path_with_rows(self, path: str) -> str:
        """Return a path, or, for a table, also its rows: `2 rows of /a.csv, lines 4,
        9`."""
        rows = self._rows_of(path)
        if not rows:
            return path
        text = f"{len(rows)} rows of {path}, lines {', '.join(map(str, rows[:SHOWN_ROWS]))}"
        if len(rows) > SHOWN_ROWS:
            text += " and more"
        return text

    def _rows_of(self, path: str) -> list[int]:
        """Return the line numbers of the rows that a query of a table returned.

        Returns nothing if the table was queried several times, because the value may
        come from other rows.
        """
        calls = {call.text for call in self.written.path_calls if call.path == path}
        if len(calls) > 1:
            return []
        for source in self._sources:
            if source.path == path and source.line_numbers.of_rows:
                return source.line_numbers.of_rows
        return []


def _is_literal(expression: ScriptExpression, origins: Origins) -> bool:
    """Return True for `12`, `"-" * 40`, and a choice among literals: `{"a": 1, "b":
    2}[name]`."""
    return origins.is_literal or bool(known_text_of(expression.expression))
