"""Nothing that plays the shop's tasks knows a number that only their generator may know.

The worlds are generated with numbers such as "late delivery costs 650 cents". Functions,
prompts and rules for agents must take such a number from the world's pages. These tests
search the code of both sides for common numbers: those with the same name, and those too
unusual to be a coincidence. The last tests show this for the rates of dispatch tasks.
"""

import ast
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from statistics import mean
from typing import NamedTuple

import pytest

import controlplane.benchmarks.ecom
from controlplane.benchmarks.ecom.tasks.dispatch.dispatch_measure import DispatchMeasure
from controlplane.benchmarks.ecom.world.generator import generate
from controlplane.benchmarks.ecom.world.pages import DISPATCH
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.settings import WorldSettings
from controlplane.benchmarks.ecom.world.wordings import KNOWN, UNSEEN
from tests.benchmarks.ecom.reference_solutions import generate_variant
from tests.support.function_truths import CALLS_OF_FAMILY, task_and_environment
from tests.support.functions_here import function_result_and_calls

ECOM = Path(controlplane.benchmarks.ecom.__file__).parent
ROOT = ECOM.parent.parent
WORLD_FILES = ("tasks/**/*.py", "world/**/*.py", "world/company.json")
"""The generator and the grader, within the benchmark's folder: they may know every number."""
PLAYER_FOLDERS = ("benchmarks/shop", "gates", "prompts")
"""The functions, rules and prompts for agents: they may know only what pages state."""
PLAYER_FILES = ("shop_environment.py", "player_scripts.txt")
"""The files within the benchmark's folder that agents use, too."""
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
"""Methods of random generators. `rng.randint(13, 29)` gives another number in each world, so
nobody can know it beforehand, and 13 and 29 are not searched for."""
UNITS_OF_TIME = {0, 1, 7, 12, 24, 31, 60, 365, 3_600, 86_400}
POWERS_OF_TWO = {2**power for power in range(1, 17)}
LITERAL = (ast.Constant, ast.Tuple, ast.List, ast.Set, ast.Dict, ast.BinOp, ast.UnaryOp)
"""The expressions in which numbers are written down: `650`, `(5, 8)`, `90 / 256`, `-1`."""
COINCIDENCES: dict[object, str] = {
    0.25: "a chance of draws, and the wear of a scan; a share in a docstring of general arithmetic",
    0.85: "the chance of a customer's usual amount; the least likeness of a brand that a receipt repeats",
    15: "a house number and a percentage that a page states; counts and printed examples of general rules",
    13: "lines of an upload; an example in a docstring of general marks",
    21: "abandoned baskets of a world; the least characters of a wrapped line of a request",
    27: "lines of an upload; an example in a docstring of general marks",
    47: "minutes between archived payments; an example in a docstring of general marks",
    25: "days before a notice; words of a request, and the end of a day's hours",
    26: "open baskets of a world; an example in a docstring",
    29: "employee numbers of a world that nobody has; the last day of February in a leap year",
    36: "tasks of a family; hours in a table of durations",
    110: "characters of a line of a page; an example in a docstring",
    160: "lines of a cut read; characters between two words of a request",
    35: "a number of a world; the digits of 3½ in a docstring of general marks",
    510: "a number of a world; a time of day, 5.10 pm, in a docstring of general marks",
    2027: "the year of the first world; the year in a function's example",
}
"""Unusual numbers that are on both sides by coincidence.

Before the semicolon is the meaning in the world's code, after it that in the players'.
"""
TEXT_SUFFIXES = (".md", ".txt")
NUMBER_IN_TEXT = re.compile(r"(?<![\w.])\d[\d_]*(?:\.\d+)?(?![\w.])")
"""`650`, `3_600` or `6.50`, but not the digits of `a12` or `1.2.3`. The texts are our own files."""


def is_unusual(number: float) -> bool:
    """Return True if a number is too unusual to be on both sides by coincidence.

    650 is unusual. Small or round numbers, and those of time and memory, are not: 9, 400, 3,600.
    """
    is_small = number <= 12 and number == int(number)
    digits = f"{number:g}".replace(".", "").replace("e+", "").strip("0")
    is_round = len(digits) <= 1
    if is_small or is_round:
        return False
    return number not in UNITS_OF_TIME and number not in POWERS_OF_TWO


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
    if is_number(node):
        yield node.value
    if isinstance(node, ast.Slice):
        return
    if without_draws and is_draw(node):
        return
    for child in ast.iter_child_nodes(node):
        yield from numbers_below(child, without_draws=without_draws)


def named_values(node: ast.AST) -> list[tuple[ast.AST | str | None, ast.AST | None]]:
    """Return the values of a node that have a name, each with the name.

    Names are those of constants (`LATE` in `LATE = 650`), keys of dicts (`often` in
    `{"often": 58}`), and first elements (`often` in `("often", 58)`).
    """
    match node:
        case (
            ast.Assign(targets=[ast.Name(id=name)], value=value)
            | ast.AnnAssign(target=ast.Name(id=name), value=value)
        ):
            if isinstance(value, ast.Dict):
                return []  # Its entries have names of their own, by their keys.
            return [(name, value)]
        case ast.Dict(keys=keys, values=values):
            return list(zip(keys, values, strict=True))
        case ast.Tuple(elts=[first, *others]) | ast.List(elts=[first, *others]):
            return [(first, item) for item in others]
    return []


