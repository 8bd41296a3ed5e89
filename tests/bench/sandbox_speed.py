"""How fast and how small the sandbox is, beside other ways to run a script.

Run it by hand:

    python tests/bench/sandbox_speed.py [--rounds 300] [--table]

Medians with all layers, beside a fresh `python` process. `--table` runs the attacks,
where the kernel layer works.
"""

import argparse
import os
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil

sys.path.insert(0, str(Path(__file__).parents[2]))

from controlplane.sandbox import (
    ForkServer,
    Limits,
    Sandbox,
    StepResult,
    missing_layer,
    parse_isolation,
)
from tests.sandbox.script_world import (
    ATTACK_IN_NEXT_STEP,
    NOW,
    ORDINARY_SCRIPT_FILES,
    SHARED_STATE_CHECK,
    TOOL_SCHEMA,
    RecordingHost,
    corpus_scripts,
    language_attacks,
)

TRIVIAL = "x = 1\ny = x + 1"
CALLS = 500
TEN_CALLS = "for i in range(10):\n    harness.stat('/docs')\n"


def median_ms(action: Callable[[], object], rounds: int) -> float:
    """Return the median time of an action in milliseconds, after a few that do not count."""
    for _ in range(min(5, rounds)):
        action()
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        action()
        times.append((time.perf_counter() - started) * 1000)
    return statistics.median(times)


def below() -> list[psutil.Process]:
    """Return the processes below this one."""
    return psutil.Process().children(recursive=True)


def proportional_mib() -> float:
    """Return the memory of the processes below this one, of shared pages their part."""
    return sum(process.memory_full_info().pss for process in below()) / 2**20


def open_box(server: ForkServer, **options: object) -> Sandbox:
    return Sandbox(
        TOOL_SCHEMA, RecordingHost(), now=NOW, seed=1, server=server, **options
    )


def starts(rounds: int) -> None:
    made = []
    with ForkServer() as server:
        server.kernel_report()
        for _ in range(rounds):
            started = time.perf_counter()
            box = open_box(server)
            box.run(TRIVIAL)
            made.append((time.perf_counter() - started) * 1000)
            box.close()
    report("a trivial step where a child must be made", statistics.median(made), "4")


def report(title: str, value: float, wanted: str = "") -> None:
    print(f"{title:<50}{value:9.3f} ms{f'  ({wanted})' if wanted else ''}")


def steps(rounds: int) -> None:
    with ForkServer() as server, open_box(server) as box:
        report(
            "a trivial step, child ready",
            median_ms(lambda: box.run(TRIVIAL), rounds),
            "0.8",
        )
        report(
            "a step with ten calls, child ready",
            median_ms(lambda: box.run(TEN_CALLS), rounds),
            "1.5",
        )


def cpu_of_calls(rounds: int) -> None:
    """Print the CPU of one call, the work of the host
    among that of the parent; the lowest of all rounds."""
    code = f"for i in range({CALLS}):\n    harness.read('/docs/checkout.md')\n"
    used: list[tuple[float, float]] = []
    with ForkServer() as server, open_box(server) as box:
        box.run(code)
        for _ in range(max(5, rounds // 10)):
            children = below()
            child_s, parent_s = sum(map(cpu_s, children)), time.process_time()
            box.run(code)
            used.append(
                (time.process_time() - parent_s, sum(map(cpu_s, children)) - child_s)
            )
    for side, seconds in zip(("parent", "child"), zip(*used, strict=True), strict=True):
        report(f"CPU of a call, {side}", min(seconds) * 1000 / CALLS)


def cpu_s(process: psutil.Process) -> float:
    return int(Path(f"/proc/{process.pid}/schedstat").read_text().split()[0]) / 1e9


def plain_python(rounds: int) -> None:
    def fresh() -> None:
        subprocess.run(
            [sys.executable, "-I", "-c", TRIVIAL], check=True, capture_output=True
        )

    report("a fresh python process", median_ms(fresh, max(5, rounds // 10)))


def memory() -> None:
    step = "print(harness.read('/AGENTS.MD').content)\nscratchpad['n'] = [1]\n"
    with ForkServer() as server:
        server.kernel_report()
        alone = proportional_mib()
        boxes = [open_box(server) for _ in range(10)]
        for _ in range(5):
            for box in boxes:
                box.run(step)
        every = proportional_mib()
        print(f"proportional memory, server with a spare child    {alone:8.1f} MiB")
        print(f"the same with ten children after five steps       {every:8.1f} MiB")
        print(
            f"a child                                           {(every - alone) / 10:8.2f} MiB (6)"
        )
        for box in boxes:
            box.close()


def overruns() -> None:
    for title, code in {
        "a loop": "while True: pass",
        "C code": "sum(range(10 ** 13))",
    }.items():
        with (
            ForkServer() as server,
            open_box(server, limits=Limits(step_wall_s=0.5)) as box,
        ):
            box.ready_child()
            late = median_ms(lambda box=box, code=code: box.run(code), 5) - 500
            print(
                f"an overrun in {title:<12} ended after its deadline  {late:8.1f} ms  (100)"
            )


def table() -> None:
    """Print how many scripts of each corpus get how far
    behind the boundary alone, and behind all layers."""
    os.environ["SANDBOX_SECRET"] = "SECRET"
    print(
        f"{'isolation':<28}{'hold an object':>16}{'do harm':>10}{'system calls':>16}{'ordinary run':>14}"
    )
    for isolation in ("process,kernel", "language,process,kernel"):
        with ForkServer() as server, socket.create_server(("127.0.0.1", 0)) as listener:
            if missing := missing_layer(server, parse_isolation(isolation)):
                sys.exit(f"these scripts are hostile, and {missing}")
            print(f"{isolation:<28}{row(server, isolation, listener.getsockname()[1])}")


def row(server: ForkServer, isolation: str, port: int) -> str:
    world = f'CANARY, PORT, SOCKET = "/etc/hostname", {port}, 0\n'

    def run(*scripts: str) -> list[StepResult]:
        with open_box(
            server, isolation=parse_isolation(isolation), limits=Limits(step_wall_s=3.0)
        ) as box:
            return [box.run(script) for script in scripts]

    objects = harm = 0
    for _, script in (attacks := language_attacks()):
        attack, aftermath = run(script, world + ATTACK_IN_NEXT_STEP)
        objects += "LEAK" in attack.output
        harm += (
            "LEAK" in aftermath.output or run(SHARED_STATE_CHECK)[0].output != "whole\n"
        )
    calls = [script for _, script in corpus_scripts("attacks/kernel.txt")]
    leaks = sum("LEAK" in run(world + script)[0].output for script in calls)
    ordinary = [script for _, script in corpus_scripts(*ORDINARY_SCRIPT_FILES)]
    ran = sum(
        run(script)[0].ending.value in ("finished", "raised") for script in ordinary
    )
    counts = (
        f"{objects} of {len(attacks)}",
        f"{leaks} of {len(calls)}",
        f"{ran} of {len(ordinary)}",
    )
    return f"{counts[0]:>16}{harm:>10}{counts[1]:>16}{counts[2]:>14}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    if options.table:
        table()
    else:
        print("medians; in brackets what was asked for")
        starts(options.rounds)
        steps(options.rounds)
        cpu_of_calls(options.rounds)
        plain_python(options.rounds)
        overruns()
        memory()


if __name__ == "__main__":
    main()
