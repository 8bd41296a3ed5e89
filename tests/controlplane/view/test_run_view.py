"""A run without a terminal prints few lines, in time, for a log."""

import heapq
import importlib
import io
import itertools
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from controlplane.journal.run_events import AllottedTrial, RunStarted, TrialEnded
from controlplane.journal.run_summary import RunSummary
from controlplane.lifecycle.trial_lifecycle import RunControls
from controlplane.view import run_view


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


def played(lengths: list[float], workers: int) -> tuple[list[float], list[float]]:
    """Return when each trial starts and ends, dealt to workers as they become free."""
    free = [0.0] * workers
    starts, ends = [], []
    for length in lengths:
        starts.append(heapq.heappop(free))
        ends.append(starts[-1] + length)
        heapq.heappush(free, ends[-1])
    return starts, ends