def named_numbers(tree: ast.AST) -> Iterator[tuple[str, float]]:
    """Yield each number that has a name, with the name: `("late", 650)`."""
    for node in ast.walk(tree):
        for name, value in named_values(node):
            if isinstance(name, ast.Constant):
                name = name.value  # A key that is written down: `"often"`.
            if not isinstance(name, str) or not isinstance(value, LITERAL):
                continue
            for number in numbers_below(value, without_draws=True):
                yield name.casefold().strip("_"), number


def tree_of(path: Path) -> ast.AST:
    """Return the syntax tree of a Python or JSON file."""
    text = path.read_text("utf-8")
    if path.suffix == ".json":
        text = repr(json.loads(text))
    return ast.parse(text)


def files_of_players() -> list[Path]:
    """Return the files of code, rules and prompts that agents use."""
    files = [ECOM / name for name in PLAYER_FILES]
    for folder in PLAYER_FOLDERS:
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in (".py", *TEXT_SUFFIXES):
                files.append(path)
    return files


def numbers_in_texts(texts: Iterable[str]) -> set[float]:
    """Return the numbers in texts. An amount of euros is there in cents, too: 6.5 and 650."""
    numbers = set[float]()
    for text in texts:
        for digits in NUMBER_IN_TEXT.findall(text):
            number = float(digits.replace("_", ""))
            numbers.add(number)
            if "." in digits:
                numbers.add(round(100 * number))
    return numbers


@cache
def shown_numbers() -> set[float]:
    """Return the numbers that the pages of all worlds show, where any agent may read them.

    The pages of eight worlds stand for those of all.
    """
    numbers_by_world = []
    for seed in range(8):
        settings = WorldSettings(
            profile="hard" if seed % 2 else "prod",
            wordings=UNSEEN if seed % 3 else KNOWN,
        )
        files = workspace_of(generate(f"numbers {seed}", settings)).files
        pages = [
            text for path, text in files.items() if path.casefold().endswith(".md")
        ]
        numbers_by_world.append(numbers_in_texts(pages))
    return set.intersection(*numbers_by_world)


def all_named_numbers(trees: Iterable[ast.AST]) -> set[tuple[str, float]]:
    """Return the numbers with names in several syntax trees."""
    numbers = set[tuple[str, float]]()
    for tree in trees:
        numbers.update(named_numbers(tree))
    return numbers


def unusual_numbers(trees: Iterable[ast.AST]) -> set[float]:
    """Return the unusual numbers in several syntax trees, except the bounds of draws."""
    numbers = set[float]()
    for tree in trees:
        for number in numbers_below(tree, without_draws=True):
            if is_unusual(number):
                numbers.add(number)
    return numbers


def all_numbers(trees: Iterable[ast.AST], texts: Iterable[str]) -> set[float]:
    """Return the numbers in code, in its strings and docstrings, and in other texts.

    A fraction is there as an amount in cents, too: 6.5 and 650.
    """
    numbers = numbers_in_texts(texts)
    for tree in trees:
        numbers.update(numbers_below(tree, without_draws=False))
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                numbers |= numbers_in_texts([node.value])
    cents = {round(100 * number) for number in numbers if number != int(number)}
    return numbers | cents


def leaks(
    world: Sequence[ast.AST], players: Sequence[ast.AST], texts: Iterable[str] = ()
) -> set[object]:
    """Return the numbers that players (what agents use) have in common with the code of worlds.

    These are numbers with the same name, `("late", 650)`, and unusual ones, 650. Unusual
    numbers that pages show are left out: an agent may read them.
    """
    shared_names = set[object]()
    for name, number in all_named_numbers(world) & all_named_numbers(players):
        if number not in (0, 1):
            shared_names.add((name, number))
    shared_numbers = unusual_numbers(world) & all_numbers(players, texts)
    return shared_names | (shared_numbers - shown_numbers())


def test_players_know_no_number_of_a_world_that_its_pages_do_not_state() -> None:
    """Players are the functions, prompts and rules that help an agent with tasks in a world."""
    player_code: list[ast.AST] = []
    player_texts: list[str] = []
    for path in files_of_players():
        if path.suffix == ".py":
            player_code.append(tree_of(path))
        else:
            player_texts.append(path.read_text("utf-8"))
    assert len(player_code) + len(player_texts) > 40  # The files were found.

    world_code: list[ast.AST] = []
    for pattern in WORLD_FILES:
        for path in ECOM.glob(pattern):
            world_code.append(tree_of(path))

    shared = leaks(world_code, player_code, player_texts)
    assert shared - set(COINCIDENCES) == set()


