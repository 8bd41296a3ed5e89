"""No function, prompt or rule holds a number that decides
a world or a score and that no page of the world states.

Two searches compare the syntax of the world's generator and grader with
that of everything that plays or judges. The first looks for numbers under the same
name or word (`{"often": 58}` in both), the second for telling numbers anywhere.
Numbers that the pages of every sampled world show may be known. What a world draws
is not searched for: a fixed number is wrong in the next world, which the last tests
show for the rates of dispatch waves.
"""

import ast
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from statistics import mean

import pytest

import controlplane.benchmarks.ecom
from controlplane.benchmarks.ecom.tasks.dispatch_measure import DispatchMeasure
from controlplane.benchmarks.ecom.world.generator import generate
from controlplane.benchmarks.ecom.world.pages import DISPATCH
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.settings import WorldSettings
from controlplane.benchmarks.ecom.world.wordings import KNOWN, UNSEEN
from tests.benchmarks.ecom.reference_solutions import generate_variant
from tests.support.function_truths import CALLS_OF_FAMILY, opened
from tests.support.functions_here import function_result_and_calls

ECOM = Path(controlplane.benchmarks.ecom.__file__).parent
ROOT = ECOM.parent.parent
WORLD = ("tasks/**/*.py", "world/**/*.py", "world/company.json")
"""The generator and the grader, within the benchmark's folder."""
PLAYERS = ("benchmarks/shop", "gates", "prompts")
"""The folders of functions, rules and prompts;
beside them the benchmark's own player and its scripts."""
DRAWS = {
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
"""Methods of random generators: what stands in their calls bounds a draw, and differs by world."""
EVERYDAY = {0, 1, 7, 12, 24, 31, 60, 365, 3_600, 86_400} | {
    2**power for power in range(1, 17)
}
LITERAL = (ast.Constant, ast.Tuple, ast.List, ast.Set, ast.Dict, ast.BinOp, ast.UnaryOp)
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
"""Telling numbers that are in both without being knowledge
of the world, with what they are there and here."""
TEXTS = (".md", ".txt")
NUMBER = re.compile(r"(?<![\w.])\d[\d_]*(?:\.\d+)?(?![\w.])")
"""A number of a text. The texts are our own files."""


def is_telling(number: float) -> bool:
    """Say whether a number is rare enough to come from somewhere.

    It is not small, round, or a unit of time or memory: 650 is telling; 9, 400 and 3,600 are not.
    """
    is_small = number <= 12 and number == int(number)
    digits = f"{number:g}".replace(".", "").replace("e+", "").strip("0")
    is_round = len(digits) <= 1
    return not is_small and not is_round and number not in EVERYDAY


def is_draw(node: ast.AST) -> bool:
    """Say whether a node is a call such as `rng.randint(13, 29)`."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in DRAWS
    )


def is_number(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Constant)
        and isinstance(node.value, int | float)
        and not isinstance(node.value, bool)
    )


def numbers_below(node: ast.AST, *, without_draws: bool) -> Iterator[float]:
    """Yield the numbers of a syntax tree, perhaps without
    those in calls that draw, and without bounds of slices."""
    if is_number(node):
        yield node.value
    if isinstance(node, ast.Slice):
        return
    if without_draws and is_draw(node):
        return
    for child in ast.iter_child_nodes(node):
        yield from numbers_below(child, without_draws=without_draws)


def named_values(node: ast.AST) -> list[tuple[ast.AST | str | None, ast.AST | None]]:
    """Return each name, or word that stands before a value, with the value.

    `LATE = 650` has `LATE` and 650, `{"often": 58}` and `("often", 58)` have `often` and 58.
    The entries of a dict that has a name are named by their keys.
    """
    match node:
        case (
            ast.Assign(targets=[ast.Name(id=name)], value=value)
            | ast.AnnAssign(target=ast.Name(id=name), value=value)
        ):
            if isinstance(value, ast.Dict):
                return []
            return [(name, value)]
        case ast.Dict(keys=keys, values=values):
            return list(zip(keys, values, strict=True))
        case ast.Tuple(elts=[first, *others]) | ast.List(elts=[first, *others]):
            return [(first, item) for item in others]
    return []


def named_numbers(tree: ast.AST) -> Iterator[tuple[str, float]]:
    """Yield a name or word and each number behind it:
    of constants, and of entries of dicts and lists."""
    for node in ast.walk(tree):
        for key, value in named_values(node):
            word = key.value if isinstance(key, ast.Constant) else key
            if not isinstance(word, str) or not isinstance(value, LITERAL):
                continue
            for number in numbers_below(value, without_draws=True):
                yield word.casefold().strip("_"), number


def tree_of(path: Path) -> ast.AST:
    """Return the syntax tree of a Python or JSON file;
    JSON is Python's syntax but for three words."""
    text = path.read_text("utf-8")
    return ast.parse(text if path.suffix == ".py" else repr(json.loads(text)))


def files_of_players() -> list[Path]:
    """Return the files of code, rules and prompts by which the benchmark is played."""
    files = [ECOM / "shop_environment.py", ECOM / "player_scripts.txt"]
    for folder in PLAYERS:
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in (".py", *TEXTS):
                files.append(path)
    return files


def numbers_in_texts(texts: Iterable[str]) -> set[float]:
    """Return the numbers of texts; an amount such as `6.50` is also 650."""
    numbers = set[float]()
    for text in texts:
        for digits in NUMBER.findall(text):
            number = float(digits.replace("_", ""))
            numbers.add(number)
            if "." in digits:
                numbers.add(round(100 * number))
    return numbers


@cache
def shown_numbers() -> set[float]:
    """Return the numbers that the pages of every sampled world show."""
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
    named = set[tuple[str, float]]()
    for tree in trees:
        named.update(named_numbers(tree))
    return named


def telling_numbers(trees: Iterable[ast.AST]) -> set[float]:
    telling = set[float]()
    for tree in trees:
        for number in numbers_below(tree, without_draws=True):
            if is_telling(number):
                telling.add(number)
    return telling


def all_numbers(trees: Iterable[ast.AST], texts: Iterable[str]) -> set[float]:
    """Return the numbers of code, of the texts in it, and of other texts.

    A fraction is also there as an amount in cents: `6.5` as 650.
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
    """Return what players share with a world: (name, number), and telling numbers alone.

    Shown numbers are left out.
    """
    shared_names = set[object]()
    for name, number in all_named_numbers(world) & all_named_numbers(players):
        if number not in (0, 1):
            shared_names.add((name, number))
    shared_numbers = telling_numbers(world) & all_numbers(players, texts)
    return shared_names | (shared_numbers - shown_numbers())


def test_no_number_of_a_world_is_known_without_a_page_that_states_it() -> None:
    code: list[ast.AST] = []
    texts: list[str] = []
    for path in files_of_players():
        if path.suffix == ".py":
            code.append(tree_of(path))
        else:
            texts.append(path.read_text("utf-8"))
    world = [tree_of(path) for pattern in WORLD for path in ECOM.glob(pattern)]

    assert len(code) + len(texts) > 40  # The search has found the players' files.
    assert leaks(world, code, texts) - set(COINCIDENCES) == set()


@pytest.mark.parametrize(
    ("world_code", "player_code", "leaked"),
    [
        ("LATE_CENTS = 650", "def cost(late): return late * 650", {650}),
        ("LATE_CENTS = 650", '"Lateness costs EUR 6.50 by the unit."', {650}),
        ("LATE_CENTS: Final = 20", "late_cents = 20", {("late_cents", 20)}),
        (
            "OFTEN: Final = {'often': 90, 'long': (5, 8)}",
            "_OFTEN = (('often', 90 / 256),)",
            {("often", 90)},
        ),
        (
            "SPAN = {'long': (5, 8)}",
            "_SPANS = [('long', (5, 8))]",
            {("long", 5), ("long", 8)},
        ),
        ("DUE = rng.randint(13, 29)", "x = 13", set()),
        ("MOST = 100", "y = 100", set()),
    ],
)
def test_the_search_finds_numbers_under_one_name_and_telling_ones_anywhere(
    world_code: str, player_code: str, leaked: set[object]
) -> None:
    assert leaks([ast.parse(world_code)], [ast.parse(player_code)]) == leaked


WORLD_COUNT = 12


@pytest.mark.parametrize("wordings", [KNOWN, UNSEEN])
def test_the_page_on_dispatch_states_the_rates_by_which_plans_are_graded(
    wordings: str,
) -> None:
    rates_of_worlds = set()
    for seed in range(WORLD_COUNT):
        task = generate_variant(
            "dispatch-wave#1", f"rates {seed}", WorldSettings(wordings=wordings)
        )
        assert isinstance(task.truth.measure, DispatchMeasure)
        rates = task.truth.measure.wave.rates

        page = workspace_of(task.world).files[task.world.names.pages[DISPATCH]]
        stated = numbers_in_texts([page])

        assert stated >= set(rates.delayed_percent.values())
        for shortest, longest in rates.delay_units.values():
            assert {shortest, longest} <= stated
        assert rates.late_cents in stated
        assert rates.missed_cents in stated
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
"""As far from those of the pages as worlds lie apart."""


def test_a_plan_by_the_rates_of_another_world_earns_less() -> None:
    scores_by_page = []
    scores_by_other_rates = []
    for seed in range(1, 1 + WORLD_COUNT):
        task, environment = opened("dispatch-wave", seed)
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

    assert mean(scores_by_page) > 0.97
    assert mean(scores_by_other_rates) < mean(scores_by_page) - 0.05
