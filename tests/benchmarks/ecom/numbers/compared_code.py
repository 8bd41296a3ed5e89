"""Numbers that have leaked from code of generated shops (worlds) to code of agents (players).

leaks_in("LATE_CENTS = 650", "late * 650")               # {Leak(650)}
leaks_in("LATE_CENTS = 650", "late * 650", shown={650})  # set()
"""

import ast
from collections.abc import Set

from tests.benchmarks.ecom.numbers.number_leaks import Leak, leaks
from tests.benchmarks.ecom.numbers.numbers_in_code import numbers_in


def leaks_in(
    world_code: str, player_code: str, shown: Set[float] = frozenset()
) -> set[Leak]:
    """Return the leaks from code of worlds to code of players. Pages show the numbers `shown`."""
    world = numbers_in([ast.parse(world_code)])
    players = numbers_in([ast.parse(player_code)])
    return leaks(world, players, shown)
