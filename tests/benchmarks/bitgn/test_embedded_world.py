"""The same trials give the same results in this process and over the platform's protocol.

The embedded world is a shop with files, records and tools, which the product has for practice. It
is solved once directly. Then our server serves it as the platform would, and it is solved once more
by our client: each call and each score must be the same.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest

from controlplane import (
    Benchmark,
    PlannedTrial,
    RunRequest,
    RunResult,
    StartedRun,
    TaskSelection,
    start_selected_run,
)
from controlplane.benchmarks.bitgn.remote_runtime import TOOL_SCHEMA as REMOTE_SCHEMA
from controlplane.benchmarks.bitgn.server import ServerOptions
from controlplane.benchmarks.ecom.ecom_benchmark import EcomBenchmark
from controlplane.benchmarks.ecom.tasks.task_ids import task_ids
from controlplane.benchmarks.ecom.tool_schemas import TOOL_SCHEMA as SHOP_SCHEMA
from tests.benchmarks.bitgn.protocol_clients import (
    API_KEY,
    Connection,
    remote_benchmark_on,
)
from tests.benchmarks.bitgn.shown_trials import ShownTrial, solve_trial, truth_of
from tests.benchmarks.ecom.mistakes.all_mistakes import all_mistakes
from tests.benchmarks.ecom.solutions.reference_solutions import reference_of
from tests.support.relay.faults import Faults

pytestmark = pytest.mark.usefixtures("short_backoff")

SEED = 11
"""The seed of both runs, so that their shops and tasks are the same."""


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
    """Solve every trial of a run and submit it. Every third has a mistake, so that scores differ.

    `id_in_shop` returns the shop's id of a trial. This is the trial's own id, unless a server gives
    its trials random ids: `Zk3_x9`.
    """

    def solve_numbered(number: int, trial: PlannedTrial) -> ShownTrial:
        truth = truth_of(id_in_shop(trial.trial_id))
        solution = reference_of(truth.family)
        if number % 3 == 2:  # The numbers are 0, 1, 2, ...
            solution = all_mistakes(truth)["another outcome"]
        return solve_trial(benchmark, trial.trial_id, solution, truth)

    with ThreadPoolExecutor(concurrency) as pool:
        numbers = range(len(run.trials))
        trials = list(pool.map(solve_numbered, numbers, run.trials))
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


@pytest.fixture(scope="module")
def task_count(request: pytest.FixtureRequest) -> int:
    """The number of tasks: nine different ones, or all in a heavy run."""
    if request.config.getoption("--heavy"):
        return len(task_ids())
    return 9


@pytest.fixture(scope="module")
def local_run(task_count: int) -> SolvedRun:
    """The run in this process, without a server."""
    benchmark = EcomBenchmark()
    run = start_selected_run(
        benchmark, TaskSelection(limit=task_count), name="local", seed=SEED
    )
    return solve_run(benchmark, run)


def options_for(task_count: int) -> ServerOptions:
    """Return the options of a server whose runs have the same tasks as `local_run`."""
    return ServerOptions(
        api_key=API_KEY, selection=TaskSelection(limit=task_count), seed=SEED
    )


@pytest.fixture(scope="module")
def remote_run(task_count: int) -> SolvedRun:
    """The same run over the protocol. Four trials at a time are solved, and not one as locally."""
    with remote_benchmark_on(
        EcomBenchmark(), options_for(task_count), benchmark_id="bitgn/ecom1-prod"
    ) as connection:
        return solve_remote_run(connection, concurrency=4)


class TestTwoRuns:
    """A run of the embedded shop is solved twice: in this process, and over the protocol.

    The tasks and seeds are the same, and so are the solutions: right ones, and a mistake
    in every third trial. `trials` of a run are what each trial has shown: its instruction,
    its time, and all results.
    """

    def test_trials_show_the_same_over_the_protocol_and_in_this_process(
        self, local_run: SolvedRun, remote_run: SolvedRun, task_count: int
    ) -> None:
        """The instruction, the time, and the result of each call are compared."""
        assert len(local_run.trials) == task_count
        assert len(remote_run.trials) == task_count
        for number, local_trial in enumerate(local_run.trials):
            assert remote_run.trials[number] == local_trial, number

    def test_run_has_the_same_scores_over_the_protocol_and_in_this_process(
        self, local_run: SolvedRun, remote_run: SolvedRun
    ) -> None:
        """Some answers are right and some wrong: equal scores would show little otherwise."""
        assert {0.0, 1.0} <= set(local_run.scores)
        assert remote_run.scores == local_run.scores
        assert remote_run.details == local_run.details
        assert remote_run.result.state is local_run.result.state
        assert remote_run.result.score == pytest.approx(
            local_run.result.score, abs=1e-6
        )

    @pytest.mark.second_tier
    def test_run_has_the_same_scores_if_the_server_refuses_some_calls(
        self, local_run: SolvedRun, task_count: int
    ) -> None:
        """6 of 100 calls get "unavailable" and 2 "too many requests". The client repeats them."""
        faults = Faults(seed=3, unavailable=0.06, too_many=0.02, retry_after_s=0.05)
        with remote_benchmark_on(
            EcomBenchmark(), options_for(task_count), faults, benchmark_id="ecom"
        ) as connection:
            remote_run = solve_remote_run(connection, concurrency=8)
            refused_calls = connection.server.faults.made["unavailable"]

        assert refused_calls > 5  # The seed lets the fault happen.
        assert remote_run.scores == local_run.scores


class TestToolSchemas:
    """A model is told of the same calls, whether it plays the shop here or on the platform."""

    def test_client_declares_the_tools_of_the_embedded_world(self) -> None:
        remote_kinds = {tool.path: tool.kind for tool in REMOTE_SCHEMA.executables}
        shop_kinds = {tool.path: tool.kind for tool in SHOP_SCHEMA.executables}

        assert remote_kinds == shop_kinds
        assert REMOTE_SCHEMA.rules_document == SHOP_SCHEMA.rules_document
        assert REMOTE_SCHEMA.operations == SHOP_SCHEMA.operations
