"""A run without a terminal prints few lines, in time, for a log."""

import heapq
import importlib
import io
import itertools
import random
import re
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from controlplane.journal.run_events import AllottedTrial, RunStarted, TrialEnded
from controlplane.journal.run_summary import RunSummary, TrialSummary
from controlplane.lifecycle.trial_lifecycle import RunControls
from controlplane.view import run_view
from controlplane.view.display_text import time_left_s
from tests.support.command import started
from tests.support.many_trials import wait_for_turns


def begun(
    script: Path, folder: Path, trials: int, seconds: float, *more: str, **variables: str
) -> subprocess.Popen[str]:
    crowd = ("--benchmark", f"tests.support.many_trials:{trials}", "--model", f"scripted:{script}")
    return started("run", *crowd, "--set", f"seconds={seconds}", *more, cwd=folder, **variables)


def test_an_interruption_is_answered_at_once(script: Path, tmp_path: Path) -> None:
    said = "stopping after the running steps; a second Ctrl-C stops at once"
    with begun(script, tmp_path, 6, 0.6, "--concurrency", "2") as running:
        wait_for_turns(tmp_path, 2)  # both running trials have begun
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
    assert running.returncode == 130
    lines = err.splitlines()
    assert said in lines
    assert not any("left" in line for line in lines[lines.index(said) :])
    assert err.splitlines()[-1].startswith("controlplane: interrupted and not submitted")
    assert re.search(r"^next .* resume 2.*\n .* submit 2\S+ --force", out, re.MULTILINE)


class Log(io.StringIO):
    """A log that cannot be written at first, as on a disk that is full for a while."""

    failures = 2

    def write(self, text: str) -> int:
        if self.failures:
            self.failures -= 1
            raise OSError(28, "No space left on device")
        return super().write(text)


def test_lines_come_for_tenths_and_a_failing_log_stops_neither_the_run_nor_the_lines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(run_view, "TICK_S", 0.005)
    monkeypatch.setattr("sys.stderr", log := Log())
    summary = RunSummary()
    heads = tuple(AllottedTrial(trial_id=f"t{at}") for at in range(100))
    summary.fold(RunStarted(run_id="x", trials=heads))
    journal = SimpleNamespace(path=Path("runs/id.jsonl"))
    run = SimpleNamespace(summary=summary, journal=journal, controls=RunControls(), paused="")
    imported: list[str] = []
    monkeypatch.setattr(run_view, "import_module", lambda name: imported.append(name) or importlib.import_module(name))
    display = run_view.PlainDisplay(run)
    display.start()
    for at in range(100):
        summary.fold(TrialEnded(trial_id=f"t{at}", how="answered", elapsed_ms=1))
        time.sleep(0.01)
    assert set(imported) == {"controlplane.view.report"}, "what the end needs, while the trials run"
    display.stop()
    counts = [int(line.split()[0]) for line in log.getvalue().splitlines() if line[0].isdigit()]
    assert 5 <= len(counts) <= 10
    assert all(later - before >= 10 for before, later in itertools.pairwise(counts[:-1]))
    assert counts[-1] == 100


LENGTHS: dict[str, Callable[[random.Random], float]] = {
    "all alike": lambda chance: 60.0,
    "from 20 s to 2 min": lambda chance: chance.uniform(20, 120),
    "bell-shaped": lambda chance: chance.lognormvariate(4, 0.5),
    "three quick ones to a slow one": lambda chance: chance.choice([30, 30, 30, 200]) * chance.uniform(0.8, 1.2),
}


def played(lengths: list[float], workers: int) -> tuple[list[float], list[float]]:
    """Return when each trial starts and ends, dealt to workers as they become free."""
    free = [0.0] * workers
    starts, ends = [], []
    for length in lengths:
        starts.append(heapq.heappop(free))
        ends.append(starts[-1] + length)
        heapq.heappush(free, ends[-1])
    return starts, ends


def summary_at(now_s: float, starts: list[float], ends: list[float]) -> RunSummary:
    summary = RunSummary()
    for at, (start, end) in enumerate(zip(starts, ends, strict=True)):
        trial = summary.trials[str(at)] = TrialSummary(str(at))
        if end <= now_s:
            trial.state, trial.elapsed_ms = "answered", (end - start) * 1000
        elif start <= now_s:
            trial.state, trial.started_ms = "running", round(start * 1000)
    return summary


@pytest.mark.parametrize("kind", LENGTHS)
def test_the_time_left_is_right_within_a_factor_of_two_once_a_fifth_is_over(kind: str) -> None:
    right = asked = 0
    for seed in range(6):
        chance = random.Random(seed)
        starts, ends = played([LENGTHS[kind](chance) for _ in range(100)], workers=8)
        fifth, last = sorted(ends)[19], max(ends)
        for part in range(20):
            now_s = fifth + (last - fifth) * part / 20
            left_s = time_left_s(summary_at(now_s, starts, ends), round(now_s * 1000))
            assert left_s is not None
            asked += 1
            right += 1 / 2 <= left_s / (last - now_s) <= 2
    assert right / asked > 0.7
