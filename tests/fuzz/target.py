"""A target of the fuzzer: one part of the product that reads untrusted data."""

from contextlib import ExitStack
from random import Random


class Target:
    """Plays random inputs against one part of the product.

    A subclass opens what it needs, such as a server, as `self._resources.enter_context(...)`.
    """

    def __init__(self) -> None:
        self._resources = ExitStack()

    def play_one(self, rng: Random) -> None:
        """Make one random input and play it.

        Raises `AssertionError`, or whatever escapes, if the product did what it must not.
        """
        raise NotImplementedError

    def close(self) -> None:
        self._resources.close()
