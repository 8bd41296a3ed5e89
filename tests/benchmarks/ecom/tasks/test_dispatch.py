"""Dispatch: the event model, what plans cost, and the public waves, whose grades are known."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.ecom.solutions.reference_solutions import plan_message
from benchmarks.ecom.tasks.dispatch import (
    RUNS,
    DispatchMeasure,
    Lane,
    Package,
    Wave,
    arrivals,
    mean_gain,
    naive_plans,
    parse_wave,
    plan_of,
    play,
)
from tests.benchmarks.ecom.variants import pose_variant

SAMPLES = Path(__file__).resolve().parents[5] / "shared" / "ecom1" / "samples"
PUBLIC = {"BD2bv3HB": "", "Yj4oo8jz": "_wave2", "ApdgNmry": "_wave3"}


HEADROOM = 1.2
"""The public benchmark's score is the gain divided by this much of a good plan's gain."""


def lane(name: str, start: str, end: str, *, capacity: int = 1, eta: int = 2, often: str = "unlikely") -> Lane:
    return Lane(name, start, end, capacity, eta, 100, often, "long")


def wave_of(lanes: list[Lane], packages: int = 3) -> Wave:
    names = [f"P{number}" for number in range(packages)]
    return Wave("w", {name: Package(name, "a", "c", 5, 1000) for name in names}, {each.id: each for each in lanes})


TWO_LEGS = wave_of([lane("ab", "a", "b"), lane("bc", "b", "c", capacity=2)])
WAY = ("ab", "bc")


def test_a_lane_sends_one_trip_per_time_unit_and_the_lowest_priority_number_first() -> None:
    arrived, cost = arrivals(TWO_LEGS, {"P0": (3, WAY), "P1": (1, WAY), "P2": (2, WAY)})
    assert arrived == {"P1": 4, "P2": 5, "P0": 6}
    assert cost == 600


def test_packages_that_wait_together_share_a_trip() -> None:
    wave = wave_of([lane("ac", "a", "c", capacity=2)])
    arrived, cost = arrivals(wave, dict.fromkeys(wave.packages, (1, ("ac",))))
    assert sorted(arrived.values()) == [2, 2, 3]
    assert cost == 200


def test_every_unit_late_and_every_missed_package_costs() -> None:
    wave = wave_of([lane("ac", "a", "c", capacity=3, eta=7)])
    runs = play(wave, {"P0": (1, ("ac",)), "P1": (1, ("ac",))})
    assert len(runs) == RUNS
    on_time = min(runs, key=lambda each: each.late_units)
    assert (on_time.margin, on_time.transport, on_time.late_units, on_time.missed) == (2000, 100, 4, 1)
    assert on_time.gain == 2000 - 100 - 4 * 650 - 5000


def test_the_delays_of_a_lane_do_not_follow_from_the_plan() -> None:
    wave = wave_of([lane("ac", "a", "c", capacity=3, often="likely"), lane("ab", "a", "b")])
    alone = play(wave, {"P0": (1, ("ac",))})
    assert alone == play(wave_of([*wave.lanes.values()]), {"P0": (9, ("ac",))})
    assert len({each.late_units for each in alone}) > 1


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
def test_an_entry_must_name_a_package_a_connecting_route_and_a_priority(entry: object, is_usable: bool) -> None:
    plan, faults = plan_of(json.dumps({"assignments": [entry]}), TWO_LEGS)
    assert bool(plan) is is_usable
    assert len(faults) == (2 if is_usable else 4 if "PX" in json.dumps(entry) else 3)


@pytest.mark.parametrize("message", ["", "no", "[1]", '{"assignments": 1}', "[" * 50_000, "9" * 200_000])
def test_what_is_no_plan_earns_nothing(message: str) -> None:
    score, lines = DispatchMeasure(TWO_LEGS).measure(message, ())
    assert score == 0.0
    assert "not a JSON object" in lines[0]


def test_a_package_that_is_planned_twice_is_missed() -> None:
    entry = {"package_id": "P0", "route": ["ab", "bc"], "priority": 1}
    assert plan_of(json.dumps({"assignments": [entry, entry]}), TWO_LEGS)[0] == {}


def test_the_best_known_plan_scores_one_and_naive_ones_at_most_seven_tenths() -> None:
    for seed in range(12):
        measure = pose_variant("dispatch-wave#1", f"solver {seed}").truth.measure
        assert isinstance(measure, DispatchMeasure)
        wave = measure.wave
        assert set(measure.best) == set(wave.packages)
        assert measure.measure(plan_message(measure.best), ())[0] == 1.0
        assert max(measure.measure(plan_message(plan), ())[0] for plan in naive_plans(wave)) <= 0.7


def test_a_score_rises_with_the_gain() -> None:
    measure = pose_variant("dispatch-wave#1", "solver 0").truth.measure
    assert isinstance(measure, DispatchMeasure)
    best = mean_gain(measure.wave, measure.best)
    scores = [measure.score(best * share // 20) for share in range(-2, 23)]
    assert scores == sorted(scores)
    assert (scores[0], scores[-1]) == (0.0, 1.0)


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the samples are not here")
@pytest.mark.parametrize("wave_id", PUBLIC)
def test_a_public_wave_gains_what_the_public_benchmark_graded(wave_id: str) -> None:
    tables = [(SAMPLES / f"dispatch_{kind}{PUBLIC[wave_id]}.tsv").read_text("utf-8") for kind in ("packages", "lanes")]
    lines = (SAMPLES / "dispatch_answers_scored.jsonl").read_text("utf-8").splitlines()
    (graded,) = (each for each in map(json.loads, lines) if each["wave"] == wave_id)
    message = graded["message"] if isinstance(graded["message"], str) else json.dumps(graded["message"])
    measure = DispatchMeasure(parse_wave(wave_id, *tables))
    gain = mean_gain(measure.wave, plan_of(message, measure.wave)[0])
    assert gain / (HEADROOM * mean_gain(measure.wave, measure.best)) == pytest.approx(graded["score"], abs=0.012)
