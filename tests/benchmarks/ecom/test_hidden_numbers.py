"""Nothing that plays the shop's tasks knows a number that only their generator may know.

The worlds are generated with numbers such as "late delivery costs 650 cents". Functions, prompts
and rules for agents (in short: players) must take such a number from the world's pages. The tests
search the code of both sides for common numbers: those with the same name, and those too unusual
to be a coincidence.
"""

import ast
from pathlib import Path

import pytest

import controlplane.benchmarks.ecom
from tests.benchmarks.ecom.number_leaks import Leak, leaks
from tests.benchmarks.ecom.numbers_in_code import Numbers, numbers_in, tree_of

ECOM = Path(controlplane.benchmarks.ecom.__file__).parent
ROOT = ECOM.parent.parent
WORLD_FILES = ("tasks/**/*.py", "world/**/*.py", "world/company.json")
"""The generator and the grader, within the benchmark's folder: they may know every number."""
PLAYER_FOLDERS = ("benchmarks/shop", "gates", "prompts")
"""The functions, rules and prompts for agents: they may know only what pages state."""
PLAYER_FILES = ("shop_environment.py", "player_scripts.txt")
"""The files within the benchmark's folder that agents use, too."""
COINCIDENCES = {
    # The number: (what it means in the code of worlds, what it means for players)
    0.25: (
        "a chance of draws, and the wear of a scan",
        "a share in a docstring of general arithmetic",
    ),
    0.85: (
        "the chance of a customer's usual amount",
        "the least likeness of a brand that a receipt repeats",
    ),
    15: (
        "a house number and a percentage that a page states",
        "counts and printed examples of general rules",
    ),
    13: ("lines of an upload", "an example in a docstring of general marks"),
    21: (
        "abandoned baskets of a world",
        "the least characters of a wrapped line of a request",
    ),
    27: ("lines of an upload", "an example in a docstring of general marks"),
    26: ("open baskets of a world", "an example in a docstring"),
    29: (
        "employee numbers of a world that nobody has",
        "the last day of February in a leap year",
    ),
    160: ("lines of a cut read", "characters between two words of a request"),
    35: ("a number of a world", "the digits of 3½ in a docstring of general marks"),
    2027: ("the year of the first world", "the year in a function's example"),
}
"""Unusual numbers that mean something else on each side.

If another number is found, and it is a rule of the world, players have to read it from a page.
"""
TEXT_SUFFIXES = (".md", ".txt")


def numbers_of_players() -> Numbers:
    """Return the numbers in the code, rules and prompts that agents use."""
    paths = [ECOM / name for name in PLAYER_FILES]
    for folder in PLAYER_FOLDERS:
        paths += (ROOT / folder).rglob("*")

    trees = [tree_of(path) for path in paths if path.suffix == ".py"]
    texts = [path.read_text("utf-8") for path in paths if path.suffix in TEXT_SUFFIXES]
    assert len(trees) + len(texts) > 40  # The files were found.
    return numbers_in(trees, texts)


def numbers_of_worlds() -> Numbers:
    """Return the numbers in the code that generates worlds, and grades what is done in them."""
    trees = []
    for pattern in WORLD_FILES:
        for path in ECOM.glob(pattern):
            trees.append(tree_of(path))
    return numbers_in(trees)


class TestLeaks:
    """A number of worlds that players know without a page is a leak: they need not read it.

    An *unusual* number, such as 650, is a leak wherever players have it; a common one, such
    as 20, if it has the same name on both sides: `late_cents`. Numbers that a page of every
    world shows are no secret.
    """

    def test_players_know_no_number_of_a_world_that_its_pages_do_not_state(
        self,
    ) -> None:
        """`COINCIDENCES` has the numbers that mean something else on the two sides, such as 15.

        Any other common number is a leak, and a number that is no
        longer common must leave the table.
        """
        coincidences = {Leak(number) for number in COINCIDENCES}

        assert leaks(numbers_of_worlds(), numbers_of_players()) == coincidences


class TestSearchForLeaks:
    """The search finds unusual numbers in code and texts, and numbers with one name.

    Each case has code of a world and of players, and the numbers that are common to both.
    """

    @pytest.mark.parametrize(
        ("world_code", "player_code", "expected_leaks"),
        [
            pytest.param(
                "LATE_CENTS = 650",
                "def cost(late): return late * 650",
                {Leak(650)},
                id="an unusual number",
            ),
            pytest.param(
                "LATE_CENTS = 650",
                '"Lateness costs EUR 6.50 by the unit."',
                {Leak(650)},
                id="an unusual number as an amount in a text",
            ),
            pytest.param(
                "LATE_CENTS: Final = 20",
                "late_cents = 20",
                {Leak(20, "late_cents")},
                id="constants with one name",
            ),
            pytest.param(
                "OFTEN: Final = {'often': 90, 'long': (5, 8)}",
                "_OFTEN = (('often', 90 / 256),)",
                {Leak(90, "often")},
                id="a dict's key and a tuple's first element",
            ),
            pytest.param(
                "SPAN = {'long': (5, 8)}",
                "_SPANS = [('long', (5, 8))]",
                {Leak(5, "long"), Leak(8, "long")},
                id="two numbers with one name",
            ),
            pytest.param(
                "DUE = rng.randint(13, 29)",
                "x = 13",
                set(),
                id="the bound of a random number is not searched for",
            ),
            pytest.param(
                "MOST = 100",
                "y = 100",
                set(),
                id="a round number with another name is not found",
            ),
        ],
    )
    def test_the_search_finds_unusual_numbers_and_those_with_one_name(
        self, world_code: str, player_code: str, expected_leaks: set[Leak]
    ) -> None:
        world = numbers_in([ast.parse(world_code)])
        players = numbers_in([ast.parse(player_code)])

        assert leaks(world, players) == expected_leaks
