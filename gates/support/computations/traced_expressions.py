"""Expressions of scripts, with what they are computed from: their origins.

    price = harness.read("/price.txt")
    total = price * 3

The origins of `total` are the path `/price.txt` and the literal 3, which the model wrote itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from controlplane.gates.support.computations.value_templates import known_text_of
from controlplane.gates.support.scripts.origins import Origins
from controlplane.gates.support.scripts.script_expressions import ScriptExpression
from controlplane.gates.support.scripts.script_origins import origins_of
from controlplane.gates.support.scripts.stored_expressions import StoredExpressions
from controlplane.gates.support.sources.sources import Source


@dataclass(frozen=True, slots=True)
class TracedExpression:
    """An expression of a script, with what it is computed from."""

    expression: ScriptExpression
    origins: Origins
    literal_lines: Source
    """The literals of the origins, one a line, as a text in which values can be searched."""

    @property
    def computes_nothing(self) -> bool:
        """True if an expression only gives a text or number that stands in the script.

        - `12`, or `{"a": 1, "b": 2}[name]`, which selects one of two literals;
        - `"-" * 40`, whose text is known without running the script.
        """
        known_text = known_text_of(self.expression.expression)
        return self.origins.is_literal or bool(known_text)


@dataclass(eq=False)
class ExpressionTracer:
    """Traces expressions to their origins, each once: values often come from the same ones."""

    stored: StoredExpressions
    """What scripts stored in the scratchpad, since later scripts compute with it."""
    _traced: dict[ScriptExpression, TracedExpression] = field(default_factory=dict)
    """The expressions that were traced before."""

    def traced(self, expression: ScriptExpression) -> TracedExpression:
        """Return an expression with its origins."""
        if expression not in self._traced:
            origins = origins_of(expression, self.stored)
            lines = "\n".join(origins.literals)
            literal_lines = Source("", lines, first_line_is_heading=False)
            self._traced[expression] = TracedExpression(
                expression, origins, literal_lines
            )
        return self._traced[expression]
