"""Runs of ten trials at a time take no longer than the platform asks for, and leave nothing behind."""

import gc
import threading
import time
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from agent.retry import RetryPolicy
from benchmarks.bitgn.server import served_runs
from controlplane import RunRequest, TrialStub
from sandbox.interface import CallError
from tests.benchmarks.bitgn.recording_world import ShelfBenchmark
from tests.benchmarks.bitgn.served_benchmark import PLAIN, Wire, wire
from tests.support.server_faults import Faults

pytestmark = [pytest.mark.usefixtures("short_backoff"), pytest.mark.second_tier]

AT_ONCE = 10
BACKOFF_S = RetryPolicy.backoff_s
"""As users have it: the pauses of the other tests are shorter."""


def work_on(wired: Wire, head: TrialStub) -> None:
    """Do what a trial does."""
    environment = wired.remote.start_trial(head.trial_id).environment
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
    environment.answer("Emma", "OUTCOME_OK", ["/books/emma.json"])
    wired.remote.end_trial(head.trial_id)


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
