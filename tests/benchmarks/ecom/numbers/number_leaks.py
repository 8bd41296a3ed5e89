"""Numbers that the code for agents shares with the code that generates shops.

A generated shop (a world) has numbers such as "late delivery costs 650 cents". Players, which are
functions, rules and prompts for agents, must read such a number on a page of the shop. If their own
code has it, it has leaked:

    world = numbers_in([ast.parse("LATE_CENTS = 650")])
    players = numbers_in([ast.parse("late * 650")])
    leaks(world, players, shown=set())      # {Leak(650)}
    leaks(world, players, shown={650})      # set(): any agent may read it
"""

import ast
import json
import re
from collections.abc import Iterable, Iterator, Set
from pathlib import Path
from typing import NamedTuple

# The numbers that are written down in code, as its syntax tree has them.
#
#     numbers_below(ast.parse("DUE = 7 + rng.randint(13, 29)"), without_draws=True)  # 7
#
# The bounds of a draw are left out if asked: nobody can know beforehand which number is drawn.

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


# The numbers that have a name in code: constants, entries of a dict, and tuples with a name first.
#
#     LATE_CENTS = 650          ->  ("late_cents", 650)
#     {"often": 58}             ->  ("often", 58)
#     ("often", 90 / 256)       ->  ("often", 90), ("often", 256): all numbers of the expression
#
# If two bodies of code have the same number with the same name, one has probably copied it. So names
# are in small letters, and without an underscore at the ends: `_LATE` is the same name as `late`.

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


# The numbers in texts, such as pages of a shop. An amount of euros counts in cents, too.
#
#     numbers_in_texts(["Late delivery costs EUR 6.50."])  # {6.5, 650}
#
# Code that knows the amount of 6.50 euros may have it as `650`.

NUMBER_IN_TEXT = re.compile(r"(?<![\w.])\d[\d_]*(?:\.\d+)?(?![\w.])")
"""`650`, `3_600` or `6.50`, but not the digits of `a12` or `1.2.3`. The texts are our own files."""


def cents(euros: float) -> int:
    """Return an amount in cents: 650 for 6.5."""
    return round(100 * euros)


def numbers_in_texts(texts: Iterable[str]) -> set[float]:
    """Return the numbers in texts. An amount of euros is there in cents, too: 6.5 and 650."""
    numbers = set[float]()
    for text in texts:
        for digits in NUMBER_IN_TEXT.findall(text):
            number = float(digits.replace("_", ""))
            numbers.add(number)
            if "." in digits:
                numbers.add(cents(number))
    return numbers


# Numbers that two bodies of code hardly both have by coincidence.
#
#     is_unusual(650)   # True
#     is_unusual(400)   # False: round
#     is_unusual(9)     # False: small
#     is_unusual(3600)  # False: an hour has so many seconds
#
# If code that generates shops and code that plays in them share such a number, it has leaked.

UNITS_OF_TIME = {0, 1, 7, 12, 24, 31, 60, 365, 3_600, 86_400}

POWERS_OF_TWO = {2**power for power in range(1, 17)}


def is_unusual(number: float) -> bool:
    """Return True if a number is too unusual to be on both sides by coincidence.

    650 is unusual. Small or round numbers, and those of time and memory, are not: 9, 400, 3,600.
    """
    is_small = number <= 12 and number == int(number)
    # A round number has one digit besides zeros: 400 and 0.5, but not 650.
    digits = f"{number:g}".replace(".", "").replace("e+", "").strip("0")
    is_round = len(digits) <= 1
    if is_small or is_round:
        return False
    return number not in UNITS_OF_TIME and number not in POWERS_OF_TWO


# Finds the numbers that are written down in code and in texts, to compare two bodies of code.
#
# A number counts as shared if it has the same name in both, or is too unusual for a coincidence:
#
#     numbers = numbers_in([ast.parse("LATE_CENTS = 650")])
#     numbers.named      # {("late_cents", 650)}
#     numbers.unusual    # {650}


class Numbers(NamedTuple):
    """The numbers in code, and in texts beside it."""

    named: set[tuple[str, float]]
    """The numbers with a name: `("late_cents", 650)`. Names have small letters."""
    unusual: set[float]
    """The unusual numbers in code. The bounds of draws are left out: `rng.randint(13, 29)`."""
    anywhere: set[float]
    """All numbers, also in strings, docstrings and texts: "EUR 6.50" is 6.5 and 650 cents."""


def numbers_in(trees: Iterable[ast.AST], texts: Iterable[str] = ()) -> Numbers:
    """Return the numbers in syntax trees of code, and in texts that are not code."""
    numbers = Numbers(named=set(), unusual=set(), anywhere=numbers_in_texts(texts))
    for tree in trees:
        numbers.named.update(named_numbers(tree))
        for number in numbers_below(tree, without_draws=True):
            if is_unusual(number):
                numbers.unusual.add(number)
        numbers.anywhere.update(numbers_below(tree, without_draws=False))
        numbers.anywhere.update(numbers_in_texts(strings_in(tree)))

    for number in list(numbers.anywhere):
        if number != int(number):
            numbers.anywhere.add(cents(number))
    return numbers


def strings_in(tree: ast.AST) -> Iterator[str]:
    """Yield the strings and docstrings of code."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def tree_of(path: Path) -> ast.AST:
    """Return the syntax tree of a Python or JSON file."""
    text = path.read_text("utf-8")
    if path.suffix == ".json":
        text = repr(json.loads(text))
    return ast.parse(text)


class Leak(NamedTuple):
    """A number of a world that players know, too."""

    number: float
    name: str = ""
    """The name that it has on both sides; empty for an unusual number, whatever its names."""


def leaks(world: Numbers, players: Numbers, shown: Set[float]) -> set[Leak]:
    """Return the numbers that players have in common with the code of worlds.

    Unusual numbers that pages show (`shown`) are left out: an agent may read them.
    """
    found = set[Leak]()
    for name, number in world.named & players.named:
        if number not in (0, 1):
            found.add(Leak(number, name))
    for number in (world.unusual & players.anywhere) - shown:
        found.add(Leak(number))
    return found
