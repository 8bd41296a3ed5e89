"""Runs of the embedded benchmark `ecom` without an agent: a test starts, answers and ends the trials.

benchmark = open_ecom()
run = start_run_of(benchmark, "stock-count.1")
trial = benchmark.start_trial(run.trials[0].trial_id)
answer_rightly(trial)
benchmark.end_trial(trial.trial_id).score  # 1.0
"""

from controlplane import (
    Benchmark,
    BenchmarkContext,
    StartedRun,
    TaskSelection,
    Trial,
    start_selected_run,
)
from controlplane.benchmarks.ecom.ecom_benchmark import TrialId, open_benchmark
from controlplane.benchmarks.ecom.tasks.generated_tasks import generate_task
from controlplane.benchmarks.ecom.world.names import PLAYED
from tests.benchmarks.ecom.solutions.reference_solutions import reference_of
from tests.benchmarks.ecom.solutions.wrong_solutions import answer_with


def open_ecom(**settings: str) -> Benchmark:
    """Open the benchmark as a new process does. `policy="blind"` hides scores until a run ends."""
    return open_benchmark("", settings, BenchmarkContext()).benchmark


def start_run_of(benchmark: Benchmark, task_id: str, *, seed: int = 0) -> StartedRun:
    """Start a run with one trial, which `benchmark.start_trial` begins."""
    selection = TaskSelection(names=(task_id,))
    return start_selected_run(benchmark, selection, name="a run", seed=seed)


def answer_rightly(trial: Trial) -> None:
    """Make the changes of the task's reference solution, and give its answer."""
    trial_id = TrialId.parse(trial.trial_id)
    assert trial_id is not None
    truth = generate_task(trial.task_id, trial_id.world_seed, PLAYED).truth
    answer_with(reference_of(truth.family), trial.environment, truth)


def closed_run(benchmark: Benchmark) -> StartedRun:
    """Start a run of one trial, and submit it at once, which closes it."""
    run = start_run_of(benchmark, "stock-count.1")
    benchmark.submit_run(run.run_id, force=True)
    return run
