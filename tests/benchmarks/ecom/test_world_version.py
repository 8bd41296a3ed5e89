"""The version of the worlds changes with them: runs of another version are not resumed in them."""

from __future__ import annotations

import hashlib
import json

from benchmarks.ecom.ecom_benchmark import WORLD_VERSION, TrialId, open_benchmark
from benchmarks.ecom.tasks.posing import pose_task, task_ids
from benchmarks.ecom.world.generator import WorldSettings
from controlplane import BenchmarkContext

HALVES = ("known", "unseen")


def everything_in(task_id: str, half: str) -> str:
    """Return what a trial's world shows, and how the trial must end, as text."""
    seed = TrialId(task_id, 0, 0, "prod", "0" * 8).world_seed
    posed = pose_task(task_id, seed, WorldSettings(wordings=half))
    world, truth = posed.world.workspace(), posed.truth
    shown = [dict(sorted(world.files.items())), world.directories, world.user, world.roles, world.clock.isoformat()]
    ways = [world.verification_delay.total_seconds(), world.sql_is_up, world.flat_paths_resolve]
    ends = [truth.outcome, truth.message, truth.is_exact, truth.tokens, truth.forbidden]
    cited = [dict(truth.records), dict(truth.documents), sorted(truth.tolerated), dict(truth.changes)]
    return json.dumps([posed.instruction, shown, ways, ends, cited], sort_keys=True)


def test_the_version_changes_with_the_worlds() -> None:
    digest = hashlib.sha256()
    for task_id in task_ids():
        for half in HALVES:
            digest.update(everything_in(task_id, half).encode())
    said = "the worlds are others than before: set WORLD_VERSION to this"
    assert digest.hexdigest()[:12] == WORLD_VERSION, said


def test_opening_the_benchmark_tells_the_version() -> None:
    assert open_benchmark("", {}, BenchmarkContext()).world_version == WORLD_VERSION
