"""The numbers that are written down in code, as its syntax tree has them.

    numbers_below(ast.parse("DUE = 7 + rng.randint(13, 29)"), without_draws=True)  # 7

The bounds of a draw are left out if asked: nobody can know beforehand which number is drawn.
"""

import ast
from collections.abc import Iterator

DRAWING_METHODS = {
    "choice",
    "choices",
    "getrandbits",
    "randint",
    "random",
    "randrange",
    "sample",
    "shuffle",
    "uniform",
}
"""Methods of random generators.

`rng.randint(13, 29)` gives another number each time, so nobody can know it beforehand.
"""


def is_draw(node: ast.AST) -> bool:
    """Return True for a call such as `rng.randint(13, 29)`."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in DRAWING_METHODS
    )


def is_number(node: ast.AST) -> bool:
    """Return True for a number in code: `650`, but not `True`."""
    return (
        isinstance(node, ast.Constant)
        and isinstance(node.value, int | float)
        and not isinstance(node.value, bool)
    )


def numbers_below(node: ast.AST, *, without_draws: bool) -> Iterator[float]:
    """Yield the numbers in a syntax tree, except the bounds of slices.

    `without_draws` also leaves out those in calls such as `rng.randint(13, 29)`.
    """
    nodes = [node]
    while nodes:
        node = nodes.pop()
        if is_number(node):
            yield node.value
        is_unread_draw = without_draws and is_draw(node)
        if not is_unread_draw and not isinstance(node, ast.Slice):
            nodes += ast.iter_child_nodes(node)
