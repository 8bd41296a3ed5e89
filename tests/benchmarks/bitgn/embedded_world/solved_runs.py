"""Runs of the embedded shop whose trials are solved, in this process or over the platform's protocol.

    run = solve_remote_run(connection, concurrency=4)
    run.scores     # [1.0, 1.0, 0.0, ...]

Every third trial is solved with a mistake. The shop has files, records and tools, for practice.
"""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from controlplane import Benchmark, RunRequest, RunResult, StartedRun
from tests.benchmarks.bitgn.protocol_clients import Connection
from tests.benchmarks.bitgn.shown_trials import ShownTrial, solve_trial, truth_of
from tests.benchmarks.ecom.mistakes.all_mistakes import all_mistakes
from tests.benchmarks.ecom.solutions.reference_solutions import reference_of


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
