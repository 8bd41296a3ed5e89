"""The random numbers of scripts, the same in every replay.

`pin_random` makes the functions of `random`, such as `random.choice`, use one generator of
this process. `seed_step` seeds it for each step: the same seed of the trial and the same
number of the step give the same random values and UUIDs.
"""

from __future__ import annotations

import random
import uuid
from typing import Any, Final


class Random(random.Random):
    """`random.Random`, but without a given seed it takes one from the step."""

    __module__ = "random"  # as scripts see it in `repr(random.Random)`

    def __init__(self, x: Any = None) -> None:
        super().__init__(_new_seed() if x is None else x)

    def seed(self, a: Any = None, version: int = 2) -> None:
        """Seed the generator anew."""
        super().seed(_new_seed() if a is None else a, version)


def _new_seed() -> int:
    """Return the next seed of the step."""
    return SEEDS.getrandbits(64)


SEEDS: Final = random.Random(0)
"""Gives every unseeded generator of a step its seed. `seed_step` seeds it anew."""

SHARED_RANDOM: Final = Random(0)
"""The generator behind the functions of `random`, such as `random.choice`."""


def pin_random() -> None:
    """Make the functions of `random` use the generator of the step."""
    # `random.choice` is the method `choice` of a generator. Here it becomes that of our own.
    functions = vars(random)
    for name in dir(random):
        if not name.startswith("_") and hasattr(SHARED_RANDOM, name):
            functions[name] = getattr(SHARED_RANDOM, name)
    functions["Random"] = Random


def seed_step(seed: int, step: int) -> None:
    """Seed all generators for a step. `seed` is that of the trial, `step` the step's number."""
    SEEDS.seed(f"{seed}:{step}")
    SHARED_RANDOM.seed()  # with the first number from SEEDS


def random_uuid1(node: Any = None, clock_seq: Any = None) -> uuid.UUID:
    """Do as `uuid.uuid1`, but with random bits of the step instead of the machine's address."""
    return uuid.UUID(int=SEEDS.getrandbits(128), version=1)


def random_uuid4() -> uuid.UUID:
    """Do as `uuid.uuid4`, but with random bits of the step."""
    return uuid.UUID(int=SEEDS.getrandbits(128), version=4)
