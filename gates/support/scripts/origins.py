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

    paths: tuple[str, ...] = ()
    """The paths that calls of the environment name as literals."""
    reads_environment: bool = False
    """True if a call of the environment returned a part of the inputs."""
    numbers: tuple[str, ...] = ()
    """The numbers in `literals` that the script may have invented: 36 of `"36 rows"`.

    They need a source. Small ones such as 2, and 100 or 3600, do not.
    """
    literals: tuple[str, ...] = ()
    """All texts and numbers that stand in the script itself: `36 rows`, `/items.csv`, 2."""
    is_traceable: bool = True
    """False if an input is unknown, such as a key of the scratchpad that no script stored."""
    is_literal: bool = False
    """True if the expression computes nothing, and only is one of several literals.

    An example is `name` in `for name in ("a", "b")`.
    """

    @property
    def has_inputs(self) -> bool:
        """True if it is computed from what was read, or from numbers of the script."""
        return self.reads_environment or bool(self.numbers)


@dataclass(slots=True)
class FoundOrigins:
    """The origins that were found so far in the parts of an expression of a script.

    `sum(rows) * 36` is computed from the path `/items.csv`, from which `rows` were read, and
    from the number 36. One untraceable part makes the whole expression untraceable.
    """

    paths: list[str] = field(default_factory=list)
    """The paths that stand in the script: `/items.csv`."""
    numbers: list[str] = field(default_factory=list)
    """The numbers that the script may have invented, so that they need a source: 36."""
    literals: list[str] = field(default_factory=list)
    """All texts and numbers that stand in the script, also those above."""
    reads_environment: bool = False
    """True if a call of the environment returned a part, such as `rows`."""
    is_traceable: bool = True
    """False if it is unknown what a part is computed from."""
    is_literal: bool = True
    """True until a part is found that computes something, such as a sum or a call."""

    def add_literal(self, literal: ast.Constant) -> None:
        """Add a literal of the script: a path, or the numbers in it that need a source."""
        self.literals.append(str(literal.value))
        match literal.value:
            case str() as text if text.startswith("/"):
                self.paths.append(text)
            case bytes() | complex():  # hides numbers: `int.from_bytes(b"...")`
                self.is_traceable = False
            case _:
                self.numbers += numbers_that_need_source(literal)

    def result(self) -> Origins:
        """Return the origins that were found, each once."""
        return Origins(
            paths=tuple(dict.fromkeys(self.paths)),
            reads_environment=self.reads_environment,
            numbers=tuple(dict.fromkeys(self.numbers)),
            literals=tuple(dict.fromkeys(self.literals)),
            is_traceable=self.is_traceable,
            is_literal=self.is_literal and self.is_traceable,
        )