class Search(NamedTuple):
    """Code of a world and of a player, and the numbers that the search must find in both."""

    world_code: str
    player_code: str
    leaked: set[object]


@pytest.mark.parametrize(
    "search",
    [
        pytest.param(
            Search(
                world_code="LATE_CENTS = 650",
                player_code="def cost(late): return late * 650",
                leaked={650},
            ),
            id="an unusual number",
        ),
        pytest.param(
            Search(
                world_code="LATE_CENTS = 650",
                player_code='"Lateness costs EUR 6.50 by the unit."',
                leaked={650},
            ),
            id="an unusual number as an amount in a text",
        ),
        pytest.param(
            Search(
                world_code="LATE_CENTS: Final = 20",
                player_code="late_cents = 20",
                leaked={("late_cents", 20)},
            ),
            id="constants with one name",
        ),
        pytest.param(
            Search(
                world_code="OFTEN: Final = {'often': 90, 'long': (5, 8)}",
                player_code="_OFTEN = (('often', 90 / 256),)",
                leaked={("often", 90)},
            ),
            id="a dict's key and a tuple's first element",
        ),
        pytest.param(
            Search(
                world_code="SPAN = {'long': (5, 8)}",
                player_code="_SPANS = [('long', (5, 8))]",
                leaked={("long", 5), ("long", 8)},
            ),
            id="two numbers with one name",
        ),
        pytest.param(
            Search(
                world_code="DUE = rng.randint(13, 29)",
                player_code="x = 13",
                leaked=set(),
            ),
            id="the bound of a draw is not searched for",
        ),
        pytest.param(
            Search(world_code="MOST = 100", player_code="y = 100", leaked=set()),
            id="a round number with another name is not found",
        ),
    ],
)
def test_the_search_finds_unusual_numbers_and_those_with_one_name(
    search: Search,
) -> None:
    """`leaked` are the numbers that both pieces of code have, and that are no coincidence."""
    world_tree = ast.parse(search.world_code)
    player_tree = ast.parse(search.player_code)

    assert leaks([world_tree], [player_tree]) == search.leaked


# Dispatch: a task asks for a plan that sends packages by lanes with random delays. The rates say
# how often a lane is late, by how much, and what lateness costs.

WORLD_COUNT = 12


@pytest.mark.parametrize("wordings", [KNOWN, UNSEEN])
def test_the_page_on_dispatch_states_all_rates_of_its_world(wordings: str) -> None:
    """Plans are graded by these rates, which differ between worlds."""
    rates_of_worlds = set()
    for seed in range(WORLD_COUNT):
        task = generate_variant(
            "dispatch-wave", f"rates {seed}", WorldSettings(wordings=wordings)
        )
        assert isinstance(task.truth.measure, DispatchMeasure)
        rates = task.truth.measure.wave.rates

        page = workspace_of(task.world).files[task.world.names.pages[DISPATCH]]
        stated_numbers = numbers_in_texts([page])

        assert stated_numbers >= set(rates.delayed_percent.values())
        for shortest, longest in rates.delay_units.values():
            assert shortest in stated_numbers
            assert longest in stated_numbers
        assert rates.late_cents in stated_numbers
        assert rates.missed_cents in stated_numbers
        rates_of_worlds.add((rates.late_cents, *rates.delayed_percent.values()))

    assert len(rates_of_worlds) == WORLD_COUNT  # Every world has other rates.


RATES_OF_ANOTHER_WORLD = {
    "late_cents": 50,
    "delays": {
        "unlikely": 10,
        "often": 23,
        "likely": 10,
        "short": [1, 1],
        "medium": [1, 2],
        "long": [1, 2],
    },
}
"""Rates that differ from those of a page as much as worlds differ from each other.

The percentages say how often lanes of three kinds are late, the pairs by how many units.
"""


def test_a_plan_by_the_rates_of_another_world_earns_less() -> None:
    """So a player gains nothing from rates that it knows from another world.

    The planning function takes the rates from the page, unless its arguments give others.
    """
    scores_by_page = []
    scores_by_other_rates = []
    for seed in range(1, 1 + WORLD_COUNT):
        task, environment = task_and_environment("dispatch-wave", seed)
        measure = task.truth.measure
        assert isinstance(measure, DispatchMeasure)
        (call,) = CALLS_OF_FAMILY["dispatch-wave"](task)

        result, _ = function_result_and_calls(
            environment, call.function, **call.arguments
        )
        score, _ = measure.measure(result["value"]["answer"], ())
        scores_by_page.append(score)

        result, _ = function_result_and_calls(
            environment, call.function, **call.arguments, **RATES_OF_ANOTHER_WORLD
        )
        score, _ = measure.measure(result["value"]["answer"], ())
        scores_by_other_rates.append(score)

    assert mean(scores_by_page) > 0.97  # The best known plan scores 1.
    assert mean(scores_by_other_rates) < mean(scores_by_page) - 0.05
