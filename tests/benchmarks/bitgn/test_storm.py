"""Whole runs, ten trials at a time, through a network and a platform that fail: everything is delivered, once."""

from __future__ import annotations

import gc
import threading
import time
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from agent.http import http_connection
from agent.retry import RetryPolicy
from benchmarks.bitgn.client import throttle
from benchmarks.bitgn.server import served_runs
from controlplane import BenchmarkError, RunRequest, RunState, TrialHead
from sandbox.interface import CallError
from tests.benchmarks.bitgn.recording_world import ShelfBenchmark
from tests.benchmarks.bitgn.served_benchmark import PLAIN, Wire, wire
from tests.support.server_faults import Faults, Outage

pytestmark = pytest.mark.usefixtures("short_backoff")

AT_ONCE = 10
BACKOFF_S = RetryPolicy.backoff_s
"""As users have it: the pauses of the other tests are shorter."""

RARE = {
    "none": Faults(),
    "1 % answer 503": Faults(seed=1, unavailable=0.01),
    "5 % answer 503": Faults(seed=2, unavailable=0.05),
    "2 % are reset before and 2 % after": Faults(seed=4, reset_before=0.02, reset_after=0.02),
}
"""Storms that show nothing in a few trials that the others do not show."""
STORMS = {
    "20 % answer 503": Faults(seed=3, unavailable=0.2),
    "20 % answer 503 without a code": Faults(seed=3, bare_unavailable=0.2),
    "20 % are reset before and 20 % after": Faults(seed=5, reset_before=0.2, reset_after=0.2),
    "half a percent hang or stall": Faults(seed=6, hang=0.005, stall=0.005),
    "a tenth is pushed back": Faults(seed=7, too_many=0.1, retry_after_s=0.1),
    "the end is out for a while": Faults(outages=(Outage("EndTrial", 0.4), Outage("SubmitRun", 0.4))),
}


def work_on(wired: Wire, head: TrialHead) -> list[str]:
    """Do what a trial does, and say what came back as unknown."""
    environment = wired.remote.start_trial(head.trial_id).environment
    unknown = []
    assert environment.call("read", {"path": "/books/emma.json"})["content"]
    assert environment.call("search", {"pattern": "Emma"})["matches"]
    assert environment.call("exec", {"path": "/bin/date"})["stdout"]
    environment.call("write", {"path": "/notes.txt", "content": "Emma\n"})
    environment.call("write", {"path": "/old.txt", "content": "x"})
    environment.call("delete", {"path": "/old.txt"})
    try:
        environment.call("exec", {"path": "/bin/checkout", "args": ["b1"]})
    except CallError as error:
        if error.code != "unknown":
            raise
        unknown.append(head.trial_id)
    environment.answer("Emma", "OUTCOME_OK", ["/books/emma.json"])
    wired.remote.end_trial(head.trial_id)
    return unknown


@pytest.mark.parametrize("storm", [*STORMS, *(pytest.param(each, marks=pytest.mark.heavy) for each in RARE)])
def test_a_run_is_delivered_whole_and_nothing_happens_twice(storm, heavy):
    trials = 100 if heavy else 12
    faults = (STORMS | RARE)[storm]
    benchmark = ShelfBenchmark(trials)
    with wire(benchmark, PLAIN, faults, call_timeout_s="0.5", lifecycle_timeout_s="0.5") as wired:
        run = wired.remote.start_run(RunRequest("a storm"))
        with ThreadPoolExecutor(AT_ONCE) as pool:
            unknown = [each for told in pool.map(lambda head: work_on(wired, head), run.trials) for each in told]
        result = wired.remote.submit_run(run.run_id, force=False)
        server = wired.server.faults
        shares = (faults.unavailable, faults.bare_unavailable, faults.reset_after, faults.hang, faults.too_many)
        assert bool(server.made) == any((*shares, faults.outages))
        assert server.too_early == 0
        own_run = wired.server.own_id(run.run_id)
        own_ids = [wired.server.own_id(head.trial_id) for head in run.trials]
    assert (result.state, result.score) == (RunState.EVALUATED, 1.0)
    assert [trial.score for trial in result.trials] == [1.0] * trials
    for head, own_id in zip(run.trials, own_ids, strict=True):
        effects = benchmark.shelves[own_id].effects
        # A reply that was lost leaves open whether the change was made; it was made at most once, and told.
        made = effects.pop("checkout ['b1']", 0)
        assert made == 1 or (made == 0 and head.trial_id in unknown)
        assert effects == {"write /notes.txt": 1, "write /old.txt": 1, "delete /old.txt": 1}
        assert benchmark.lifecycle[f"end {own_id}"] == 1
        assert len(benchmark.shelves[own_id].answers) == 1
    assert benchmark.lifecycle[f"submit {own_run}"] == 1
    refused_only = faults.bare_unavailable + faults.reset_before + faults.reset_after + faults.hang + faults.stall == 0
    assert not (refused_only and unknown)


