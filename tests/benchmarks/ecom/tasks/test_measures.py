"""Grades: what each fault costs, and tasks that are scored
in fractions, as the public benchmark graded them."""

import csv
import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.dispatch_measure import (
    DispatchMeasure,
    ReadPlan,
    plan_of,
)
from controlplane.benchmarks.ecom.tasks.dispatch_waves import (
    Lane,
    Package,
    Wave,
    mean_gain,
)
from controlplane.benchmarks.ecom.tasks.grader import Grade, grade
from controlplane.benchmarks.ecom.tasks.truth import Truth
from controlplane.benchmarks.ecom.world.dispatch_rates import DispatchRates
from controlplane.benchmarks.ecom.world.generator import generate
from controlplane.benchmarks.ecom.world.records import Basket
from controlplane.benchmarks.ecom.world.rendered_world import (
    text_of_record,
    workspace_of,
)
from controlplane.benchmarks.ecom.world.settings import WorldSettings
from controlplane.gates.submission import CLARIFICATION, DENIED, OK, UNSUPPORTED
from controlplane.sandbox.interface import Plain

SAMPLES = Path(__file__).resolve().parents[5] / "shared" / "ecom1" / "samples"
SUFFIX_OF_WAVE = {"BD2bv3HB": "", "Yj4oo8jz": "_wave2", "ApdgNmry": "_wave3"}
"""The tables of wave `Yj4oo8jz` are `dispatch_packages_wave2.tsv`, `dispatch_lanes_wave2.tsv`."""


HEADROOM = 1.2
"""The public benchmark's score is the gain divided by this much of a good plan's gain."""


PUBLIC_RATES = DispatchRates(
    {"unlikely": 26 / 2.56, "often": 58 / 2.56, "likely": 90 / 2.56},
    {"short": (1, 3), "medium": (2, 4), "long": (5, 8)},
    650,
    5_000,
)
"""The rates by which the public benchmark graded its waves;
that of missed packages is ours, since none was missed."""


def read_table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(text.splitlines(), delimiter="\t"))


DELAY_HINT = re.compile("delays (?P<often>.*); (?P<long>.*) when delayed")
"""How often and how long a lane is delayed: `delays unlikely; short when delayed`."""


def public_wave(wave_id: str, packages_table: str, lanes_table: str) -> Wave:
    """Return the wave of a public table of packages and one of lanes."""
    packages = {}
    for row in read_table(packages_table):
        packages[row["package_id"]] = Package(
            row["package_id"],
            row["from_store_id"],
            row["to_store_id"],
            int(row["due_time"]),
            int(row["margin_cents"]),
        )
    lanes = {}
    for row in read_table(lanes_table):
        delay = DELAY_HINT.match(row["delay_hint"])
        assert delay is not None
        lanes[row["lane_id"]] = Lane(
            row["lane_id"],
            row["from"],
            row["to"],
            int(row["capacity"]),
            int(row["eta"]),
            int(row["cost_cents"]),
            delay["often"],
            delay["long"],
        )
    return Wave(wave_id, packages, lanes, PUBLIC_RATES)


def lane(lane_id: str, start: str, end: str) -> Lane:
    return Lane(
        lane_id,
        start,
        end,
        capacity=1,
        eta=2,
        cost_cents=100,
        delay_frequency="unlikely",
        delay_length="long",
    )


def package(package_id: str) -> Package:
    """Return a package that is to go from `a` to `c`."""
    return Package(package_id, start="a", end="c", due=5, margin_cents=1_000)


TWO_LEGS = Wave(
    "w",
    {package_id: package(package_id) for package_id in ("P0", "P1", "P2")},
    {"ab": lane("ab", "a", "b"), "bc": lane("bc", "b", "c")},
    PUBLIC_RATES,
)
"""Three packages from `a` to `c`, and lanes from `a` to `b` and from `b` to `c`."""


def plan_with(**entry: object) -> ReadPlan:
    """Read a plan for `TWO_LEGS` that has one entry."""
    return plan_of(json.dumps({"assignments": [entry]}), TWO_LEGS)


P1_LEFT_OUT = "package P1 is left out"
P2_LEFT_OUT = "package P2 is left out"


def test_an_entry_with_a_package_a_connecting_route_and_a_priority_is_usable() -> None:
    plan, faults = plan_with(package_id="P0", route=["ab", "bc"], priority=1)

    assert list(plan) == ["P0"]
    assert faults == [P1_LEFT_OUT, P2_LEFT_OUT]


@pytest.mark.parametrize(
    ("route", "priority"),
    [
        pytest.param(["bc", "ab"], 1, id="lanes in the wrong order"),
        pytest.param(["ab"], 1, id="half of the way"),
        pytest.param([], 1, id="no lanes"),
        pytest.param(["ab", "bc"] * 50, 1, id="more lanes than a route may have"),
        pytest.param(["ab", "bc"], True, id="a boolean as priority"),
        pytest.param(["ab", "bc"], "1", id="a text as priority"),
        pytest.param("ab", 1, id="a text as route"),
    ],
)
def test_an_entry_without_a_connecting_route_or_a_priority_is_a_fault(
    route: object, priority: object
) -> None:
    plan, faults = plan_with(package_id="P0", route=route, priority=priority)

    assert plan == {}
    assert faults == ["package P0 has no usable route", P1_LEFT_OUT, P2_LEFT_OUT]


