"""The table of phases of a trial, such as its gates, with the CPU time of each.

    gates                                                 1.20 ms    4.0%      3.0 calls a trial

A *trial* is one attempt at a task. The longest phase comes first.
"""

import functools
import json
import resource
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Final, NamedTuple

# The phases of a trial, and the methods of the product that are timed for each.
#
# A *trial* is one attempt at a task. Its CPU time is shared out among phases: the start, calls of
# scripts, gates, the journal and others. The time of a method counts in its phase, without that of the
# timed methods which it calls.

# The names of the rows that several methods share, or that no method has.
INITIAL_CALLS: Final = "initial calls"
CALLS: Final = "calls of scripts"
PROMPT: Final = "initial prompt, beside its calls"
EVIDENCE: Final = "evidence"
ORIGINS: Final = "origins of arguments"
OUTSIDE: Final = "beside trials: imports, command line, scheduling"
CHILDREN: Final = "child processes: scripts, workers, fork server"

PHASES: Final = {
    "controlplane.lifecycle.run_lifecycle:run_trial": "rest of a trial",
    "controlplane.lifecycle.trial_lifecycle:_started_trial": "start",
    "controlplane.agent.loop.scripts:build_initial_prompt": PROMPT,
    "controlplane.lifecycle.watched_environment:WatchedEnvironment.call": CALLS,
    "controlplane.lifecycle.watched_environment:WatchedEnvironment.begin": CALLS,
    "controlplane.agent.evidence.calls:Calls.send": "recorder",
    "controlplane.agent.evidence.calls:Calls.receive": "recorder",
    "controlplane.agent.evidence.evidence_log:EvidenceLog.add_call": EVIDENCE,
    "controlplane.agent.evidence.origins.call_origins:CallOrigins.learn": ORIGINS,
    "controlplane.agent.evidence.origins.call_origins:CallOrigins.origins_of": ORIGINS,
    "controlplane.agent.gated_exit:GatedExit.submit": "gates",
    "controlplane.agent.endpoint.endpoint:Endpoint.complete": "model",
    "controlplane.sandbox.face:Sandbox.run": "scripts, in the parent",
    "controlplane.journal.journal_writer:JournalWriter.write": "journal",
    "controlplane.lifecycle.run_lifecycle:fold_event": "summary",
}
"""The methods that are timed, as `module:Class.method`, each with its phase. A function is named in
the module that calls it, as `module:function`."""


# Calls of timed methods that have not returned yet, the innermost last, and their phases.


@dataclass
class OpenCall:
    """A call of a timed method that has not returned yet."""

    phase: str
    inner_s: float = 0.0
    """The CPU seconds of the timed methods that it has called so far."""


class OpenCalls(threading.local):
    """The open calls of timed methods, the innermost last. Each thread has its own."""

    def __init__(self) -> None:
        self.stack: list[OpenCall] = []


def phase_within(stack: list[OpenCall], phase: str) -> str:
    """Return the phase in which a method counts that is called within these open calls.

    It is the method's own phase, except for the calls whose results the initial prompt shows:
    they are counted apart from those of scripts.
    """
    if phase == CALLS and any(call.phase == PROMPT for call in stack):
        return INITIAL_CALLS
    return phase


# A stopwatch around methods of the product, which adds up their CPU time by phase.
#
# Timed methods may call each other. If a method of "gates" takes 5 s, of which 2 s are spent in a
# method of "model" that it calls, "gates" gets 3 s and "model" 2 s. The open calls are those that have
# not returned yet; each thread has a stack of its own of them.


@dataclass
class Stopwatch:
    """CPU seconds and calls by phase, over all threads."""

    seconds: Counter[str] = field(default_factory=Counter)
    calls: Counter[str] = field(default_factory=Counter)
    _open_calls: OpenCalls = field(default_factory=OpenCalls)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def timed(self, method: Callable[..., object], phase: str) -> Callable[..., object]:
        """Return a method that does the same as `method` and is timed."""

        @functools.wraps(method)
        def timed_method(*args: object, **kwargs: object) -> object:
            stack = self._open_calls.stack
            # A call for the initial prompt counts in another phase than the same call of a script.
            call = OpenCall(phase_within(stack, phase))
            stack.append(call)
            started_s = time.thread_time()
            try:
                return method(*args, **kwargs)
            finally:
                spent_s = time.thread_time() - started_s
                stack.pop()
                if stack:
                    stack[-1].inner_s += spent_s
                self._add(call.phase, spent_s - call.inner_s)

        return timed_method

    def _add(self, phase: str, seconds: float) -> None:
        with self._lock:
            self.seconds[phase] += seconds
            self.calls[phase] += 1


