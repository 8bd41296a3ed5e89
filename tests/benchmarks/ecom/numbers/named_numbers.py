"""The numbers that have a name in code: constants, entries of a dict, and tuples with a name first.

    LATE_CENTS = 650          ->  ("late_cents", 650)
    {"often": 58}             ->  ("often", 58)
    ("often", 90 / 256)       ->  ("often", 90), ("often", 256): all numbers of the expression

If two bodies of code have the same number with the same name, one has probably copied it. So names
are in small letters, and without an underscore at the ends: `_LATE` is the same name as `late`.
"""

import ast
from collections.abc import Iterator

from tests.benchmarks.ecom.numbers.literal_numbers import numbers_below

LITERAL = (ast.Constant, ast.Tuple, ast.List, ast.Set, ast.Dict, ast.BinOp, ast.UnaryOp)
"""The expressions in which numbers are written down: `650`, `(5, 8)`, `90 / 256`, `-1`."""


def named_values(node: ast.AST) -> Iterator[tuple[str, ast.AST | None]]:
    """Yield each value to which a node gives a name, after its name."""
    match node:
        case (
            # LATE = 650, LATE: Final = 650
            ast.Assign(targets=[ast.Name(id=name)], value=value)
            | ast.AnnAssign(target=ast.Name(id=name), value=value)
        ):
            # The entries of a dict have names of their own, by their keys.
            if not isinstance(value, ast.Dict):
                yield name, value
        case ast.Dict(keys=keys, values=values):
            # {"often": 58}
            for key, value in zip(keys, values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    yield key.value, value
        case (
            # ("often", 58), ["often", 58]
            ast.Tuple(elts=[ast.Constant(value=str(name)), *items])
            | ast.List(elts=[ast.Constant(value=str(name)), *items])
        ):
            for item in items:
                yield name, item


def named_numbers(tree: ast.AST) -> Iterator[tuple[str, float]]:
    """Yield each number that has a name, after the name: `("late", 650)`.

    Draws are left out: `DUE = rng.randint(13, 29)` has another value each time.
    """
    for node in ast.walk(tree):
        for name, value in named_values(node):
            if not isinstance(value, LITERAL):
                continue
            for number in numbers_below(value, without_draws=True):
                yield name.casefold().strip("_"), number
