"""How a player of riddles does, which the model of a loop asks for each riddle.

    solved_by_hints("Read the record twice.", "Riddle of the kind alder, number 7: ...")    ->    True

A player solves riddles by its hints, or by chance.
"""

import hashlib
import re
from collections.abc import Callable

from tests.controlplane.improving.riddle_kinds import KINDS_BY_NAME

IsSolved = Callable[[str, str], bool]
"""Tells from the hints and the riddle's text whether a player solves it."""


def solved_by_hints(hints: str, riddle: str) -> bool:
    """`solved_by_hints("Read the record twice.", "Riddle of the kind alder, ...")` -> True"""
    kind = re.findall(r"kind (\w+), number", riddle)[-1]
    return KINDS_BY_NAME[kind].is_solved_with(hints)


def solved_by_chance(hints: str, riddle: str) -> bool:
    """Return True for half of all hints and riddles, but always the same for equal ones."""
    digest = hashlib.sha256((hints + riddle).encode()).digest()
    return digest[0] < 128
