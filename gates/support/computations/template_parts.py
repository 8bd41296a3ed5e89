"""The parts of the form of an output: texts known from the script, and gaps between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from controlplane.gates.support.scripts.script_expressions import ScriptExpression


@dataclass(frozen=True, slots=True)
class KnownText:
    """A text that a script writes as it stands in its code, such as ` rows` in `f"{n} rows"`."""

    text: str


@dataclass(frozen=True, slots=True)
class Gap:
    """A text that is known only when the script runs, such as that of `n` in `f"{n} rows"`."""

    expressions: tuple[ScriptExpression, ...]
    """The expressions of which one or several wrote the text."""


TemplatePart: TypeAlias = KnownText | Gap
