"""Trials in forked processes come to the same as on threads, and a lost process costs no more than a resumption."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path

import pytest

from agent.loop import ResumeState
from controlplane.benchmark import TrialHead
from controlplane.cluster import forked_worker, forked_workers
from controlplane.cluster.shipped_data import FailureParcel
from controlplane.configuration.run_settings import RunSettings
from controlplane.journal.encoded_events import EncodedEvent
from controlplane.journal.journal_content import open_journal
from controlplane.journal.run_events import RunNotice
from controlplane.journal.run_summary import OPEN
from controlplane.lifecycle.run_resources import RunResources, RunSpec
from controlplane.lifecycle.trial_lifecycle import RunControls
from tests.support.command import ROOT, controlplane, started, wait_until
from tests.support.in_process_command import inside

CORES = len(os.sched_getaffinity(0))
several_cores = pytest.mark.skipif(CORES < 2, reason="this machine has one core, for which one process is enough")
TASKS = ("calendar-date", "stock-answer.1", "sku-lookup.1")


def outcomes(folder: Path) -> dict[str, tuple[object, ...]]:
    """Return what the tasks of the one run below `folder` came to."""
    summary = open_journal(next((folder / "runs").glob("*.jsonl"))).summary
    return {each.task_id: (each.outcome, each.answer, each.refs, each.score) for each in summary.trials.values()}


def test_trials_come_to_the_same_as_on_threads_and_can_be_run_again(tmp_path: Path) -> None:
    for name in ("auto", "threads"):
        (tmp_path / name).mkdir()
        played = controlplane("run", *TASKS, "--quiet", "--workers", name, cwd=tmp_path / name)
        assert played.code in (0, 1), played.err
        verified = inside("replay", "last", "--verify", cwd=tmp_path / name)
        assert verified.code == 0, verified.err
    assert outcomes(tmp_path / "auto") == outcomes(tmp_path / "threads") != {}


def children_of(pid: int) -> list[int]:
    """Return the processes that process `pid` has forked and that still run its own program."""
    own = Path(f"/proc/{pid}/cmdline").read_bytes()
    children = map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
    return [each for each in children if Path(f"/proc/{each}/cmdline").read_bytes() == own]


@contextmanager
def a_run(folder: Path) -> Iterator[tuple[subprocess.Popen[str], list[int], Path]]:
    """Give a run that has begun, its processes, and its journal."""
    run = started("run", "--limit", "16", "--quiet", cwd=folder)
    try:
        wait_until(lambda: len(children_of(run.pid)) == CORES)
        wait_until(lambda: any((folder / "runs").glob("*.jsonl")))
        (journal,) = (folder / "runs").glob("*.jsonl")
        workers = children_of(run.pid)
        wait_until(lambda: b'"type":"trial_ended"' in journal.read_bytes())
        yield run, workers, journal
    finally:
        run.kill()
        run.communicate()


@several_cores
def test_what_a_killed_process_left_is_finished_by_resume(tmp_path: Path) -> None:
    with a_run(tmp_path) as (run, workers, journal):
        os.kill(workers[0], signal.SIGKILL)
        told = run.communicate()[1]
        assert run.returncode == 3, told
    assert "go on with: " in told
    left = [each for each in open_journal(journal).summary.trials.values() if each.state == OPEN]
    assert 0 < len(left) <= RunSettings().concurrency
    assert {each.reason for each in left} == {"its process ended with exit code -9"}
    assert inside("resume", journal, "--quiet", cwd=tmp_path).code in (0, 1)
    assert open_journal(journal).summary.submitted
    assert inside("replay", journal, "--verify", cwd=tmp_path).code == 0


@several_cores
def test_each_process_keeps_to_a_core_and_to_one_trial_at_a_time(tmp_path: Path) -> None:
    with a_run(tmp_path) as (run, workers, journal):
        assert sorted(map(sorted, map(os.sched_getaffinity, workers))) == [
            [each] for each in sorted(os.sched_getaffinity(0))
        ]
        assert os.sched_getaffinity(run.pid) == os.sched_getaffinity(0)
        run.communicate()
    changes = {"trial_started": 1, "trial_ended": -1}
    kinds = (json.loads(line)["type"] for line in journal.read_bytes().splitlines())
    assert max(accumulate(changes.get(each, 0) for each in kinds)) == CORES


@pytest.mark.parametrize(
    ("count", "here", "kept"), [(2, {0, 3}, [0, 3]), (1, {0, 3}, [None]), (3, {5, 1, 4}, [1, 4, 5]), (0, set(), [])]
)
def test_processes_keep_to_cores_if_there_is_one_for_each_and_none_left(
    count: int, here: set[int], kept: list[int | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: here)
    assert forked_workers._cores_for(count) == kept


@pytest.mark.parametrize(
    ("options", "concurrency", "kept", "room"),
    [
        ({}, 8, [0, 1], 1),
        ({"profile": "hard"}, 8, [0, 1], 2),
        ({"profile": "hard"}, 2, [0, 1], 1),
        ({}, 8, [None, None], 2),
        ({}, 3, [None, None], 2),
        ({}, 2, [None, None], 1),
    ],
)
def test_a_process_works_on_two_trials_where_one_would_wait(
    options: dict[str, str], concurrency: int, kept: list[int | None], room: int
) -> None:
    with RunResources(RunSpec(RunSettings(set=options, concurrency=concurrency))) as resources:
        assert forked_workers._at_a_time(resources, kept) == room


@several_cores
def test_no_process_outlives_the_run(tmp_path: Path) -> None:
    with a_run(tmp_path) as (run, workers, _):
        run.kill()
        run.wait()
        wait_until(lambda: not any(Path(f"/proc/{each}").exists() for each in workers))


class Ended:
    """A connection whose other end is gone, and whose process ends."""

    def __init__(self, *told: object) -> None:
        self._told = [list(told)]

    def recv(self) -> object:
        if not self._told:
            raise EOFError
        return self._told.pop()

    def send(self, message: object) -> None:
        raise BrokenPipeError

    def join(self) -> None:
        pass

    exitcode = 1


def test_whatever_breaks_in_a_process_is_told_to_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def leave(*given: object) -> None:
        raise SystemExit("left")

    monkeypatch.setattr(forked_worker, "run_trial", leave)
    with RunResources(RunSpec(RunSettings())) as resources:
        worker = forked_worker._Worker(Ended(), resources, 1)
        worker._work(TrialHead("t1", "task"), ResumeState())
    told = worker._told.get()
    assert told == forked_worker.Over("t1", FailureParcel(kind="SystemExit", text="left"))


def test_an_event_that_cannot_be_written_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def emit(event: object) -> None:
        raise OSError("no such disk")

    said = EncodedEvent(b"{}", {}, RunNotice(text="what happened"))
    monkeypatch.setattr(forked_workers._Worker, "tell", lambda worker, message: None)
    worker = forked_workers._Worker(Ended(), Ended(said), 0)
    with RunResources(RunSpec(RunSettings())) as resources:
        run = forked_workers._RunOnProcesses([], resources, emit, RunControls())
        run._workers = [worker]
        over = Future[None]()
        over.set_running_or_notify_cancel()
        run._running["t1"] = forked_workers._Trial(TrialHead("t1", "task"), ResumeState(), over, worker)
        run._listen(worker)
    with pytest.raises(OSError, match="no such disk"):
        over.result(timeout=0)


def test_the_next_trial_is_given_out_before_what_happened_in_the_last_is_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    order: list[object] = []
    said = EncodedEvent(b"{}", {}, RunNotice(text="what happened"))
    monkeypatch.setattr(forked_workers._Worker, "tell", lambda worker, message: order.append(message))
    worker = forked_workers._Worker(Ended(), Ended(said, forked_worker.Over("t1")), 1)
    with RunResources(RunSpec(RunSettings())) as resources:
        run = forked_workers._RunOnProcesses([], resources, order.append, RunControls())
        run._workers = [worker]
        first, _ = (run.submit(TrialHead(each, "task"), ResumeState()) for each in ("t1", "t2"))
        run._listen(worker)
    given, still_given, written, *_ = order
    assert [given.head.trial_id, still_given.head.trial_id] == ["t1", "t2"]
    assert written is said
    assert first.result(timeout=0) is None


def one_core(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forked_workers, "_cores", lambda: 1)


def a_second_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forked_workers, "_threads", lambda: 2)


def nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    del monkeypatch


@pytest.mark.parametrize(
    ("changes", "change", "forks"),
    [
        ({}, nothing, True),
        ({"concurrency": 1}, nothing, False),
        ({"workers": "threads"}, nothing, False),
        ({"max_tokens_run": 1000}, nothing, False),
        (
            {
                "benchmark": "bitgn:tally",
                "model": f"scripted:{ROOT}/tests/support/effect_counter.toml",
                "rules": "none",
            },
            nothing,
            False,
        ),
        ({"model": "some-model", "base_url": "http://127.0.0.1:9/v1"}, nothing, False),
        ({}, one_core, False),
        ({}, a_second_thread, False),
    ],
)
def test_a_run_forks_where_it_gains_by_it(
    changes: dict[str, object],
    change: Callable[[pytest.MonkeyPatch], None],
    forks: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[int] = []
    monkeypatch.setattr(forked_workers, "_cores", lambda: 4)
    monkeypatch.setattr(forked_workers, "_threads", lambda: 1)
    monkeypatch.setattr(forked_workers, "ForkedWorkers", lambda resources, count: asked.append(count))
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    change(monkeypatch)
    with RunResources(RunSpec(RunSettings.model_validate({"concurrency": 3, **changes}))) as resources:
        forked_workers.forked_workers(resources)
    assert asked == ([3] if forks else [])
