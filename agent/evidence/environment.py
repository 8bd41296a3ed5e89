"""The part of a trial's runtime that the agent needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol, runtime_checkable

from sandbox.interface import Plain, Surface


class Environment(Protocol):
    """The runtime of one trial: its files and tools, reached by declared operations. One thread uses it at a time."""

    @property
    def surface(self) -> Surface:
        """The operations, executables, rules document and opening calls, as data; the same for a whole trial."""
        ...

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make one declared call and return its result fields. Raises `sandbox.interface.operations.CallError`.

        Any other exception, and a result that is not a mapping of JSON's types, fails the call with code `internal`.
        """
        ...

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        """Submit the trial's one answer. Raises `CallError`; code `already_exists` means that one was given before."""
        ...

    def now(self) -> datetime | None:
        """Return the environment's own clock (timezone-aware), or None if it has none."""
        ...


@runtime_checkable
class Waiting(Protocol):
    """An environment that waits for a platform, but begins no wait of a call after `ends_at` (monotonic seconds)."""

    ends_at: float


class BegunCall(Protocol):
    """A call that is under way."""

    def finish(self) -> dict[str, Plain]:
        """Wait for the call and return its result fields, as `Environment.call` does."""
        ...


@runtime_checkable
class SideBySide(Environment, Protocol):
    """An environment that allows several calls at a time, which its surface declares by `reads_side_by_side`."""

    def begin(self, operation: str, arguments: Mapping[str, Plain]) -> BegunCall:
        """Begin a call that only reads; the same thread finishes it, and may begin others in between."""
        ...
