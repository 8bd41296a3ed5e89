"""Counts are computed again from the branch's record, and only where the request's condition is certain."""

from __future__ import annotations

import re

import pytest

from benchmarks.ecom.runtime.shop_environment import EcomEnvironment
from benchmarks.ecom.tasks.families import pose_task
from benchmarks.shop.rules.recomputed_counts import count_available, fault_of_stock_count, least_available
from gates import Case, Submission
from gates.reading import DoesNotApply
from gates.types import Evidence
from tests.support.answered_reader import answered

SKUS = "VH-TNT-SKERRY-2P, VH-MAT-DUNE-R3"
ASKED = f"How many of these SKUs have at least 3 units available today at the shop: {SKUS}?"


@pytest.mark.parametrize(
    ("instruction", "units"),
    [
        (ASKED, 3),
        (ASKED + " At least be quick, answer with 4 or more digits.", 3),
        (ASKED.replace("at least 3 units", "3 or more units"), 3),
        (ASKED.replace("at least 3 units", "no fewer than 3 units"), 3),
        (ASKED.replace("at least 3 units", "units"), None),
        (ASKED.replace("at least 3 units", "at least 0 units"), None),
        (ASKED.replace("at least 3 units", "at least 3 units, and at least 2 boxes"), None),
        (ASKED.replace("available today", "physically on hand"), None),
        (ASKED.replace("available today", "in the shelf"), None),
        (ASKED.replace("available today", "on hand and yet fewer than 3 available today"), None),
        (ASKED.replace("available today", "available within 4 days, incoming stock counted"), None),
        (ASKED.replace("VH-MAT", "but not VH-MAT"), None),
        (ASKED.replace("at the shop", "or reserved at the shop"), None),
    ],
)
def test_only_a_plain_minimum_is_a_certain_condition(instruction: str, units: int | None) -> None:
    assert least_available(instruction) == units


ROWS = [
    {"sku": "A", "on_hand": 5, "reserved": 2},
    {"sku": "B", "on_hand": 2, "reserved": 0, "incoming": [{"quantity": 9}]},
    {"sku": "C", "on_hand": 1, "reserved": 4},
    {"sku": "D", "on_hand": 9, "reserved": 0, "quarantined": 9},
]


@pytest.mark.parametrize(
    ("skus", "units", "count"),
    [("A", 3, 1), ("A", 4, 0), ("AB", 2, 2), ("ABC", 1, 2), ("AX", 1, 1), ("", 1, 0), ("AA", 1, 1)],
)
def test_what_is_available_is_counted(skus: str, units: int, count: int) -> None:
    assert count_available({"inventory": ROWS}, skus, units) == count


def test_a_row_with_a_field_of_unknown_meaning_counts_for_nothing_certain() -> None:
    with pytest.raises(ValueError, match="other fields"):
        count_available({"inventory": ROWS}, "AD", 1)


def fault(task_id: str, seed: str, answer: str | None = None, refs: tuple[str, ...] = (), outcome: str = "OK") -> str:
    task = pose_task(task_id, seed)
    cited = refs or (task.truth.inputs["store"],)
    submission = Submission(answer=answer or task.truth.message, outcome=f"OUTCOME_{outcome}", refs=list(cited))
    case = Case(task.instruction)
    environment = EcomEnvironment(task.world.workspace())
    return answered(environment, lambda reader: fault_of_stock_count(submission, Evidence(), case, reader))


def is_plain(task_id: str, seed: str) -> bool:
    return pose_task(task_id, seed).truth.inputs["case"] == "1"


SEEDS = [f"count {number}" for number in range(40)]
PLAIN = [seed for seed in SEEDS if is_plain("stock-count.1", seed)]


def test_the_true_count_passes_and_every_other_is_rejected_without_telling_it() -> None:
    assert len(PLAIN) > 10
    for seed in PLAIN:
        truth = pose_task("stock-count.1", seed).truth.message
        assert fault("stock-count.1", seed) == ""
        number = int(re.findall(r"\d+", truth)[0])
        for other in {number - 1, number + 1} - {-1}:
            found = fault("stock-count.1", seed, truth.replace(str(number), str(other)))
            assert "gives another count" in found
            assert not re.search(rf"\b{number}\b", found)


@pytest.mark.parametrize("variant", [2, 3])
def test_other_conditions_are_left_alone(variant: int) -> None:
    for seed in SEEDS[:10]:
        with pytest.raises(DoesNotApply, match="no plain minimum"):
            fault(f"stock-count.{variant}", seed, "count=99")


def test_what_states_no_count_at_one_branch_is_left_alone() -> None:
    seed = PLAIN[0]
    store = pose_task("stock-count.1", seed).truth.inputs["store"]
    assert fault("stock-count.1", seed, "there are 3 and 4") == ""
    assert fault("stock-count.1", seed, "99", outcome="NONE_UNSUPPORTED") == ""
    assert fault("price-count.1", seed, "99", refs=(store,)) == ""
    for refs in ((store, store.replace(".json", "x.json")), ("/docs/stock.md",)):
        with pytest.raises(DoesNotApply):
            fault("stock-count.1", seed, "99", refs=refs)


def test_a_branch_that_cannot_be_read_is_left_alone() -> None:
    with pytest.raises(DoesNotApply, match="there is no"):
        fault("stock-count.1", PLAIN[0], "99", refs=("/proc/stores/store_nowhere.json",))
