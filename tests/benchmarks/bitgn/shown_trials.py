"""What a trial of the embedded shop shows to whoever solves it: its instruction, its time, its results.

The same trial may be played in this process, or on a server by the protocol of the platform (BitGN).
If both show the same, an agent cannot tell them apart:

    solve_trial(benchmark, trial_id, solution, truth) == solve_trial(remote, id_there, solution, truth)
"""

from dataclasses import dataclass
from typing import Any

from controlplane import Benchmark
from controlplane.benchmarks.bitgn.remote_runtime import TOOL_SCHEMA as REMOTE_SCHEMA
from controlplane.benchmarks.ecom.tasks.generated_tasks import generate_task
from controlplane.benchmarks.ecom.tasks.truth import Truth
from controlplane.benchmarks.ecom.trial_ids import TrialId
from controlplane.benchmarks.ecom.world.settings import PLAYED
from tests.benchmarks.bitgn.recording_environment import (
    RecordedCall,
    RecordingEnvironment,
)
from tests.benchmarks.ecom.solutions.reference_solutions import Solution
from tests.benchmarks.ecom.solutions.wrong_solutions import answer_with


def initial_results(environment: Any) -> list[object]:
    """Return the results of the calls that the agent's first prompt shows.

    An initial call with `each_of` is made for each path that another call lists: a `read` for each
    file of a folder, for example.
    """
    results: list[object] = []
    for initial_call in REMOTE_SCHEMA.initial_calls:
        listing = initial_call.each_of
        if listing is None:
            arguments = dict(initial_call.arguments)
            results.append(environment.call(initial_call.operation, arguments))
            continue
        listed = environment.call(listing.operation, listing.arguments)
        for path in listed[listing.field]:
            results.append(environment.call(initial_call.operation, {"path": path}))
    return results


@dataclass
class ShownTrial:
    """Everything that a trial has shown to whoever solved it."""

    instruction: str
    now: object
    """The time in the world of the trial."""
    initial_results: list[object]
    calls: list[RecordedCall]


def truth_of(id_in_shop: str) -> Truth:
    """Return what the right answer of a trial is, by the shop's own id of the trial.

    `sku-lookup.1-r0-s11-prod-1a2b3c4d` names the task and the seed of the world.
    """
    shop_trial = TrialId.parse(id_in_shop)
    return generate_task(shop_trial.task_id, shop_trial.world_seed, PLAYED).truth


def solve_trial(
    benchmark: Benchmark, trial_id: str, solution: Solution, truth: Truth
) -> ShownTrial:
    """Start a trial, let a solution work on it, and end it. Return everything that it showed."""
    trial = benchmark.start_trial(trial_id)
    now = trial.environment.now()
    results = initial_results(trial.environment)
    environment = RecordingEnvironment(trial.environment)
    answer_with(solution, environment, truth)
    benchmark.end_trial(trial_id)
    return ShownTrial(trial.instruction, now, results, environment.calls)
