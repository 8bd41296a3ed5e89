"""What one hostile trial costs the others in the same process. Prints ratios; run it by hand:

    python tests/bench/beside_hostile.py [--pairs 5] [--seconds 1]

An ordinary trial (a script of ten calls, over and over) runs in short windows, alone and beside a hostile trial in
turns; each window beside one is compared with the windows alone before and after it. Its median step beside a hostile
trial is to be at most 1.2 times its median step alone while a core is free: the hostile one has processes of its own,
so at least two cores are needed. Two logical ones of one core slow each other down by themselves: the first line, a
process of its own that only spins, says by how much.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.ecom.ecom_benchmark import open_benchmark
from controlplane import BenchmarkContext, RunRequest, TaskTry
from sandbox import Aide, ForkServer, Limits, Refusal, Sandbox, Verify
from sandbox.interface import CallError, Plain
from tests.sandbox.script_world import NOW

ORDINARY = "for i in range(10):\n    harness.stat('/docs')\n"
SPINNING = "a process that only spins"
WARM_UP_S = 1.0
"""After which a trial has used up what it may take of the parent at once."""
LIMITS = Limits(trial_calls=10**9, trial_cpu_s=10**6, step_wall_s=2.0)
HOSTILE = {
    "a pattern that never ends": "harness.write('/x', 'a' * 80)\nharness.search('(a|a)*c', '/x')",
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

    def cite(self, path: str, reason: str, quote: str = "") -> str:
        return path

    def answer(self, scratchpad: object, verify: Verify) -> None:
        msg = "nothing is answered here"
        raise Refusal(msg)

    def close(self) -> None:
        self.box.close()
        self.aide.close()


def median_step_ms(world: World, seconds: float) -> float:
    took = []
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        started = time.perf_counter()
        world.box.run(ORDINARY)
        took.append((time.perf_counter() - started) * 1000)
        time.sleep(0.002)
    return statistics.median(took)


@contextlib.contextmanager
def hostile_trial(server: ForkServer, code: str) -> Iterator[None]:
    """Have a trial run a script over and over."""
    world = World(2, server, LIMITS)
    stop = threading.Event()

    def play() -> None:
        while not stop.is_set():
            with contextlib.suppress(CallError):
                world.box.run(code)

    thread = threading.Thread(target=play)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
        world.close()


@contextlib.contextmanager
def spinning_process() -> Iterator[None]:
    process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        process.kill()
        process.wait()


def compare(
    ordinary: World, begin: Callable[[], contextlib.AbstractContextManager[None]], *, pairs: int, seconds: float
) -> str:
    """Return a line of figures: milliseconds alone and beside, and the median and the range of the ratios."""
    alone, beside = [median_step_ms(ordinary, seconds)], []
    for _ in range(pairs):
        with begin():
            time.sleep(WARM_UP_S)
            beside.append(median_step_ms(ordinary, seconds))
        alone.append(median_step_ms(ordinary, seconds))
    ratios = [2 * each / (alone[at] + alone[at + 1]) for at, each in enumerate(beside)]
    return (
        f"{statistics.median(alone):8.2f} ms alone{statistics.median(beside):8.2f} ms beside"
        f"  x{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--pairs", type=int, default=5, help="windows beside each kind")
    parser.add_argument("--seconds", type=float, default=1.0, help="of each window")
    parser.add_argument("kinds", nargs="*", metavar="KIND", help="all of them without one")
    given = parser.parse_args()
    print(f"{len(os.sched_getaffinity(0))} logical cores")
    with ForkServer(open_benchmark("", {}, BenchmarkContext()).aide_modules) as server:
        kinds = {SPINNING: spinning_process} | {
            name: functools.partial(hostile_trial, server, code) for name, code in HOSTILE.items()
        }
        ordinary = World(1, server, LIMITS)
        try:
            median_step_ms(ordinary, 0.5)
            for name in given.kinds or kinds:
                line = compare(ordinary, kinds[name], pairs=given.pairs, seconds=given.seconds)
                print(f"{name:<32}{line}", flush=True)
        finally:
            ordinary.close()


if __name__ == "__main__":
    main()
