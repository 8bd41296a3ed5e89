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
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

import controlplane.benchmarks.ecom
from controlplane.benchmarks.ecom.tasks.dispatch_measure import DispatchMeasure
from controlplane.benchmarks.ecom.world.generator import generate
from controlplane.benchmarks.ecom.world.pages import DISPATCH
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.settings import WorldSettings
from controlplane.benchmarks.ecom.world.wordings import KNOWN, UNSEEN
from tests.benchmarks.ecom.reference_solutions import generate_variant
from tests.support.function_truths import CALLS, found, opened

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
    """Say whether a number is rare enough to come from somewhere:
    not small, round, or a unit of time or memory."""
    digits = f"{number:g}".replace(".", "").replace("e+", "").strip("0")
    return (
        (number > 12 or number != int(number))
        and number not in EVERYDAY
        and len(digits) > 1
    )


def numbers_below(node: ast.AST, *, without_draws: bool) -> Iterator[float]:
    """Yield the numbers of a syntax tree, perhaps without
    those in calls that draw, and without bounds of slices."""
    if (
        isinstance(node, ast.Constant)
        and isinstance(node.value, int | float)
        and not isinstance(node.value, bool)
    ):
        yield node.value
    is_draw = (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in DRAWS
    )
    if not isinstance(node, ast.Slice) and not (is_draw and without_draws):
        for child in ast.iter_child_nodes(node):
            yield from numbers_below(child, without_draws=without_draws)


def named_numbers(tree: ast.AST) -> Iterator[tuple[str, float]]:
    """Yield a name or word and each number behind it:
    of constants, and of entries of dicts and lists."""
    for node in ast.walk(tree):
        pairs: list[tuple[ast.AST | str | None, ast.AST | None]] = []
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=value)
            ):
                pairs = [] if isinstance(value, ast.Dict) else [(name, value)]
            case ast.Dict(keys=keys, values=values):
                pairs = [*zip(keys, values, strict=True)]
            case ast.Tuple(elts=[first, *others]) | ast.List(elts=[first, *others]):
                pairs = [(first, item) for item in others]
        for key, value in pairs:
            word = key.value if isinstance(key, ast.Constant) else key
            if isinstance(word, str) and isinstance(value, LITERAL):
                yield from (
                    (word.casefold().strip("_"), number)
                    for number in numbers_below(value, without_draws=True)
                )


def tree_of(path: Path) -> ast.AST:
    """Return the syntax tree of a Python or JSON file;
    JSON is Python's syntax but for three words."""
    text = path.read_text("utf-8")
    return ast.parse(text if path.suffix == ".py" else repr(json.loads(text)))


def files_of_players() -> list[Path]:
    found = [
        path
        for folder in PLAYERS
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".py", *TEXTS)
    ]
    return [*found, ECOM / "shop_environment.py", ECOM / "player_scripts.txt"]


def numbers_in_texts(texts: Iterable[str]) -> set[float]:
    """Return the numbers of texts; an amount such as `6.50` is also 650."""
    read = [
        number.replace("_", "") for text in texts for number in NUMBER.findall(text)
    ]
    return {
        *map(float, read),
        *(round(100 * float(number)) for number in read if "." in number),
    }


@cache
def shown_numbers() -> set[float]:
    """Return the numbers that the pages of every sampled world show."""
    shown = []
    for seed in range(8):
        settings = WorldSettings(
            profile="hard" if seed % 2 else "prod",
            wordings=UNSEEN if seed % 3 else KNOWN,
        )
        files = workspace_of(generate(f"numbers {seed}", settings)).files
        shown.append(
            numbers_in_texts(
                files[path] for path in files if path.casefold().endswith(".md")
            )
        )
    return set.intersection(*shown)


def leaks(
    world: Iterable[ast.AST], played: Iterable[ast.AST], texts: Iterable[str] = ()
) -> set[object]:
    """Return what players share with a world: (name, number), and telling numbers alone.

    Shown numbers are left out.
    """
    world, played = list(world), list(played)
    known = {pair for tree in world for pair in named_numbers(tree)}
    named = {pair for tree in played for pair in named_numbers(tree)}
    same = {pair for pair in known & named if pair[1] not in (0, 1)}
    hidden = {
        number
        for tree in world
        for number in numbers_below(tree, without_draws=True)
        if is_telling(number)
    }
    held = {
        number for tree in played for number in numbers_below(tree, without_draws=False)
    }
    written = [
        node.value
        for tree in played
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
    ]
    held |= numbers_in_texts(
        [*texts, *(text for text in written if isinstance(text, str))]
    )
    held |= {round(100 * number) for number in held if number != int(number)}
    return same | ((hidden & held) - shown_numbers())


def test_no_number_of_a_world_is_known_without_a_page_that_states_it() -> None:
    played = files_of_players()
    assert len(played) > 40
    code = [tree_of(path) for path in played if path.suffix == ".py"]
    texts = [path.read_text("utf-8") for path in played if path.suffix != ".py"]
    world = [tree_of(path) for pattern in WORLD for path in ECOM.glob(pattern)]
    assert leaks(world, code, texts) - set(COINCIDENCES) == set()


@pytest.mark.parametrize(
    ("world", "played", "leaked"),
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
    world: str, played: str, leaked: set[object]
) -> None:
    assert leaks([ast.parse(world)], [ast.parse(played)]) == leaked


@pytest.mark.parametrize("half", [KNOWN, UNSEEN])
def test_the_page_on_dispatch_states_the_rates_by_which_plans_are_graded(
    half: str,
) -> None:
    drawn = set()
    for seed in range(12):
        task = generate_variant(
            "dispatch-wave#1", f"rates {seed}", WorldSettings(wordings=half)
        )
        measure, world = task.truth.measure, task.world
        assert isinstance(measure, DispatchMeasure)
        rates = measure.wave.rates
        page = workspace_of(world).files[world.names.pages[DISPATCH]]
        stated = numbers_in_texts([page])
        assert stated >= {
            *rates.delayed_percent.values(),
            *(bound for bounds in rates.delay_units.values() for bound in bounds),
        }
        assert stated >= {rates.late_cents, rates.missed_cents}
        drawn.add((rates.late_cents, *rates.delayed_percent.values()))

    assert len(drawn) == 12


def test_a_plan_by_the_rates_of_another_world_earns_less() -> None:
    """Reckons with the rates of the page, and with
    fixed ones as far from them as worlds lie apart."""
    scores = []
    for seed in range(1, 13):
        task, environment = opened("dispatch-wave", seed)
        (call,) = CALLS["dispatch-wave"](task)
        measure = task.truth.measure
        assert isinstance(measure, DispatchMeasure)
        other = {
            "unlikely": 10,
            "often": 23,
            "likely": 10,
            "short": [1, 1],
            "medium": [1, 2],
            "long": [1, 2],
        }
        plans = [
            found(environment, call.function, **call.arguments, **more)
            for more in ({}, {"late_cents": 50, "delays": other})
        ]
        scores.append(
            [measure.measure(plan[0]["value"]["answer"], ())[0] for plan in plans]
        )
    stated, fixed = (sum(column) / len(scores) for column in zip(*scores, strict=True))

    assert stated > 0.97
    assert fixed < stated - 0.05
