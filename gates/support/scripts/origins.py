"""What an expression of a script is computed from: paths, numbers, and other literals.

`Origins` is the result for one expression. `FoundOrigins` collects it, while the names of
the expression are followed to their values.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from controlplane.gates.support.scripts.script_numbers import numbers_that_need_source


@dataclass(frozen=True, slots=True)
class Origins:
    """What an expression is computed from: `/items.csv` and 36 for `sum(rows) * 36`."""

    literals: tuple[str, ...] = ()
    """All texts and numbers that stand in the script itself: `36 rows`, `/items.csv`, 2."""
    paths: tuple[str, ...] = ()
    """Those of `literals` that are paths: `/items.csv`."""
    numbers: tuple[str, ...] = ()
    """The numbers in `literals` that the script may have invented: 36 of `36 rows`.

    Small ones such as 2, and 100 or 3600, are left out, because they need no source.
    """
    reads_environment: bool = False
    """True if a call of the environment returned an input, such as the rows of a file."""
    is_traceable: bool = True
    """False if an input is unknown, such as a key of the scratchpad that no script stored."""
    is_literal: bool = False
    """True if the value is one of `literals` as it stands, and nothing is computed.

    An example is `name` in `for name in ("a", "b")`.
    """

    @property
    def has_known_inputs(self) -> bool:
        """True if it is computed from what was read, or from numbers, and from nothing unknown.

        True for `sum(rows) * 36`; false for `2 * 2`, which has no inputs that need a source.
        """
        has_inputs = self.reads_environment or bool(self.numbers)
        return has_inputs and self.is_traceable


@dataclass(slots=True)
class FoundOrigins:
    """What was found so far in the parts of an expression, such as `sum(rows) * 36`.

    Each part is visited once and sets what it shows; `result` sums it up at the end.
    """

    literals: list[ast.Constant] = field(default_factory=list)
    """The literals of the script: 36, and the `/items.csv` from which `rows` were read."""
    reads_environment: bool = False
    """True if a part is a call of the environment: `harness.read("/items.csv")`."""
    computes: bool = False
    """True if a part computes something, such as a sum or a call."""
    is_traceable: bool = True
    """False if it is unknown what a part is computed from."""

    def result(self) -> Origins:
        """Return the origins of the expression, each once."""
        paths: list[str] = []
        numbers: list[str] = []
        is_traceable = self.is_traceable
        for literal in self.literals:
            match literal.value:
                case str() as text if text.startswith("/"):
                    paths.append(text)
                case bytes() | complex():  # hides numbers: `int.from_bytes(b"...")`
                    is_traceable = False
                case _:
                    numbers += numbers_that_need_source(literal)
        texts = [str(literal.value) for literal in self.literals]
        return Origins(
            literals=tuple(dict.fromkeys(texts)),
            paths=tuple(dict.fromkeys(paths)),
            numbers=tuple(dict.fromkeys(numbers)),
            reads_environment=self.reads_environment,
            is_traceable=is_traceable,
            is_literal=is_traceable and not self.computes,
        )
