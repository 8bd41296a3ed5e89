"""Finds the numbers that are written down in code and in texts, to compare two bodies of code.

A number counts as shared if it has the same name in both, or is too unusual for a coincidence:

    numbers = numbers_in([ast.parse("LATE_CENTS = 650")])
    numbers.named      # {("late_cents", 650)}
    numbers.unusual    # {650}
"""

import ast
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks.ecom.numbers.literal_numbers import numbers_below
from tests.benchmarks.ecom.numbers.named_numbers import named_numbers
from tests.benchmarks.ecom.numbers.numbers_in_texts import cents, numbers_in_texts
from tests.benchmarks.ecom.numbers.unusual_numbers import is_unusual


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
