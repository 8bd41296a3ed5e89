"""What a trial of the shop shows to its agent: the instruction, the time, and results of calls.

The same trial may be played in this process, or on a server by the protocol of the platform BitGN.
If both show the same, an agent cannot tell them apart:

    solve_trial(shop_here, trial_id, ...) == solve_trial(shop_on_server, id_on_server, ...)
"""

from dataclasses import dataclass
from typing import Any

from controlplane import Benchmark
from controlplane.benchmarks.bitgn.client.remote_benchmark import (
    TOOL_SCHEMA as REMOTE_SCHEMA,
)
from controlplane.benchmarks.ecom.ecom_benchmark import TrialId
from controlplane.benchmarks.ecom.tasks.generated_tasks import generate_task
from controlplane.benchmarks.ecom.tasks.truth import Truth
from controlplane.benchmarks.ecom.world.names import PLAYED
from tests.benchmarks.bitgn.recording_environment import (
    RecordedCall,
    RecordingEnvironment,
)
from tests.benchmarks.ecom.solutions.reference_solutions import Solution
from tests.benchmarks.ecom.solutions.wrong_solutions import answer_with


def initial_results(environment: Any) -> list[object]:
    """Return the results of the calls that are made before the agent's first step."""
    results: list[object] = []
    for initial_call in REMOTE_SCHEMA.initial_calls:
        operation, each_of = initial_call.operation, initial_call.each_of
        if each_of is None:
            results.append(environment.call(operation, dict(initial_call.arguments)))
        else:
            # `list` the folder /docs, for example, and then `read` each of its files.
            listed = environment.call(each_of.operation, each_of.arguments)
            for path in listed[each_of.field]:
                results.append(environment.call(operation, {"path": path}))
    return results


@dataclass
class ShownTrial:
    """Everything that a trial has shown to the agent."""

    instruction: str
    now: object
    """The time in the world of the trial."""
    initial_results: list[object]
    calls: list[RecordedCall]


def truth_of(id_in_shop: str) -> Truth:
    """Return what the right answer of a trial is, by the id that the shop has given it.

    `sku-lookup.1-r0-s11-prod-1a2b3c4d` names the task and the seed of the shop.
    """
    shop_trial = TrialId.parse(id_in_shop)
    return generate_task(shop_trial.task_id, shop_trial.world_seed, PLAYED).truth


def solve_trial(
    benchmark: Benchmark, trial_id: str, solution: Solution, truth: Truth
) -> ShownTrial:
    """Play a trial from start to end, and return everything that it showed.

    A solution is a script for tasks of one kind. It makes the calls that lead to the answer in
    `truth`.
    """
    trial = benchmark.start_trial(trial_id)
    now = trial.environment.now()
    results = initial_results(trial.environment)
    environment = RecordingEnvironment(trial.environment)
    answer_with(solution, environment, truth)
    benchmark.end_trial(trial_id)
    return ShownTrial(trial.instruction, now, results, environment.calls)
