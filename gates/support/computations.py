"""Says what a value was computed from: a query, a function of the benchmark, or a script.

A script computed a value if it printed or stored the value, does not state the value itself, and
all inputs of its printed expressions are known: calls of the environment, and numbers that were
read or asked about.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from controlplane.gates.support.given_texts import GivenTexts
from controlplane.gates.support.line_search import LineBudget, is_stated
from controlplane.gates.support.script_origins import Script, trace_scripts
from controlplane.gates.support.sources import Source
from controlplane.gates.values.number_style import NumberStyle
from controlplane.gates.values.value_kinds import WrittenValue
from controlplane.gates.values.written_values import written_values

SHOWN_ROWS: Final = 6
"""Line numbers of a table's rows that are shown."""
SHOWN_EXPRESSIONS: Final = 3
"""Expressions of one script that are shown, if nothing says which of them gave the value."""
_NO_HEADING: Final = " "
"""The heading of printed lines: the first one says nothing about the others."""
_PYTHON_STYLE: Final = NumberStyle(".")
"""How Python prints numbers: with a decimal point."""


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """A call of a function: what it was given and what it returned."""

    arguments: Source
    result: Source


@dataclass(frozen=True, slots=True)
class ScriptTexts:
    """A script's own literals, and what it printed and stored, as texts to be searched."""

    literals: Source
    outputs: list[Source]
    """The same output, read as Python writes numbers and as the answer does."""


class Computations:
    """The queries, functions and scripts of a trial."""

    def __init__(
        self,
        steps: Sequence[tuple[str, str]],
        function_results: Sequence[tuple[str, str]],
        query_results: Sequence[Source],
        sources: Sequence[Source],
        given_texts: GivenTexts,
    ) -> None:
        self._steps = steps
        self._function_results = function_results
        self._query_results = query_results
        self._sources = sources
        self._given_texts = given_texts
        self._output_budget = LineBudget()
        self._input_budget = LineBudget()
        self._inputs_by_script: dict[int, str | None] = {}
        self.script_texts: dict[tuple[int, NumberStyle], ScriptTexts] = {}

    @cached_property
    def _scripts(self) -> list[Script]:
        return trace_scripts(self._steps)

    @cached_property
    def _function_calls(self) -> list[FunctionCall]:
        calls = []
        for arguments, result in self._function_results:
            calls.append(FunctionCall(Source("", arguments), Source("", result)))
        return calls

    def describe(self, value: WrittenValue, style: NumberStyle) -> str | None:
        """Return in words what a value was computed from; None if the trial did not compute it.

        `style` is how the answer writes numbers.
        """
        for query in self._query_results:
            if self._is_output(value, [query]):
                return self._describe_query(query.path)

        for call in self._function_calls:
            was_argument = self._is_output(value, [call.arguments])
            if not was_argument and self._is_output(value, [call.result]):
                return "by a function"

        for index, script in enumerate(self._scripts):
            texts = self._texts_of(index, style)
            if self._is_output(value, [texts.literals]):
                return None  # the script states the value, so that printing it proves nothing
            if self._is_output(value, texts.outputs):
                inputs = self._inputs_of(index, script)
                if inputs is not None:
                    return inputs
        return None

    def _is_output(self, value: WrittenValue, sources: Sequence[Source]) -> bool:
        return is_stated(value, sources, self._output_budget)

    def _describe_query(self, path: str) -> str:
        """Return the call that gave the result of a query, or else the path of the result."""
        for script in self._scripts:
            for call in script.path_calls:
                if path and call.path == path:
                    return f"= {call.text}"
        return f"by {path or 'a query'}"

    def _texts_of(self, index: int, style: NumberStyle) -> ScriptTexts:
        """Return a script's texts, which are kept for the other values of the answer."""
        key = (index, style)
        if key not in self.script_texts:
            script = self._scripts[index]
            outputs = []
            for output_style in (_PYTHON_STYLE, style):
                output = Source("", script.output, heading=_NO_HEADING, style=output_style)
                outputs.append(output)
            literals = Source("", "\n".join(script.literals), heading=_NO_HEADING)
            self.script_texts[key] = ScriptTexts(literals, outputs)
        return self.script_texts[key]

    def _inputs_of(self, index: int, script: Script) -> str | None:
        """Return the known inputs of a script in words. They are looked up once."""
        if index not in self._inputs_by_script:
            self._inputs_by_script[index] = self._describe_inputs(script)
        return self._inputs_by_script[index]

    def _describe_inputs(self, script: Script) -> str | None:
        """Return a script's expressions and their inputs: `= sum(prices), from 3 rows of /a.csv`.

        None if an input of one expression is unknown: nothing says which expression gave a value.
        """
        paths: list[str] = []
        numbers: list[str] = []
        expressions: list[str] = []
        for expression in script.expressions:
            if expression.is_literal:
                continue
            origins = expression.origins
            if not all(self._is_known_input(number) for number in origins.numbers):
                return None
            has_inputs = origins.reads_environment or origins.numbers
            if has_inputs:
                expressions.append(expression.text)
                paths += origins.paths
                numbers += origins.numbers
        if not expressions:
            return None
        different_expressions = list(dict.fromkeys(expressions))
        text = f"= {'; '.join(different_expressions[:SHOWN_EXPRESSIONS])}"
        inputs = [self._describe_path(path) for path in dict.fromkeys(paths)]
        inputs += dict.fromkeys(numbers)
        if inputs:
            text += f", from {'; '.join(inputs)}"
        return text

    def _is_known_input(self, number: str) -> bool:
        """Say whether a number of a script stands in the question or in what was read."""
        for value in written_values(number):
            sources = [
                *self._given_texts.question_sources,
                *self._sources,
                *self._given_texts.sources_for(value),
            ]
            if not is_stated(value, sources, self._input_budget):
                return False
        return True

    def _describe_path(self, path: str) -> str:
        """Return a path, or, for a table, also its rows: `2 rows of /a.csv, lines 4, 9`."""
        rows = self._rows_of(path)
        if not rows:
            return path
        text = f"{len(rows)} rows of {path}, lines {', '.join(map(str, rows[:SHOWN_ROWS]))}"
        if len(rows) > SHOWN_ROWS:
            text += " and more"
        return text

    def _rows_of(self, path: str) -> list[int]:
        """Return the lines of the rows that a query of a table returned, without the heading."""
        for source in self._sources:
            if source.path == path and len(source.line_numbers) > 1:
                return list(source.line_numbers[1:])
        return []
