"""Numbers that the code for agents shares with the code that generates shops.

A generated shop (a world) has numbers such as "late delivery costs 650 cents". Players, which are
functions, rules and prompts for agents, must read such a number on a page of the shop. If their own
code has it, it has leaked:

    world = numbers_in([ast.parse("LATE_CENTS = 650")])
    players = numbers_in([ast.parse("late * 650")])
    leaks(world, players, shown=set())      # {Leak(650)}
    leaks(world, players, shown={650})      # set(): any agent may read it
"""

from collections.abc import Set
from typing import NamedTuple

from tests.benchmarks.ecom.numbers.numbers_in_code import Numbers


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