def test_a_client_that_does_not_see_the_time_is_counted(monkeypatch):
    """The measure of the rows above can fail."""

    monkeypatch.setattr(http_connection, "retry_after_s", lambda headers: None)
    monkeypatch.setattr(throttle, "PAUSE_WITHOUT_ADVICE_S", 0.0)
    benchmark = ShelfBenchmark(12)
    with wire(benchmark, PLAIN, Faults(seed=7, too_many=0.1, retry_after_s=0.1)) as wired:
        run = wired.remote.start_run(RunRequest("a storm"))
        with ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(lambda head: work_on(wired, head), run.trials))
        assert wired.server.faults.too_early > 0


def test_a_call_that_is_told_to_wait_holds_up_its_own_trial_alone():
    with wire(ShelfBenchmark(24), PLAIN, Faults(seed=7, too_many=0.1, retry_after_s=0.5)) as wired:
        run = wired.remote.start_run(RunRequest("a run"))
        began = time.monotonic()
        with ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(lambda head: work_on(wired, head), run.trials))
        # One after the other, the waits take longer.
        assert time.monotonic() - began < 0.6 * 0.5 * wired.server.faults.made["too_many"]
        assert wired.server.faults.too_early == 0


@pytest.mark.heavy
def test_faults_take_little_more_than_the_time_that_the_platform_asks_for(monkeypatch):
    monkeypatch.setattr(RetryPolicy, "backoff_s", BACKOFF_S)

    def run_under(faults: Faults) -> tuple[float, int]:
        with wire(ShelfBenchmark(100), PLAIN, faults) as wired:
            run = wired.remote.start_run(RunRequest("a run"))
            began = time.monotonic()
            with ThreadPoolExecutor(AT_ONCE) as pool:
                list(pool.map(lambda head: work_on(wired, head), run.trials))
            return time.monotonic() - began, sum(wired.server.faults.made.values())

    undisturbed_s, _ = run_under(Faults())
    refused_s, refused = run_under(Faults(seed=1, unavailable=0.02))
    assert refused
    assert refused_s <= 3 * undisturbed_s
    pushed_back_s, pushed_back = run_under(Faults(seed=1, too_many=0.05, retry_after_s=1.0))
    assert pushed_back_s <= undisturbed_s + 1.5 * pushed_back / AT_ONCE


def test_trials_that_cannot_start_cost_those_trials(heavy):
    trials = 100 if heavy else 20
    failing = frozenset(range(0, trials, trials // 5))
    with wire(ShelfBenchmark(trials, failing_starts=failing)) as wired:
        run = wired.remote.start_run(RunRequest("a run"))

        def attempt(head: TrialHead) -> bool:
            try:
                work_on(wired, head)
            except BenchmarkError:
                return False
            return True

        with ThreadPoolExecutor(AT_ONCE) as pool:
            went = list(pool.map(attempt, run.trials))
        assert [number for number, done in enumerate(went) if not done] == sorted(failing)
        result = wired.remote.submit_run(run.run_id, force=True)
        assert sum(trial.score for trial in result.trials) == trials - 5


def open_files() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def test_memory_files_and_threads_stay_flat_over_many_runs(heavy, monkeypatch):
    if not heavy:
        monkeypatch.setattr(served_runs, "KEPT_RUNS", 10)
    benchmark = ShelfBenchmark(1)
    with wire(benchmark) as wired:

        def runs_until(ends_at: float) -> None:
            while time.monotonic() < ends_at:
                run = wired.remote.start_run(RunRequest("a run"))
                for head in run.trials:
                    work_on(wired, head)
                wired.remote.submit_run(run.run_id, force=False)
                benchmark.forget()

        def used() -> tuple[int, int, int]:
            gc.collect()
            return tracemalloc.get_traced_memory()[0], open_files(), threading.active_count()

        tracemalloc.start()
        try:
            # As many runs as the server keeps, and some more, so that what follows only replaces.
            for _ in range(served_runs.KEPT_RUNS + 5):
                runs_until(time.monotonic() + 0.001)
            memory, files, threads = used()
            runs_until(time.monotonic() + (600 if heavy else 1))
            memory_after, files_after, threads_after = used()
        finally:
            tracemalloc.stop()
    assert memory_after - memory < 1_000_000
    assert files_after <= files + 2
    assert threads_after <= max(threads, 45)
