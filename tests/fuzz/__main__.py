"""A fuzzer: it sends random hostile inputs to the parts that must survive untrusted data.

    python -m tests.fuzz [--minutes 1] [--target NAME] [--seed N]

    target            inputs  failed    CPU of the slowest  memory kept
    journals            2048       1               31.4 ms      0.2 MiB
      the slowest input: 'read'

A *target* is one such part, for example the reader of journals or the tools of the embedded shop.
"""

import argparse
import gc
import sys

from tests.fuzz.playing import PlayedInputs, play, resident_mib
from tests.fuzz.targets import TARGETS
from tests.fuzz.wire_target import CpuMeter

MAX_INPUT_CPU_S = 0.25
"""An input that takes more CPU time fails. That is far more than any takes on a quiet machine."""


def play_and_print(name: str, *, seconds: float, seed: int) -> PlayedInputs:
    """Play a target, and print its row of the table and its slowest input."""
    meter = CpuMeter(max_s=MAX_INPUT_CPU_S)
    mib_before = resident_mib()
    played = play(name, meter, seconds=seconds, seed=seed)
    gc.collect()
    mib_kept = resident_mib() - mib_before
    failures = len(played.failures)
    slowest_ms = meter.slowest_s * 1000
    print(
        f"{name:<15}{played.count:>9}{failures:>8}{slowest_ms:>19.1f} ms{mib_kept:>9.1f} MiB"
    )
    print(f"  the slowest input: {meter.slowest_input!r}")
    return played


def main() -> int:
    """Play the targets that the command line names, and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz", description=(__doc__ or "").split("\n", 1)[0]
    )
    parser.add_argument(
        "--minutes", type=float, default=1.0, help="for all targets together"
    )
    parser.add_argument("--target", choices=sorted(TARGETS), action="append")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()

    names = options.target or list(TARGETS)
    seconds_per_target = options.minutes * 60 / len(names)
    some_input_failed = False
    print(
        f"{'target':<15}{'inputs':>9}{'failed':>8}{'CPU of the slowest':>22}{'memory kept':>13}"
    )
    for name in names:
        played = play_and_print(name, seconds=seconds_per_target, seed=options.seed)
        if played.failures:
            some_input_failed = True
    return 1 if some_input_failed else 0


if __name__ == "__main__":
    sys.exit(main())
