"""Numbers that players of the shop's tasks have in common with the code that generates the shops.

A generated shop (a world) has numbers such as "late delivery costs 650 cents". Players, which are
functions, rules and prompts for agents, must read such a number on a page of the shop. If their own
code has it, it has leaked:

    leaks(numbers_in([ast.parse("LATE_CENTS = 650")]), numbers_in([ast.parse("late * 650")]))
    # {Leak(650)}
"""

from functools import cache
from typing import NamedTuple

from controlplane.benchmarks.ecom.world.generator import generate
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.settings import WorldSettings
from controlplane.benchmarks.ecom.world.wordings import KNOWN, UNSEEN
from controlplane.benchmarks.ecom.world.world import World
from tests.benchmarks.ecom.numbers_in_code import Numbers
from tests.benchmarks.ecom.numbers_in_texts import numbers_in_texts


def pages_of(world: World) -> list[str]:
    """Return the texts of a world's pages, such as that on discounts: its Markdown files."""
    pages = []
    for path, text in workspace_of(world).files.items():
        if path.casefold().endswith(".md"):
            pages.append(text)
    return pages


@cache
def shown_numbers() -> set[float]:
    """Return the numbers that the pages of all worlds show, where any agent may read them.

    Eight worlds stand for all. They have both profiles and both sets of wordings.
    """
    numbers_by_world = []
    for seed in range(8):
        settings = WorldSettings(
            profile="hard" if seed % 2 else "prod",
            wordings=UNSEEN if seed % 3 else KNOWN,
        )
        world = generate(f"numbers {seed}", settings)
        numbers_by_world.append(numbers_in_texts(pages_of(world)))
    return set.intersection(*numbers_by_world)


class Leak(NamedTuple):
    """A number of a world that players know, too."""

    number: float
    name: str = ""
    """The name that it has on both sides; empty for an unusual number, whatever its names."""


def leaks(world: Numbers, players: Numbers) -> set[Leak]:
    """Return the numbers that players have in common with the code of worlds.

    Unusual numbers that pages show are left out: an agent may read them.
    """
    found = set[Leak]()
    for name, number in world.named & players.named:
        if number not in (0, 1):
            found.add(Leak(number, name))
    for number in (world.unusual & players.anywhere) - shown_numbers():
        found.add(Leak(number))
    return found
