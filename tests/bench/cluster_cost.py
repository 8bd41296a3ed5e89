"""What a cluster costs the process of a run: the same trials on threads and on Dask's workers, in turns. By hand:

    python tests/bench/cluster_cost.py [--rounds 2] [--tries 4] [--workers 2]

Prints CPU a trial of the process of the run (the journal's writer) and of Dask's scheduler, beyond that of the process
of a run on threads: of all of it, which works on the trials too, and of what of it a run on a cluster has as well
(writing the same events, handing out trials, telling their scores). Start-up is taken out by the difference of two
lengths of run: one try of each task of ecom, and more. Fails if the first is more than 10 ms a trial.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).parents[2]))

from controlplane.journal.run_events import JournalEvent
from tests.support.command import environment
from tests.support.dask_processes import DaskProcesses, dask_processes

BOUND_MS: Final = 10.0
TASKS: Final = 40
TICKS: Final = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Spent:
    """CPU in ms, children included; and bytes of the journal."""

    run: float = 0.0
    """The process of the run."""
    writing: float = 0.0
    """The part of it that writes events to the journal; and its main thread, which hands out trials, tells scores."""
    scheduler: float = 0.0
    workers: float = 0.0
    journal: float = 0.0

    def less(self, other: Spent, trials: int) -> Spent:
        """Return what each of so many further trials cost."""
        return Spent(*((getattr(self, each.name) - getattr(other, each.name)) / trials for each in fields(self)))


def cpu_ms(pid: int) -> float:
    """CPU that a process and the children that it has waited for have spent."""
    words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, words[11:15])) / TICKS * 1000


def play(words: list[str]) -> None:
    """Run a command of ours; its last line on standard error is the CPU in ms of writing events and of this thread."""
    from controlplane.__main__ import main
    from controlplane.lifecycle.run_lifecycle import Run

    real, spent = Run.emit, []

    def timed(run: Run, event: JournalEvent) -> None:
        began = time.thread_time()
        try:
            real(run, event)
        finally:
            if threading.current_thread() is not threading.main_thread():
                spent.append(time.thread_time() - began)

    Run.emit = timed
    sys.argv = ["controlplane", *words]
    try:
        main()
    finally:
        print((sum(spent) + time.thread_time()) * 1000, file=sys.stderr)


def played(tries: int, cluster: DaskProcesses | None) -> Spent:
    """Play so many tries of each task and return what it cost."""
    flags = ["run", "--limit", str(TASKS), "--repeats", str(tries), "--concurrency", "8", "--json"]
    if cluster:
        flags += ["--workers", f"dask:{cluster.address}"]
    before = [cpu_ms(each.pid) for each in cluster.all] if cluster else []
    with tempfile.TemporaryDirectory() as folder:
        printed, said = Path(folder) / "result.json", Path(folder) / "error.txt"
        words = [sys.executable, __file__, "--play", *flags]
        run = subprocess.Popen(words, cwd=folder, env=environment(), stdout=printed.open("w"), stderr=said.open("w"))
        _, status, usage = os.wait4(run.pid, 0)
        run.returncode = os.waitstatus_to_exitcode(status)
        result = json.loads(printed.read_text())
        assert (result["submitted"], result["trials_over"]) == (True, tries * TASKS), said.read_text()
        writing = float(said.read_text().splitlines()[-1])
        journal = sum(each.stat().st_size for each in Path(folder).glob("runs/*.jsonl"))
    spent = [cpu_ms(each.pid) - at for each, at in zip(cluster.all, before, strict=True)] if cluster else [0.0]
    return Spent((usage.ru_utime + usage.ru_stime) * 1000, writing, spent[0], sum(spent[1:]), journal)


def measure(rounds: int, tries: int, workers: int) -> bool:
    """Print what both cost in each round; return whether the median keeps the bound."""
    beyond_all, beyond_writing = [], []
    with tempfile.TemporaryDirectory() as folder, dask_processes(Path(folder), workers, threads=4) as cluster:
        played(1, cluster)  # scheduler and workers import our package once
        for number in range(1, rounds + 1):
            trials = (tries - 1) * TASKS
            alone = played(tries, None).less(played(1, None), trials)
            shared = played(tries, cluster).less(played(1, cluster), trials)
            beyond_all.append(shared.run + shared.scheduler - alone.run)
            beyond_writing.append(shared.run + shared.scheduler - alone.writing)
            print(
                f"round {number}, ms CPU a trial: threads {alone.run:.1f}, of which writing {alone.writing:.1f}; "
                f"cluster: writer {shared.run:.1f}, of which writing {shared.writing:.1f}, "
                f"scheduler {shared.scheduler:.1f}, workers {shared.workers:.1f}; "
                f"journal {shared.journal:,.0f} bytes",
                flush=True,
            )
    found = statistics.median(beyond_all)
    print(f"scheduler and writer beyond a run on threads: {found:.1f} ms a trial (bound {BOUND_MS} ms)")
    print(f"beyond what of that run is writing and handing out: {statistics.median(beyond_writing):.1f} ms a trial")
    return found <= BOUND_MS


if __name__ == "__main__":
    if sys.argv[1:2] == ["--play"]:
        play(sys.argv[2:])
        sys.exit()
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--tries", type=int, default=4, help="of each of the 40 tasks, in the longer of the two runs")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    sys.exit(not measure(options.rounds, options.tries, options.workers))
