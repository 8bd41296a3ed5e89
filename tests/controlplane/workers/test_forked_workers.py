"""Forked processes write the journal that threads write, and a lost process costs no more than a resumption."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path

import pytest

from controlplane.configuration.run_settings import RunSettings
from controlplane.journal.journal_content import open_journal
from controlplane.journal.run_summary import OPEN, WAITING
from controlplane.lifecycle.run_resources import RunResources, RunSpec
from controlplane.workers import forked_workers
from tests.support.command import ROOT, controlplane, started, wait_until
from tests.support.in_process_command import inside
from tests.support.timeless_journal import timeless

CORES = len(os.sched_getaffinity(0))
several_cores = pytest.mark.skipif(CORES < 2, reason="this machine has one core, for which one process is enough")
COUNTER = ROOT / "tests/support/effect_counter.toml"
TASKS = ("calendar-date", "stock-answer.1", "sku-lookup.1")


def test_forked_processes_and_threads_write_the_same_journal_which_can_be_run_again(tmp_path: Path) -> None:
    for name in ("auto", "threads"):
        (tmp_path / name).mkdir()
        played = controlplane("run", *TASKS, "--quiet", "--workers", name, cwd=tmp_path / name)
        assert played.code in (0, 1), played.err
        verified = inside("replay", "last", "--verify", cwd=tmp_path / name)
        assert verified.code == 0, verified.err
    assert timeless(tmp_path / "auto") == timeless(tmp_path / "threads")


def children_of(pid: int) -> list[int]:
    """Return the processes that process `pid` has forked and that still run its own program."""
    own = Path(f"/proc/{pid}/cmdline").read_bytes()
    children = map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
    return [child for child in children if Path(f"/proc/{child}/cmdline").read_bytes() == own]


@contextmanager
def a_run(folder: Path) -> Iterator[tuple[subprocess.Popen[str], list[int], Path]]:
    """Give a run whose processes have each just begun a trial, those processes, and its journal."""
    run = started("run", "--limit", "6", "--quiet", cwd=folder)
    try:
        wait_until(lambda: len(children_of(run.pid)) == CORES)
        wait_until(lambda: any((folder / "runs").glob("*.jsonl")))
        (journal,) = (folder / "runs").glob("*.jsonl")
        workers = children_of(run.pid)
        wait_until(lambda: journal.read_bytes().count(b'"type":"trial_started"') >= CORES)
        yield run, workers, journal
    finally:
        run.kill()
        run.communicate()


@several_cores
def test_trials_of_a_killed_process_are_finished_by_resume(tmp_path: Path) -> None:
    with a_run(tmp_path) as (run, workers, journal):
        os.kill(workers[0], signal.SIGKILL)
        told = run.communicate()[1]
        assert run.returncode == 3, told
    assert "continue with: " in told
    left = [trial for trial in open_journal(journal).summary.trials.values() if trial.state == OPEN]
    assert 0 < len(left) <= RunSettings().concurrency
    assert {one.reason for one in left} == {"its process ended with exit code -9"}
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
    assert max(accumulate(changes.get(kind, 0) for kind in kinds)) == CORES


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
        wait_until(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers))


@several_cores
def test_a_run_that_has_lost_all_its_processes_pauses(tmp_path: Path) -> None:
    with a_run(tmp_path) as (run, workers, journal):
        for worker in workers:
            os.kill(worker, signal.SIGKILL)
        told = run.communicate()[1]
        assert run.returncode == 3, told
    assert "no process is left to work on trials; continue with: " in told
    assert open_journal(journal).summary.count(WAITING) > 0


@pytest.mark.parametrize(
    ("changes", "cores", "threads", "forks"),
    [
        ({}, 4, 1, True),
        ({"concurrency": 1}, 4, 1, False),
        ({"workers": "threads"}, 4, 1, False),
        ({"max_tokens_run": 1000}, 4, 1, False),
        ({"benchmark": "bitgn:tally", "model": f"scripted:{COUNTER}", "rules": "none"}, 4, 1, False),
        ({"model": "some-model", "base_url": "http://127.0.0.1:9/v1"}, 4, 1, False),
        ({}, 1, 1, False),
        ({}, 4, 2, False),
    ],
)
def test_a_run_forks_where_it_gains_by_it(
    changes: dict[str, object], cores: int, threads: int, forks: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    monkeypatch.setattr(forked_workers, "_cores", lambda: list(range(cores)))
    monkeypatch.setattr(forked_workers, "_threads", lambda: threads)
    monkeypatch.setattr(forked_workers, "ForkedWorkers", lambda resources, count: asked.append(count))
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with RunResources(RunSpec(RunSettings.model_validate({"concurrency": 3, **changes}))) as resources:
        forked_workers.forked_workers(resources)
    assert asked == ([3] if forks else [])
