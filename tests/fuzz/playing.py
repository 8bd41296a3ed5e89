"""Plays the random inputs of one target of the fuzzer, and counts those that failed.

    played = play("journals", CpuMeter(), seconds=60, seed=1)
    played.count      # 2048
    played.failures   # [204]

The input of the number 204 has the seed "1-204", which makes the same input again. So whoever
mends the failure can play it alone.
"""

import gc
import sys
import time
import traceback
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.fuzz.targets import TARGETS
from tests.fuzz.wire_target import CpuMeter, Target

# The memory of this process: `resident_mib()` is 48.2, for example.


def resident_mib() -> float:
    """Return the memory of this process in MiB; 0 on systems without `/proc`."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return 0.0
    bytes_in_use = pages * 4096  # the size of a page
    return bytes_in_use / (1 << 20)


MAX_FAILURES = 10
"""After so many failed inputs, no more are played against a target."""


@dataclass
class PlayedInputs:
    """The inputs that were played against a target."""

    count: int = 0
    failures: list[int] = field(default_factory=list)
    """The numbers of the inputs that failed. The first input has the number 0."""


def play(
    name: str, meter: CpuMeter, *, seconds: float, seed: int, min_inputs: int = 0
) -> PlayedInputs:
    """Play a target for some seconds, and longer if that were fewer than `min_inputs` inputs.

    After an input that failed, the target is opened anew.
    """
    open_target = TARGETS[name]
    played = PlayedInputs()
    target = open_target(meter)
    # Python looks for garbage now and then, also during an input, whose CPU time this adds to.
    # After `freeze` it does not look at what exists already.
    gc.collect()
    gc.freeze()
    deadline = time.monotonic() + seconds
    try:
        while played.count < min_inputs or time.monotonic() < deadline:
            survived = play_input(name, target, input_seed=f"{seed}-{played.count}")
            if not survived:
                played.failures.append(played.count)
                target.close()
                target = open_target(meter)
                if len(played.failures) >= MAX_FAILURES:
                    break
            played.count += 1
    finally:
        gc.unfreeze()
        target.close()
    return played


def play_input(name: str, target: Target, input_seed: str) -> bool:
    """Return True if a target survives the input of a seed, such as `1-204`; else print why not."""
    try:
        target.play_one(Random(input_seed))
    except Exception:  # noqa: BLE001 - whatever it is, it is a finding
        print(f"{name}: seed {input_seed} failed", file=sys.stderr)
        traceback.print_exc(limit=-8)
        return False
    return True
