"""What a cluster costs the process of a run: the same trials on threads and on Dask's workers, in turns. Run it by hand:

    python tests/bench/cluster_cost.py [--rounds 2] [--tries 4] [--workers 2]

Prints CPU a trial of the process of the run (the journal's writer) and of Dask's scheduler beside that of a whole run on
threads. Start-up is taken out by the difference of two lengths of run: one try of each task of ecom, and more tries.
Fails if writer and scheduler together cost more than 10 ms a trial beyond what the writing alone costs on threads.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.support.command import command, environment
from tests.support.dask_processes import DaskProcesses, dask_processes

BOUND_MS: Final = 10.0
TASKS: Final = 40
TICKS: Final = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Spent:
    """CPU in ms, children included; and bytes of the journal."""

    run: float = 0.0
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


def played(tries: int, cluster: DaskProcesses | None) -> Spent:
    """Play so many tries of each task and return what it cost."""
    flags = ["run", "--limit", str(TASKS), "--repeats", str(tries), "--concurrency", "8", "--json"]
    if cluster:
        flags += ["--workers", f"dask:{cluster.address}"]
    before = [cpu_ms(each.pid) for each in cluster.all] if cluster else []
    with tempfile.TemporaryDirectory() as folder:
        printed = Path(folder) / "result.json"
        run = subprocess.Popen(command(flags), cwd=folder, env=environment(), stdout=printed.open("w"))
        _, status, usage = os.wait4(run.pid, 0)
        run.returncode = os.waitstatus_to_exitcode(status)
        result = json.loads(printed.read_text())
        assert (run.returncode, result["score"], len(result["trials"])) == (0, 1.0, tries * TASKS)
        journal = sum(each.stat().st_size for each in Path(folder).glob("runs/*.jsonl"))
    spent = [cpu_ms(each.pid) - at for each, at in zip(cluster.all, before, strict=True)] if cluster else [0.0]
    return Spent((usage.ru_utime + usage.ru_stime) * 1000, spent[0], sum(spent[1:]), journal)


def measure(rounds: int, tries: int, workers: int) -> bool:
    """Print what both cost in each round; return whether the median keeps the bound."""
    beyond = []
    with tempfile.TemporaryDirectory() as folder, dask_processes(Path(folder), workers, threads=4) as cluster:
        for number in range(1, rounds + 1):
            trials = (tries - 1) * TASKS
            alone = played(tries, None).less(played(1, None), trials)
            shared = played(tries, cluster).less(played(1, cluster), trials)
            both = shared.run + shared.scheduler
            beyond.append(both)
            print(
                f"round {number}: threads {alone.run:6.1f} ms a trial; cluster: writer {shared.run:5.1f}, scheduler "
                f"{shared.scheduler:5.1f}, both {both:5.1f}, workers {shared.workers:6.1f}, all "
                f"{both + shared.workers:6.1f} ms; journal {shared.journal:,.0f} bytes a trial",
                flush=True,
            )
    print(f"writer and scheduler: {statistics.median(beyond):.1f} ms a trial, where {BOUND_MS} ms is the bound")
    return statistics.median(beyond) <= BOUND_MS


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--tries", type=int, default=4, help="of each of the 40 tasks, in the longer of the two runs")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    sys.exit(not measure(options.rounds, options.tries, options.workers))
