"""Plays random hostile inputs against the trusted process:

    python -m tests.fuzz [--minutes 1] [--target NAME] [--seed N]

Prints how many inputs each border took, the largest CPU time that one cost this process
and the memory that all of them left behind. A failure prints its seed, which plays it
again. Exit code 1 if there was any.
"""

import argparse
import gc
import sys
import time
import traceback
from pathlib import Path
from random import Random

from tests.fuzz.generators import Measured
from tests.fuzz.targets import TARGETS


def resident_mb() -> float:
    """Return the memory of this process in MiB, by the kernel's count; 0 where there is none."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1048576
    except OSError:
        return 0.0


def play(name: str, seconds: float, seed: int, least: int = 0) -> tuple[int, list[int]]:
    """Play a target for some seconds and with at least `least`
    inputs; return how many, and the seeds that failed."""
    failed: list[int] = []
    count = 0
    target = TARGETS[name]()
    gc.collect()
    gc.freeze()  # A collection during an input counts what that input made, not what stood before.
    until = time.monotonic() + seconds
    try:
        while count < least or time.monotonic() < until:
            try:
                target.once(Random(f"{seed}-{count}"))
            except Exception:  # noqa: BLE001 - whatever it is, it is a finding
                print(f"{name}: seed {seed}-{count} failed", file=sys.stderr)
                traceback.print_exc(limit=-8)
                failed.append(count)
                target.close()
                target = TARGETS[name]()
                if len(failed) >= 10:
                    break
            count += 1
    finally:
        gc.unfreeze()
        target.close()
    return count, failed


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz", description=(__doc__ or "").split("\n", 1)[0]
    )
    parser.add_argument(
        "--minutes", type=float, default=1.0, help="for all targets together"
    )
    parser.add_argument("--target", choices=sorted(TARGETS), action="append")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    names = given.target or list(TARGETS)
    has_failed = False
    print(
        f"{'border':<15}{'inputs':>9}{'failed':>8}{'CPU of the dearest':>20}{'memory left':>13}"
    )
    for name in names:
        Measured.worst_s, Measured.worst = 0.0, ""
        before = resident_mb()
        count, failed = play(name, given.minutes * 60 / len(names), given.seed)
        gc.collect()
        left = resident_mb() - before
        print(
            f"{name:<15}{count:>9}{len(failed):>8}{Measured.worst_s * 1000:>17.1f} ms{left:>9.1f} MiB"
        )
        print(f"  the dearest: {Measured.worst!r}")
        has_failed |= bool(failed)
    return int(has_failed)


if __name__ == "__main__":
    sys.exit(main())