def test_an_entry_for_an_unknown_package_is_a_fault() -> None:
    plan, faults = plan_with(package_id="PX", route=["ab", "bc"], priority=1)

    assert plan == {}
    assert faults == [
        "there is no package 'PX'",
        "package P0 is left out",
        P1_LEFT_OUT,
        P2_LEFT_OUT,
    ]


def sample_text(name: str) -> str:
    return (SAMPLES / name).read_text("utf-8")


def graded_answer(wave_id: str) -> tuple[str, float]:
    """Return the message that the public benchmark graded for a wave, and its score."""
    for line in sample_text("dispatch_answers_scored.jsonl").splitlines():
        answer = json.loads(line)
        if answer["wave"] == wave_id:
            message = answer["message"]
            if not isinstance(message, str):
                message = json.dumps(message)
            return message, answer["score"]
    msg = f"no answer for wave {wave_id} was graded"
    raise AssertionError(msg)


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the samples are not here")
@pytest.mark.parametrize("wave_id", SUFFIX_OF_WAVE)
def test_a_public_wave_gains_what_the_public_benchmark_graded(wave_id: str) -> None:
    suffix = SUFFIX_OF_WAVE[wave_id]
    packages = sample_text(f"dispatch_packages{suffix}.tsv")
    lanes = sample_text(f"dispatch_lanes{suffix}.tsv")
    measure = DispatchMeasure(public_wave(wave_id, packages, lanes))
    message, public_score = graded_answer(wave_id)

    plan = plan_of(message, measure.wave).plan
    gain = mean_gain(measure.wave, plan)
    best_gain = mean_gain(measure.wave, measure.best)

    # Gains are means over random delays, which differ from those of the public benchmark.
    assert gain / (HEADROOM * best_gain) == pytest.approx(public_score, abs=0.012)


WORLD = generate("grader", WorldSettings(names="own"))


def active_basket() -> Basket:
    for basket in WORLD.baskets.values():
        if basket.status == "active":
            return basket
    msg = "the world has no active basket"
    raise AssertionError(msg)


ACTIVE_BASKET = active_basket()
BASKET_PATH = WORLD.path(ACTIVE_BASKET)
BASKET_TEXT = text_of_record(WORLD, ACTIVE_BASKET)
CHECKED_OUT_TEXT = text_of_record(WORLD, ACTIVE_BASKET, status="checked_out")

ToolCall = tuple[str, dict[str, Plain]]
"""An operation with its arguments."""


def checkout(argument: str) -> ToolCall:
    return "exec", {"path": "/bin/checkout", "args": [argument]}


def write_basket(content: str) -> ToolCall:
    return "write", {"path": BASKET_PATH, "content": content}


CHECKOUT = checkout(ACTIVE_BASKET.id)


def grade_of_checkout(calls: Sequence[ToolCall]) -> Grade:
    """Return the grade of a trial that is to check a basket out and makes these calls."""
    environment = EcomEnvironment(workspace_of(WORLD))
    for operation, arguments in calls:
        environment.call(operation, arguments)
    environment.answer("Done.", OK, [BASKET_PATH])
    truth = Truth(
        "Buy it.",
        "Done.",
        must_cite=(BASKET_PATH,),
        changes={BASKET_PATH: CHECKED_OUT_TEXT},
        calls=(("checkout", ACTIVE_BASKET.id),),
    )
    return grade(truth, environment)


@pytest.mark.parametrize(
    "calls",
    [
        pytest.param([CHECKOUT], id="checkout"),
        pytest.param([checkout("--help"), CHECKOUT], id="help before"),
        pytest.param([checkout("none"), CHECKOUT], id="failed checkout before"),
    ],
)
def test_a_change_that_a_page_binds_to_a_tool_counts_if_the_tool_makes_it(
    calls: Sequence[ToolCall],
) -> None:
    assert grade_of_checkout(calls).score == 1.0


@pytest.mark.parametrize(
    "calls",
    [
        pytest.param([write_basket(CHECKED_OUT_TEXT)], id="written by hand"),
        pytest.param([CHECKOUT, write_basket(BASKET_TEXT), CHECKOUT], id="made twice"),
        pytest.param(
            [CHECKOUT, write_basket(CHECKED_OUT_TEXT)], id="written once more"
        ),
    ],
)
def test_a_change_that_a_page_binds_to_a_tool_fails_by_hand_or_twice(
    calls: Sequence[ToolCall],
) -> None:
    assert grade_of_checkout(calls).score == 0.0


@pytest.mark.parametrize("outcome", [DENIED, UNSUPPORTED, CLARIFICATION])
def test_a_refusal_or_a_question_after_a_change_that_was_undone_scores_nothing(
    outcome: str,
) -> None:
    environment = EcomEnvironment(workspace_of(WORLD))
    environment.call("write", {"path": "/tmp/draft", "content": "x"})
    environment.call("delete", {"path": "/tmp/draft"})
    environment.answer("No.", outcome, [])

    result = grade(Truth("Do it.", "No.", outcome), environment)

    assert result == Grade(
        0.0, ("expected no changing call, got [write /tmp/draft, delete /tmp/draft]",)
    )
