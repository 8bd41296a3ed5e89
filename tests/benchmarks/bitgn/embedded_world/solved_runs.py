"""Runs of the embedded shop whose trials are solved, in this process or over the platform's protocol.

    run = solve_remote_run(connection, concurrency=4)
    run.scores     # [1.0, 1.0, 0.0, ...]

Every third trial is solved with a mistake. The shop has files, records and tools, for practice.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from controlplane import Benchmark, RunRequest, RunResult, StartedRun
from controlplane.benchmarks.bitgn.client.remote_benchmark import (
    TOOL_SCHEMA as REMOTE_SCHEMA,
)
from controlplane.benchmarks.ecom.ecom_benchmark import EcomTrialId
from controlplane.benchmarks.ecom.tasks.families import generate_task
from controlplane.benchmarks.ecom.tasks.truth import TaskTruth
from controlplane.benchmarks.ecom.world.names import PLAYED
from controlplane.sandbox.interface import CallError, Plain, ToolSchema
from tests.benchmarks.bitgn.shelf_benchmark import Connection
from tests.benchmarks.ecom.mistakes import all_mistakes
from tests.benchmarks.ecom.solutions.careless_solutions import (
    Solution,
    answer_with,
    reference_of,
)

# An environment that passes calls on to another one, and records what each returned or raised.
#
#     environment = RecordingEnvironment(trial.environment)
#     environment.call("read", {"path": "/docs/stock.md"})
#     environment.calls  # [RecordedCall("read", {"path": "/docs/stock.md"}, {"content": "# Stock ..."})]
#
# So the same trial can be compared in two places: in this process, and on a server.


class RecordedCall(NamedTuple):
    """A call to an environment, and what it returned or raised."""

    operation: str
    arguments: Mapping[str, Plain]
    result: dict[str, Plain] | None
    """None if the call failed."""
    error_code: str = ""
    error_message: str = ""


@dataclass
class RecordingEnvironment:
    """Passes calls on to an environment, and records them."""

    environment: Any
    calls: list[RecordedCall] = field(default_factory=list)

    @property
    def tool_schema(self) -> ToolSchema:
        """The operations of the environment."""
        schema: ToolSchema = self.environment.tool_schema
        return schema

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make the call and record it."""
        try:
            result: dict[str, Plain] = self.environment.call(operation, arguments)
        except CallError as error:
            failed_call = RecordedCall(
                operation, arguments, None, error.code, error.message
            )
            self.calls.append(failed_call)
            raise
        self.calls.append(RecordedCall(operation, arguments, result))
        return result

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        self.environment.answer(message, outcome, refs)


# What a trial of the shop shows to its agent: the instruction, the time, and results of calls.
#
# The same trial may be played in this process, or on a server by the protocol of the platform BitGN.
# If both show the same, an agent cannot tell them apart:
#
#     solve_trial(shop_here, trial_id, ...) == solve_trial(shop_on_server, id_on_server, ...)


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


def truth_of(id_in_shop: str) -> TaskTruth:
    """Return what the right answer of a trial is, by the id that the shop has given it.

    `sku-lookup.1-r0-s11-prod-1a2b3c4d` names the task and the seed of the shop.
    """
    shop_trial = EcomTrialId.parse(id_in_shop)
    return generate_task(shop_trial.task_id, shop_trial.world_seed, PLAYED).truth


def solve_trial(
    benchmark: Benchmark, trial_id: str, solution: Solution, truth: TaskTruth
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


@dataclass(frozen=True)
class SolvedRun:
    """A run whose trials were solved, every third with a mistake."""

    trials: list[ShownTrial]
    """What each trial showed, in order."""
    result: RunResult

    @property
    def scores(self) -> list[float | None]:
        return [trial.score for trial in self.result.trials]

    @property
    def details(self) -> list[tuple[str, ...]]:
        """Why each trial has its score."""
        return [trial.details for trial in self.result.trials]


def solve_run(
    benchmark: Benchmark,
    run: StartedRun,
    *,
    concurrency: int = 1,
    id_in_shop: Callable[[str], str] = str,
) -> SolvedRun:
    """Solve every trial of a run and submit it, with `concurrency` trials at a time.

    `id_in_shop` returns the shop's id of a trial. This is the trial's own id, unless a server gives
    its trials random ids: `Zk3_x9`.
    """
    with ThreadPoolExecutor(concurrency) as threads:
        shown_trials: list[Future[ShownTrial]] = []
        for number, trial in enumerate(run.trials):
            truth = truth_of(id_in_shop(trial.trial_id))
            solution = reference_of(truth.family)
            # Every third trial has a mistake, so that scores differ.
            if number % 3 == 2:
                solution = all_mistakes(truth)["another outcome"]
            shown_trials.append(
                threads.submit(solve_trial, benchmark, trial.trial_id, solution, truth)
            )
        trials = [shown_trial.result() for shown_trial in shown_trials]
    return SolvedRun(trials, benchmark.submit_run(run.run_id, force=False))


def solve_remote_run(connection: Connection, *, concurrency: int) -> SolvedRun:
    """Start a run over the protocol and solve it, with `concurrency` trials at a time."""
    run = connection.remote.start_run(RunRequest("remote"))
    return solve_run(
        connection.remote,
        run,
        concurrency=concurrency,
        id_in_shop=connection.server.own_id,
    )