def time_phases(stopwatch: Stopwatch) -> None:
    """Replace the methods in `PHASES` by timed ones, for the rest of this process."""
    for target, phase in PHASES.items():
        # controlplane.journal.journal_writer:JournalWriter.write
        module_name, _, path = target.partition(":")
        owner = import_module(module_name)
        class_name, _, method_name = path.rpartition(".")
        if class_name:  # Else it is a function, which the module calls.
            owner = getattr(owner, class_name)
        method = getattr(owner, method_name)
        setattr(owner, method_name, stopwatch.timed(method, phase))


# What takes the room in a journal: the bytes of its lines, by type of event, and of their fields.

MIN_FIELD_SHARE: Final = 0.01
"""Fields of the journal with a smaller share of all bytes are not printed."""


@dataclass
class JournalSize:
    """The bytes of a journal: of all lines, of those of each event type, and of each field.

    A field's name is such as "step.code", or "call.result of read" for the result of a call.
    """

    total: int = 0
    by_type: Counter[str] = field(default_factory=Counter)
    by_field: Counter[str] = field(default_factory=Counter)

    def add(self, line: bytes) -> None:
        """Count one line."""
        event = json.loads(line)
        event_type = str(event.get("type"))
        self.by_type[event_type] += len(line)
        self.total += len(line)
        for name, value in event.items():
            text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
            title = f"{event_type}.{name}"
            if name == "result":
                # The event of a call that was announced before has no operation of its own.
                title += f" of {event.get('operation', 'an announced call')}"
            self.by_field[title] += len(text.encode())


def print_journal(journal: Path, trials: int) -> None:
    """Print the size of a journal, and what takes most room: event types, and their long fields."""
    size = JournalSize()
    for line in journal.read_bytes().splitlines(keepends=True):
        size.add(line)

    print(f"journal: {size.total / trials / 1000:.1f} kB a trial")
    for event_type, count in size.by_type.most_common():
        print_size(event_type, count, size.total, trials)
    print("its longest fields:")
    for title, count in size.by_field.most_common():
        if count >= MIN_FIELD_SHARE * size.total:
            print_size(title, count, size.total, trials)


def print_size(title: str, count: int, total: int, trials: int) -> None:
    """Print a row with the kilobytes a trial, and the share of the journal."""
    print(f"{title:<50}{count / trials / 1000:8.2f} kB  {count / total:6.1%}")


# CPU seconds of this process, and of its children that have ended.


class CpuSeconds(NamedTuple):
    """CPU seconds of this process, and of its children that have ended."""

    own: float
    children: float


def cpu_seconds() -> CpuSeconds:
    """Return the CPU time so far."""
    own = resource.getrusage(resource.RUSAGE_SELF)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return CpuSeconds(
        own=own.ru_utime + own.ru_stime,
        children=children.ru_utime + children.ru_stime,
    )


def print_phases(
    stopwatch: Stopwatch, *, own_s: float, children_s: float, trials: int
) -> None:
    """Print a row for each phase, the longest first: `gates   1.20 ms   4.0%   3.0 calls a trial`.

    `own_s` and `children_s` are the CPU seconds of this process and of its children for all
    trials.
    """
    rows = Counter(stopwatch.seconds)
    rows[OUTSIDE] = own_s - sum(stopwatch.seconds.values())
    rows[CHILDREN] = children_s
    total_s = own_s + children_s
    for phase, seconds in rows.most_common():
        calls = stopwatch.calls[phase] / trials
        milliseconds = seconds / trials * 1000
        share = seconds / total_s
        print(
            f"{phase:<50}{milliseconds:8.2f} ms  {share:6.1%}  {calls:7.1f} calls a trial"
        )
    print(f"{'all processes':<50}{total_s / trials * 1000:8.2f} ms")
