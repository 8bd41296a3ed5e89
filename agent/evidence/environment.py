"""Declares the interface of an environment: the files and tools that a trial works with.

A benchmark implements it. A script calls `harness.read("/a.md")`, and this reaches
`Environment.call("read", {"path": "/a.md"})`. An environment that allows several calls at a time
also implements `SideBySide`; one whose calls take long, a protocol of `environment.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Protocol, runtime_checkable

from controlplane.sandbox.interface import Plain, ToolSchema

# Declares what an environment implements in addition if its calls may take seconds or minutes.
#
# Without this, a trial could wait for a platform although its time is over, and its user would see
# nothing while a program compiles for ten minutes. The code that opens a trial sets the attributes:
#
#     if isinstance(environment, Waiting):
#         environment.ends_at = time.monotonic() + 600


@runtime_checkable
class Waiting(Protocol):
    """An environment whose calls may have to wait for a platform."""

    ends_at: float
    """When the trial's time ends, in seconds of `time.monotonic`. No wait begins later."""


@runtime_checkable
class Printing(Protocol):
    """An environment whose calls may run for minutes, and print something meanwhile."""

    show_output: Callable[[str], None]
    """Called while a call runs, with the end of its output so far.
    Called with an empty text when the call ends."""


class Environment(Protocol):
    """The environment of one trial: its files and tools, reached by declared operations.

    Used by one thread at a time.
    """

    @property
    def tool_schema(self) -> ToolSchema:
        """The operations, executables, rules document and initial calls. They never change."""
        ...

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make one declared call, and return the fields of its result.

        Raises `CallError` (of `controlplane.sandbox.interface.operations`). After any other
        exception, or a result that is not a mapping of JSON types, the call has failed with code
        `internal`.
        """
        ...

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        """Submit the trial's only answer.

        `message` is its text, `outcome` how the trial ends, such as `OUTCOME_OK`,
        and `refs` are the paths that it cites. Raises `CallError`, with code
        `already_exists` if an answer was submitted before.
        """
        ...

    def now(self) -> datetime | None:
        """Return the time of the environment's own clock, with a time zone; None if it has none."""
        ...


@runtime_checkable
class SideBySide(Environment, Protocol):
    """An environment that allows several calls at a time, such as reads of ten files.

    Its tool schema declares this with `reads_side_by_side`.
    """

    def begin(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> Callable[[], dict[str, Plain]]:
        """Begin a call that only reads, and return a function that waits for its result.

        The returned function returns and raises the same as `call`. Before it is called,
        other calls may begin. All this happens in one thread.
        """
        ...
