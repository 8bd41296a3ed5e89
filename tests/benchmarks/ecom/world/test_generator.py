"""Worlds are deterministic everywhere and different from each other."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.ecom.runtime.workspace import record_text
from tests.benchmarks.ecom.world.sample_worlds import WORLDS

ROOT = Path(__file__).parents[4]
DIGEST = """
import hashlib, sys
from benchmarks.ecom.tasks.posing import pose_task, task_ids
from tests.benchmarks.ecom.variants import pose_variant, variant_ids
found = hashlib.sha256()
for task_id in task_ids()[:60]:
    task = pose_task(task_id, "digest")
    truth = task.truth
    shown = (task.instruction, truth.outcome, truth.message, truth.records, truth.changes, sorted(truth.tolerated))
    found.update(repr((shown, dict(task.world.workspace().files))).encode())
print(found.hexdigest())
"""


def test_worlds_do_not_depend_on_the_process_that_makes_them() -> None:
    digests = {
        subprocess.run(
            [sys.executable, "-c", DIGEST],
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed, "TZ": zone},
        ).stdout
        for seed, zone in (("1", "UTC"), ("2", "Asia/Tokyo"))
    }
    assert len(digests) == 1


def test_records_are_written_as_tools_write_them() -> None:
    for world in WORLDS[:3]:
        workspace = world.workspace()
        records = [text for path, text in workspace.files.items() if path.endswith(".json")]
        assert len(records) > 300
        assert records == [record_text(json.loads(each)) for each in records]


@pytest.mark.parametrize(
    "of",
    [
        lambda world: world.layout.roots.products,
        lambda world: world.layout.roots.stores,
        lambda world: world.layout.roots.baskets,
        lambda world: world.layout.roots.payments,
        lambda world: world.layout.roots.returns,
        lambda world: world.layout.roots.employees,
        lambda world: world.layout.separator,
        lambda world: world.policy.yes,
        lambda world: world.policy.threshold_cents,
        lambda world: world.policy.discount_role,
        lambda world: world.policy.verification_delay_min,
        lambda world: world.names.vocabulary,
        lambda world: world.flat_paths_resolve,
    ],
)
def test_worlds_differ_in_layout_and_policy(of: object) -> None:
    assert callable(of)
    assert len({of(world) for world in WORLDS}) > 1


def test_no_two_worlds_share_their_clock_or_their_records() -> None:
    assert len({world.clock for world in WORLDS}) == len(WORLDS)
    assert len({json.dumps([each.data() for each in world.stores.values()]) for world in WORLDS}) == len(WORLDS)
