"""`uuid` for scripts: identifiers from the step's own randomness and clock; no machine and no real time in them."""

from __future__ import annotations

import uuid
from typing import Any, Final

from sandbox.library.pinned_clock import CLOCK, SEEDS


def _random_uuid(version: int) -> Any:
    def make(node: Any = None, clock_seq: Any = None) -> uuid.UUID:
        return uuid.UUID(int=SEEDS.getrandbits(128), version=version)

    return make


def uuid7() -> uuid.UUID:
    """Return a UUID of the pinned clock's millisecond and random bits."""
    return uuid.UUID(int=(CLOCK.now_us // 1_000) << 80 | SEEDS.getrandbits(80), version=7)


def uuid8(a: Any = None, b: Any = None, c: Any = None) -> uuid.UUID:
    """Return a UUID of three numbers, each of them random where it is missing."""
    given = [SEEDS.getrandbits(bits) if each is None else each for each, bits in ((a, 48), (b, 12), (c, 62))]
    made: uuid.UUID = vars(uuid)["uuid8"](*given)
    return made


PINNED: Final = {f"uuid{each}": _random_uuid(each) for each in (1, 4, 6)} | {"uuid7": uuid7, "uuid8": uuid8}
"""The functions by the names that scripts import."""
