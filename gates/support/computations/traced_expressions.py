"""Expressions of scripts, with what they are computed from.

In `total = price * 3`, the expression `total` comes from a result of a call (`price`) and from
the literal 3, which the model wrote itself.
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
    literals: Source
    """The literals of the origins, one a line, so that a value can be looked up in them."""

    @property
    def is_literal(self) -> bool:
        """True if the model wrote the value itself: `12`, `"-" * 40`, `{"a": 1, "b": 2}[name]`.

        Either it comes from literals alone, or its text is known without running the script.
        """
        known_text = known_text_of(self.expression.expression)
        return self.origins.is_literal or bool(known_text)


@dataclass(eq=False)
class ExpressionTracer:
    """Traces expressions, each once: the values of an answer often come from the same ones."""

    stored: StoredExpressions
    """What earlier scripts stored in the scratchpad, since later ones compute with it."""
    _traced: dict[ScriptExpression, TracedExpression] = field(default_factory=dict)

    def traced(self, expression: ScriptExpression) -> TracedExpression:
        """Return an expression with its origins."""
        if expression not in self._traced:
            origins = origins_of(expression, self.stored)
            lines = "\n".join(origins.literals)
            literals = Source("", lines, first_line_is_heading=False)
            self._traced[expression] = TracedExpression(expression, origins, literals)
        return self._traced[expression]
