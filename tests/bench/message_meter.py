"""What a process spends on each message of a script, apart from what the environment spends."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable, Mapping
from pathlib import Path

from sandbox.interface import FILE_OPERATIONS, Executable, ExecutableKind, FileArguments, Plain, Surface
from tests.bench.hostile_trials import Answers

CAT = Executable("/bin/cat", ExecutableKind.READS, files=FileArguments())
SURFACE = Surface(operations=tuple(FILE_OPERATIONS), executables=(CAT,))


class Meter:
    """What the parent's thread spent on each message, and on submissions."""

    def __init__(self, *, traces: bool) -> None:
        self.traces = traces
        self.clear()

    def clear(self) -> None:
        self.rows: list[tuple[float, float, float]] = []
        """Seconds, KB and MB of each message."""
        self.submission_s = 0.0
        self.passed = 0
        self.of_desk_s = 0.0
        self.depth = 0

    def begin(self) -> None:
        """Start a message, unless one is being served."""
        if not self.depth:
            self.started, self.passed, self.of_desk_s, self.peak = time.process_time(), 0, 0.0, 0
            if self.traces:
                tracemalloc.reset_peak()
                self.base = tracemalloc.get_traced_memory()[0]

    def note_peak(self) -> None:
        if self.traces:
            self.peak = max(self.peak, tracemalloc.get_traced_memory()[1] - self.base)

    def end(self) -> None:
        if not self.depth:
            took = time.process_time() - self.started - self.of_desk_s
            self.note_peak()
            self.rows.append((took, self.passed / 1_000, self.peak / 1e6))

    def of_desk(self, work: Callable[[], dict[str, Plain]]) -> dict[str, Plain]:
        """Return a result of the environment; what it costs there is not the parent's."""
        started = time.process_time()
        try:
            return work()
        finally:
            self.note_peak()
            self.of_desk_s += time.process_time() - started

    def size(self, result: dict[str, Plain]) -> None:
        """Add the size of a result to what was passed."""
        started = time.process_time()
        self.note_peak()
        self.passed += len(str(result).encode("utf-8", "replace"))
        if self.traces:
            tracemalloc.reset_peak()
        self.of_desk_s += time.process_time() - started


class Desk:
    """An environment that returns what the trial says; with `is_free` what it does there is not counted."""

    def __init__(
        self,
        meter: Meter,
        surface: Surface,
        result: Answers,
        *,
        is_free: bool,
    ) -> None:
        self.meter = meter
        self.surface = surface
        self.result = result
        self.is_free = is_free

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        def work() -> dict[str, Plain]:
            return self.result(operation, arguments)

        result = self.meter.of_desk(work) if self.is_free else work()
        self.meter.size(result)
        return result

    def answer(self, message: str, outcome: str, refs: object) -> None:
        pass

    def now(self) -> None:
        return None


def peak_mb(*, reset: bool = False) -> float:
    """Return the most memory that this process has held, in MB, since the last reset."""
    if reset:
        Path("/proc/self/clear_refs").write_text("5")
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(each.split()[1]) for each in lines if each.startswith("VmHWM")) / 1_000
