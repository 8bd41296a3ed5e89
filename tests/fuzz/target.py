"""A target of the fuzzer: one part of the product that reads untrusted data."""

from contextlib import ExitStack
from random import Random

from tests.fuzz.cpu_meter import CpuMeter


class Target:
    """Plays random inputs against one part of the product.

    A subclass opens what it needs, such as a server, as `self._resources.enter_context(...)`, and
    gives each input to the product by `self.meter.call(...)`, which measures the CPU time.
    """

    def __init__(self, meter: CpuMeter) -> None:
        self.meter = meter
        self._resources = ExitStack()

    def play_one(self, rng: Random) -> None:
        """Make one random input and play it.

        Raises `AssertionError`, or whatever escapes, if the product did what it must not.
        """
        raise NotImplementedError

    def close(self) -> None:
        self._resources.close()
