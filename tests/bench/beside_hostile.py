"""What one hostile trial costs the others in the same process. Prints ratios; run it by hand:

    python tests/bench/beside_hostile.py [--seconds 5]

An ordinary trial (a script of ten calls, over and over) runs alone, beside an idle one and beside each kind of hostile
one. Its median step beside a hostile trial is to be at most 1.2 times its median step alone while a core is free: the
hostile one has processes of its own, so at least two cores are needed.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.ecom.ecom_benchmark import open_benchmark
from controlplane import BenchmarkContext, RunRequest, TaskTry
from sandbox import Aide, ForkServer, Limits, Refusal, Sandbox, Verify
from sandbox.interface import CallError, Plain
from tests.sandbox.script_world import NOW

ORDINARY = "for i in range(10):\n    harness.stat('/docs')\n"
HOSTILE = {
    "a pattern that never ends": "harness.write('/x', 'a' * 80)\nharness.search('(a|a)*c')",
    "a query that never ends": (
        "harness.exec('/bin/sql', stdin='with recursive n(x) as (select 1 union all select x + 1 from n) "
        "select sum(x) from n')"
    ),
    "a loop": "while True:\n    pass",
    "the largest results": "for i in range(1000):\n    harness.exec('/bin/cat', stdin='x' * 900_000)",
    "a thousand small calls": "for i in range(1000):\n    harness.stat('/docs')",
    "a flood of output": "while True:\n    print('x' * 10_000)",
    "a large scratchpad, changing": (
        "for i in range(1000):\n    scratchpad['a'] = [i] * 40_000\n    harness.stat('/docs')"
    ),
    "deep and wide JSON": (
        "for i in range(200):\n    harness.exec('/bin/jq', ['.'], stdin='[' + '[],' * 200_000 + '1]')"
    ),
}


class World:
    """A trial of the embedded world with its aide and its sandbox."""

    def __init__(self, number: int, server: ForkServer, limits: Limits) -> None:
        benchmark = open_benchmark("", {}, BenchmarkContext()).benchmark
        started = benchmark.start_run(RunRequest("beside", (TaskTry("basket-checkout.1", number),), seed=number))
        trial = benchmark.start_trial(started.trials[0].trial_id)
        self.environment = trial.environment
        self.aide = Aide(server)
        if trial.use_aide is not None:
            trial.use_aide(self.aide)
        self.box = Sandbox(trial.environment.surface, self, now=NOW, seed=1, limits=limits, server=server)

    def call(self, operation: str, arguments: dict[str, Plain], *, in_verify: bool) -> dict[str, Plain]:
        return self.environment.call(operation, arguments)

    def cite(self, path: str, reason: str) -> str:
        return path

    def answer(self, scratchpad: object, verify: Verify) -> None:
        msg = "nothing is answered here"
        raise Refusal(msg)

    def close(self) -> None:
        self.box.close()
        self.aide.close()


def steps(world: World, seconds: float) -> float:
    """Return the median milliseconds of a step."""
    took = []
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        started = time.perf_counter()
        world.box.run(ORDINARY)
        took.append((time.perf_counter() - started) * 1000)
        time.sleep(0.002)
    return statistics.median(took)


def beside(server: ForkServer, code: str, seconds: float) -> float:
    limits = Limits(trial_calls=10**9, trial_cpu_s=10**6, step_wall_s=5.0)
    ordinary, hostile = World(1, server, limits), World(2, server, limits)
    stop = threading.Event()

    def play() -> None:
        while not stop.is_set():
            try:
                hostile.box.run(code)
            except CallError:
                continue

    thread = threading.Thread(target=play)
    if code:
        thread.start()
        time.sleep(0.2)
    try:
        return steps(ordinary, seconds)
    finally:
        stop.set()
        if code:
            thread.join()
        ordinary.close()
        hostile.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--seconds", type=float, default=5.0, help="for each kind")
    seconds = parser.parse_args().seconds
    modules = open_benchmark("", {}, BenchmarkContext()).aide_modules
    with ForkServer(modules) as server:
        beside(server, "", 0.5)
        for name, code in HOSTILE.items():
            alone = beside(server, "", seconds / 2)
            with_it = beside(server, code, seconds)
            alone = (alone + beside(server, "", seconds / 2)) / 2
            print(f"{name:<32}{alone:8.2f} ms alone {with_it:8.2f} ms beside  x{with_it / alone:.2f}", flush=True)


if __name__ == "__main__":
    main()
