"""Finds the numbers that are written down in code and in texts, to compare two bodies of code.

A number counts as shared if it has the same name in both, or is too unusual for a coincidence:

    numbers = numbers_in([ast.parse("LATE_CENTS = 650")])
    numbers.named      # {("late_cents", 650)}
    numbers.unusual    # {650}
"""

import ast
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks.ecom.literal_numbers import numbers_below
from tests.benchmarks.ecom.named_numbers import named_numbers

UNITS_OF_TIME = {0, 1, 7, 12, 24, 31, 60, 365, 3_600, 86_400}
POWERS_OF_TWO = {2**power for power in range(1, 17)}
NUMBER_IN_TEXT = re.compile(r"(?<![\w.])\d[\d_]*(?:\.\d+)?(?![\w.])")
"""`650`, `3_600` or `6.50`, but not the digits of `a12` or `1.2.3`. The texts are our own files."""


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


def cents(euros: float) -> int:
    """Return an amount in cents: 650 for 6.5."""
    return round(100 * euros)


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


def strings_in(tree: ast.AST) -> Iterator[str]:
    """Yield the strings and docstrings of code."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


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


def tree_of(path: Path) -> ast.AST:
    """Return the syntax tree of a Python or JSON file."""
    text = path.read_text("utf-8")
    if path.suffix == ".json":
        text = repr(json.loads(text))
    return ast.parse(text)
