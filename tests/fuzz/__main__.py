"""A fuzzer: it sends random hostile inputs to the parts that must survive untrusted data.

    python -m tests.fuzz [--minutes 1] [--target NAME] [--seed N]

A *target* is one such part, for example the reader of journals or the tools of the embedded shop.
For each the fuzzer prints how many inputs it played, how many failed, the largest CPU time that
one took, and the memory that all left behind. A failure prints the seed that plays it again.
"""

import argparse
import gc
import sys
import time
import traceback
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.fuzz.measured import Measured
from tests.fuzz.target import Target
from tests.fuzz.targets import TARGETS

MAX_FAILURES = 10
"""After so many failed inputs, no more are played against a target."""

SOME_INPUT_FAILED = 1
"""The exit code after any failure."""

PAGE_BYTES = 4096
BYTES_PER_MIB = 1 << 20


@dataclass
class PlayedInputs:
    """The inputs that were played against a target."""

    count: int = 0
    failures: list[int] = field(default_factory=list)
    """The numbers of the inputs that failed. The first input has the number 0."""


def resident_mib() -> float:
    """Return the memory of this process in MiB; 0 on systems without `/proc`."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return 0.0
    return pages * PAGE_BYTES / BYTES_PER_MIB


def play_input(name: str, target: Target, input_seed: str) -> bool:
    """Return True if a target survives the input of a seed, such as `1-204`; else print why not."""
    try:
        target.play_one(Random(input_seed))
    except Exception:  # noqa: BLE001 - whatever it is, it is a finding
        print(f"{name}: seed {input_seed} failed", file=sys.stderr)
        traceback.print_exc(limit=-8)
        return False
    return True


def play(name: str, *, seconds: float, seed: int, min_inputs: int = 0) -> PlayedInputs:
    """Play a target for some seconds, and longer if that were fewer than `min_inputs` inputs.

    After an input that failed, the target is opened anew. After `MAX_FAILURES` of them it ends.
    """
    played = PlayedInputs()
    target = TARGETS[name]()
    # What exists already is not collected during an input, whose CPU time this would add to.
    gc.collect()
    gc.freeze()
    deadline = time.monotonic() + seconds
    try:
        while played.count < min_inputs or time.monotonic() < deadline:
            if not play_input(name, target, input_seed=f"{seed}-{played.count}"):
                played.failures.append(played.count)
                target.close()
                target = TARGETS[name]()
                if len(played.failures) >= MAX_FAILURES:
                    break
            played.count += 1
    finally:
        gc.unfreeze()
        target.close()
    return played


def play_and_print(name: str, *, seconds: float, seed: int) -> PlayedInputs:
    """Play a target, and print its row of the table and its slowest input."""
    Measured.reset()
    mib_before = resident_mib()
    played = play(name, seconds=seconds, seed=seed)
    gc.collect()
    mib_kept = resident_mib() - mib_before
    failures = len(played.failures)
    slowest_ms = Measured.slowest_s * 1000
    print(
        f"{name:<15}{played.count:>9}{failures:>8}{slowest_ms:>19.1f} ms{mib_kept:>9.1f} MiB"
    )
    print(f"  the slowest input: {Measured.slowest_input!r}")
    return played


MAX_INPUT_CPU_S = 0.25
"""An input that takes more CPU time fails. That is far more than any takes on a quiet machine."""


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

    Measured.max_s = MAX_INPUT_CPU_S
    names = options.target or list(TARGETS)
    seconds_per_target = options.minutes * 60 / len(names)
    exit_code = 0
    print(
        f"{'target':<15}{'inputs':>9}{'failed':>8}{'CPU of the slowest':>22}{'memory kept':>13}"
    )
    for name in names:
        played = play_and_print(name, seconds=seconds_per_target, seed=options.seed)
        if played.failures:
            exit_code = SOME_INPUT_FAILED
    return exit_code


if __name__ == "__main__":
    sys.exit(main())
