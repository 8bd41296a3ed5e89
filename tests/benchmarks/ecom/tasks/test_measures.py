"""Grades: what each fault costs, and tasks that are scored
in fractions, as the public benchmark graded them."""

import csv
import json
import re
from pathlib import Path

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.dispatch_measure import DispatchMeasure, plan_of
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
from controlplane.benchmarks.ecom.world.rendered_world import (
    text_of_record,
    workspace_of,
)
from controlplane.benchmarks.ecom.world.settings import WorldSettings
from controlplane.gates.submission import CLARIFICATION, DENIED, OK, UNSUPPORTED

SAMPLES = Path(__file__).resolve().parents[5] / "shared" / "ecom1" / "samples"
PUBLIC = {"BD2bv3HB": "", "Yj4oo8jz": "_wave2", "ApdgNmry": "_wave3"}


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


def lane(
    name: str,
    start: str,
    end: str,
    *,
    capacity: int = 1,
    eta: int = 2,
    often: str = "unlikely",
) -> Lane:
    return Lane(name, start, end, capacity, eta, 100, often, "long")


def wave_of(lanes: list[Lane], packages: int = 3) -> Wave:
    names = [f"P{number}" for number in range(packages)]
    packages = {name: Package(name, "a", "c", 5, 1000) for name in names}
    return Wave("w", packages, {lane.id: lane for lane in lanes}, PUBLIC_RATES)


def public_wave(wave_id: str, *tables: str) -> Wave:
    """Return the wave of a public table of packages and one of lanes."""
    packages, lanes = (
        list(csv.DictReader(table.splitlines(), delimiter="\t")) for table in tables
    )
    pattern = re.compile("delays (.*); (.*) when delayed")
    return Wave(
        wave_id,
        {
            row["package_id"]: Package(
                row["package_id"],
                row["from_store_id"],
                row["to_store_id"],
                int(row["due_time"]),
                int(row["margin_cents"]),
            )
            for row in packages
        },
        {
            row["lane_id"]: Lane(
                *(row["lane_id"], row["from"], row["to"]),
                *(int(row[name]) for name in ("capacity", "eta", "cost_cents")),
                *pattern.match(row["delay_hint"]).groups(),
            )
            for row in lanes
        },
        PUBLIC_RATES,
    )


TWO_LEGS = wave_of([lane("ab", "a", "b"), lane("bc", "b", "c", capacity=2)])


@pytest.mark.parametrize(
    ("entry", "is_usable"),
    [
        ({"package_id": "P0", "route": ["ab", "bc"], "priority": 1}, True),
        ({"package_id": "P0", "route": ["bc", "ab"], "priority": 1}, False),
        ({"package_id": "P0", "route": ["ab"], "priority": 1}, False),
        ({"package_id": "P0", "route": [], "priority": 1}, False),
        ({"package_id": "P0", "route": ["ab", "bc"] * 50, "priority": 1}, False),
        ({"package_id": "P0", "route": ["ab", "bc"], "priority": True}, False),
        ({"package_id": "P0", "route": ["ab", "bc"], "priority": "1"}, False),
        ({"package_id": "P0", "route": "ab", "priority": 1}, False),
        ({"package_id": "PX", "route": ["ab", "bc"], "priority": 1}, False),
    ],
)
def test_an_entry_must_name_a_package_a_connecting_route_and_a_priority(
    entry: object, is_usable: bool
) -> None:
    plan, faults = plan_of(json.dumps({"assignments": [entry]}), TWO_LEGS)
    assert bool(plan) is is_usable
    assert len(faults) == (2 if is_usable else 4 if "PX" in json.dumps(entry) else 3)


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the samples are not here")
@pytest.mark.parametrize("wave_id", PUBLIC)
def test_a_public_wave_gains_what_the_public_benchmark_graded(wave_id: str) -> None:
    tables = [
        (SAMPLES / f"dispatch_{kind}{PUBLIC[wave_id]}.tsv").read_text("utf-8")
        for kind in ("packages", "lanes")
    ]
    lines = (SAMPLES / "dispatch_answers_scored.jsonl").read_text("utf-8").splitlines()
    (graded,) = (
        answer for answer in map(json.loads, lines) if answer["wave"] == wave_id
    )
    message = (
        graded["message"]
        if isinstance(graded["message"], str)
        else json.dumps(graded["message"])
    )
    measure = DispatchMeasure(public_wave(wave_id, *tables))
    gain = mean_gain(measure.wave, plan_of(message, measure.wave)[0])

    assert gain / (HEADROOM * mean_gain(measure.wave, measure.best)) == pytest.approx(
        graded["score"], abs=0.012
    )


WORLD = generate("grader", WorldSettings(names="own"))
TABLE = "/archive/export.tsv"
WORLD.files[TABLE] = "row_id\tamount\nAR-1\t10\nAR-2\t20\n"


def bought(*calls: tuple[str, str, str]) -> Grade:
    """Return the grade of a checkout that is asked for,
    after some calls: operation, path, argument or content."""
    basket = next(
        basket for basket in WORLD.baskets.values() if basket.status == "active"
    )
    path, environment = WORLD.path(basket), EcomEnvironment(workspace_of(WORLD))
    after = text_of_record(WORLD, basket, status="checked_out")
    texts = {"bought": after, "first": text_of_record(WORLD, basket)}
    for operation, tool, given in calls:
        if operation == "exec":
            environment.call(
                "exec", {"path": tool, "args": [given.format(id=basket.id)]}
            )
        else:
            environment.call("write", {"path": path, "content": texts[given]})
    environment.answer("Done.", OK, [path])
    truth = Truth(
        "Buy it.",
        "Done.",
        must_cite=(path,),
        changes={path: after},
        calls=(("checkout", basket.id),),
    )
    return grade(truth, environment)


CHECKOUT = ("exec", "/bin/checkout", "{id}")


@pytest.mark.parametrize(
    ("calls", "score"),
    [
        ((CHECKOUT,), 1.0),
        ((("exec", "/bin/checkout", "--help"), CHECKOUT), 1.0),
        # A tool that failed did nothing.
        (
            (("exec", "/bin/checkout", "none"), CHECKOUT),
            1.0,
        ),
        ((("write", "", "bought"),), 0.0),
        ((CHECKOUT, ("write", "", "first"), CHECKOUT), 0.0),
        ((CHECKOUT, ("write", "", "bought")), 0.0),
    ],
)
def test_a_change_that_a_page_binds_to_a_tool_counts_only_by_it_and_once(
    calls: tuple[tuple[str, str, str], ...], score: float
) -> None:
    assert bought(*calls).score == score


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
