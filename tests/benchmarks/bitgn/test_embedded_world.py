"""The embedded world over the wire is the embedded world:
the same calls give the same results and scores."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest

from controlplane import (
    Benchmark,
    RunRequest,
    RunResult,
    StartedRun,
    TaskSelection,
    TrialStub,
    start_selected_run,
)
from controlplane.benchmarks.bitgn.remote_runtime import TOOL_SCHEMA as REMOTE
from controlplane.benchmarks.bitgn.server import ServerOptions
from controlplane.benchmarks.ecom.ecom_benchmark import EcomBenchmark
from controlplane.benchmarks.ecom.tasks.families import generate_task, task_ids
from controlplane.benchmarks.ecom.trial_ids import TrialId
from controlplane.benchmarks.ecom.world.settings import PLAYED
from controlplane.sandbox.interface import CallError
from tests.benchmarks.bitgn.recording_world import API_KEY, wire
from tests.benchmarks.ecom.mistakes import all_mistakes
from tests.benchmarks.ecom.reference_solutions import ReferenceClient, reference_of
from tests.support.server_faults import Faults

pytestmark = pytest.mark.usefixtures("short_backoff")

SEED = 11


@dataclass
class Recorded:
    """An environment that keeps what came back."""

    environment: object
    results: list

    @property
    def tool_schema(self):
        return self.environment.tool_schema

    def call(self, operation, arguments):
        try:
            result = self.environment.call(operation, arguments)
        except CallError as error:
            self.results.append((operation, arguments, error.code, error.message))
            raise
        self.results.append((operation, arguments, result))
        return result

    def answer(self, message, outcome, refs):
        self.environment.answer(message, outcome, refs)


def initial_calls(environment) -> list:
    """Make the calls that the initial prompt shows."""
    results = []
    for declared in REMOTE.initial_calls:
        each = declared.each_of
        arguments = [dict(declared.arguments)]
        if each is not None:
            arguments = [
                {"path": path}
                for path in environment.call(each.operation, each.arguments)[each.field]
            ]
        results += [
            environment.call(declared.operation, argument) for argument in arguments
        ]
    return results


def solve(benchmark: Benchmark, trial_id: str, own_id: str, *, wrongly: bool) -> list:
    """Solve a trial as its family's reference does, or with
    its first typical mistake, and return every result."""
    trial = benchmark.start_trial(trial_id)
    parsed = TrialId.parse(own_id)
    truth = generate_task(parsed.task_id, parsed.world_seed, PLAYED).truth
    recorded = Recorded(
        trial.environment,
        [trial.instruction, trial.environment.now(), initial_calls(trial.environment)],
    )
    solution = (
        next(iter(all_mistakes(truth).values()))
        if wrongly
        else reference_of(truth.family)
    )
    answer = solution(ReferenceClient(recorded, truth.names), truth)
    recorded.answer(answer.message, answer.outcome, answer.refs)
    benchmark.end_trial(trial_id)
    return recorded.results


def run_through(
    benchmark: Benchmark,
    started: StartedRun,
    *,
    at_once: int = 1,
    own_id: Callable[[str], str] = str,
) -> tuple[list, RunResult]:
    """Solve every trial of a run, each third one wrongly, and hand it in."""

    def solved(numbered: tuple[int, TrialStub]) -> list:
        number, head = numbered
        return solve(
            benchmark, head.trial_id, own_id(head.trial_id), wrongly=number % 3 == 2
        )

    with ThreadPoolExecutor(at_once) as pool:
        results = list(pool.map(solved, enumerate(started.trials)))
    return results, benchmark.submit_run(started.run_id, force=False)


@pytest.fixture(scope="module")
def limit(request: pytest.FixtureRequest) -> int:
    """How many tasks are solved: some, each a task of another family, or all."""
    return len(task_ids()) if request.config.getoption("--heavy") else 9


@pytest.fixture(scope="module")
def in_process(limit: int):
    benchmark = EcomBenchmark()
    return run_through(
        benchmark,
        start_selected_run(
            benchmark, TaskSelection(limit=limit), name="here", seed=SEED
        ),
    )


def served(limit: int | None = None) -> ServerOptions:
    return ServerOptions(
        api_key=API_KEY, selection=TaskSelection(limit=limit), seed=SEED
    )


def test_a_run_over_the_wire_is_the_run_in_process(in_process, limit):
    results, here = in_process
    with wire(EcomBenchmark(), served(limit), served_as="bitgn/ecom1-prod") as wired:
        started = wired.remote.start_run(RunRequest("there"))
        there_results, there = run_through(
            wired.remote, started, at_once=4, own_id=wired.server.own_id
        )

    assert len(results) == limit
    for number, (local, remote) in enumerate(zip(results, there_results, strict=True)):
        assert remote == local, number
    assert [(trial.score, trial.details) for trial in there.trials] == [
        (trial.score, trial.details) for trial in here.trials
    ]
    assert {trial.score for trial in here.trials} >= {0.0, 1.0}
    assert there.state is here.state
    assert there.score == pytest.approx(here.score, abs=1e-6)


@pytest.mark.second_tier
def test_a_run_through_faults_that_refuse_has_the_same_scores(in_process):
    _, here = in_process
    faults = Faults(seed=3, unavailable=0.06, too_many=0.02, retry_after_s=0.05)
    with wire(
        EcomBenchmark(), served(limit=len(here.trials)), faults, served_as="ecom"
    ) as wired:
        own_ids = wired.server.own_id
        _, there = run_through(
            wired.remote,
            wired.remote.start_run(RunRequest("there")),
            at_once=8,
            own_id=own_ids,
        )
        assert wired.server.faults.made["unavailable"] > 5

    assert [trial.score for trial in there.trials] == [
        trial.score for trial in here.trials
    ]


def test_the_declared_tools_are_those_of_the_embedded_world():
    from controlplane.benchmarks.ecom.shop_environment import TOOL_SCHEMA

    kinds = {tool.path: tool.kind for tool in REMOTE.executables}

    assert kinds == {tool.path: tool.kind for tool in TOOL_SCHEMA.executables}
    assert REMOTE.rules_document == TOOL_SCHEMA.rules_document
    assert REMOTE.operations == TOOL_SCHEMA.operations
