"""Expressions of scripts, with what they are computed from."""

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
        """True for `12`, `"-" * 40`, and a choice among literals: `{"a": 1, "b": 2}[name]`."""
        # The text if it is known without running the script; an empty text states no value.
        known_text = known_text_of(self.expression.expression)
        return self.origins.is_literal or bool(known_text)


@dataclass(eq=False)
class ExpressionTracer:
    """Traces expressions, each once: the values of an answer often come from the same ones."""

    stored: StoredExpressions
    """What the scripts stored in the scratchpad, where an expression may have got it from."""
    _traced: dict[ScriptExpression, TracedExpression] = field(default_factory=dict)

    def traced(self, expression: ScriptExpression) -> TracedExpression:
        """Return an expression with its origins."""
        if expression not in self._traced:
            origins = origins_of(expression, self.stored)
            lines = "\n".join(origins.literals)
            literals = Source("", lines, first_line_is_heading=False)
            self._traced[expression] = TracedExpression(expression, origins, literals)
        return self._traced[expression]
