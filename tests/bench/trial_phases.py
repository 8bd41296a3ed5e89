"""Prints where the CPU time of a trial goes,
phase by phase, and what takes the room in its journal.

    python -m tests.bench.trial_phases                  the embedded shop, played by its rules
    python -m tests.bench.trial_phases --over-the-wire  five steps with a model, on a remote platform
    python -m tests.bench.trial_phases --trials 32 --concurrency 8

The bench plays the trials twice in this process: once so that everything is imported,
and once with a stopwatch around the methods in `PHASES`. The CPU time of a method
counts in its own phase, without that of the timed methods which it calls. Scripts run
in child processes: their time is a phase too.

A journal line counts by its event type.
The fields of a line count apart if they are long.
"""

import argparse
import functools
import io
import json
import os
import resource
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, redirect_stdout
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Final

from tests.bench.trial_cost import model_server, platform_server, replies

INITIAL_CALLS: Final = "initial calls"
CALLS: Final = "calls of scripts"
PROMPT: Final = "initial prompt, beside its calls"
EVIDENCE: Final = "evidence"
ORIGINS: Final = "origins of arguments"
OUTSIDE: Final = "beside trials: imports, command line, scheduling"
CHILDREN: Final = "child processes: scripts, workers, fork server"

PHASES: Final = {
    "controlplane.lifecycle.trials.trial_lifecycle:_TrialRun.run": "rest of a trial",
    "controlplane.lifecycle.trials.trial_start:TrialStart.started": "start",
    "controlplane.agent.loop.initial_prompt.message_batches:MessageBatches.write": PROMPT,
    "controlplane.lifecycle.trials.watched_environment:WatchedEnvironment.call": CALLS,
    "controlplane.lifecycle.trials.watched_environment:WatchedEnvironment.begin": CALLS,
    "controlplane.agent.evidence.sending.sent_calls:SentCalls.send": "recorder",
    "controlplane.agent.evidence.sending.sent_calls:SentCalls.receive": "recorder",
    "controlplane.agent.evidence.log.evidence_log:EvidenceLog.record": EVIDENCE,
    "controlplane.agent.evidence.origins.call_origins:CallOrigins.learn": ORIGINS,
    "controlplane.agent.evidence.origins.call_origins:CallOrigins.origins_of": ORIGINS,
    "controlplane.agent.gated_exit:GatedExit.submit": "gates",
    "controlplane.agent.endpoint.endpoint:Endpoint.complete": "model",
    "controlplane.sandbox.parent.script_sandbox:Sandbox.run": "scripts, in the parent",
    "controlplane.journal.journal_writer:JournalWriter.write": "journal",
    "controlplane.lifecycle.run_event_log:RunEventLog.count": "summary",
}
"""The methods that are timed, each with its phase."""

MIN_FIELD_SHARE: Final = 0.01
"""A field of the journal has a row of its own from this share of all bytes on."""


@dataclass
class Stopwatch:
    """CPU seconds by phase. Timed methods may call each other, on several threads."""

    seconds: Counter[str] = field(default_factory=Counter)
    calls: Counter[str] = field(default_factory=Counter)
    _thread: threading.local = field(default_factory=threading.local)
    """Holds `phases`, the phases that the thread is in, and `inner_s`,
    the CPU seconds of timed methods within the innermost phase."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def time(self, method: Callable[..., object], phase: str) -> Callable[..., object]:
        """Return a method that does the same and is timed."""

        @functools.wraps(method)
        def timed(*args: object, **kwargs: object) -> object:
            thread = self._thread
            outer_phases: tuple[str, ...] = getattr(thread, "phases", ())
            outer_inner_s: float = getattr(thread, "inner_s", 0.0)
            thread.phases = (*outer_phases, phase)
            thread.inner_s = 0.0
            started_s = time.thread_time()
            try:
                return method(*args, **kwargs)
            finally:
                spent_s = time.thread_time() - started_s
                self._add(phase, outer_phases, spent_s - thread.inner_s)
                thread.phases = outer_phases
                thread.inner_s = outer_inner_s + spent_s

        return timed

    def _add(self, phase: str, outer_phases: tuple[str, ...], seconds: float) -> None:
        if phase == CALLS and PROMPT in outer_phases:
            phase = INITIAL_CALLS
        with self._lock:
            self.seconds[phase] += seconds
            self.calls[phase] += 1


def time_phases(stopwatch: Stopwatch) -> None:
    """Replace the methods in `PHASES` by timed ones, for the rest of this process."""
    for target, phase in PHASES.items():
        module_name, _, path = target.partition(":")
        class_name, _, method_name = path.partition(".")
        owner = getattr(import_module(module_name), class_name)
        if hasattr(owner, method_name):
            setattr(
                owner, method_name, stopwatch.time(getattr(owner, method_name), phase)
            )


def play(flags: str, runs_dir: str) -> None:
    """Run the command line in this process. Exits if the run failed."""
    from controlplane.__main__ import main

    sys.argv = ["controlplane", "run", *flags.split(), "--json", "--runs-dir", runs_dir]
    with redirect_stdout(io.StringIO()):
        try:
            main()
        except SystemExit as end:
            if end.code:
                raise


def cpu_seconds(who: int) -> float:
    """Return the CPU seconds so far of this process or of its ended children."""
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def print_phases(
    stopwatch: Stopwatch, own_s: float, children_s: float, trials: int
) -> None:
    """Print a row for each phase, the longest first."""
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


def print_journal(journal: Path, trials: int) -> None:
    """Print the size of a journal, and what takes most room: event types, and their long fields."""
    by_type = Counter[str]()
    by_field = Counter[str]()
    total = 0
    for line in journal.read_bytes().splitlines(keepends=True):
        event = json.loads(line)
        event_type = str(event.get("type"))
        by_type[event_type] += len(line)
        total += len(line)
        for name, value in event.items():
            field_bytes = len(
                json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
            )
            title = f"{event_type}.{name}"
            if name == "result":
                title += f" of {event.get('operation', 'an announced call')}"
            by_field[title] += field_bytes
    print(f"journal: {total / trials / 1000:.1f} kB a trial")
    for event_type, count in by_type.most_common():
        print(f"{event_type:<50}{count / trials / 1000:8.2f} kB  {count / total:6.1%}")
    print("its longest fields:")
    for title, count in by_field.most_common():
        if count >= MIN_FIELD_SHARE * total:
            print(f"{title:<50}{count / trials / 1000:8.2f} kB  {count / total:6.1%}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--trials", type=int, default=16)
    parser.add_argument("--concurrency", type=int, default=8)
    parser.add_argument("--over-the-wire", action="store_true")
    options = parser.parse_args()

    with ExitStack() as stack:
        flags = f"--benchmark ecom --limit {options.trials}"
        if options.over_the_wire:
            port = stack.enter_context(model_server(replies()))
            platform = stack.enter_context(platform_server(options.trials))
            os.environ["OPENAI_BASE_URL"] = f"http://127.0.0.1:{port}/v1"
            os.environ["OPENAI_API_KEY"] = "none"
            os.environ["BITGN_HOST"] = platform
            os.environ["BITGN_API_KEY"] = "any"
            flags = "--benchmark bitgn:shelf --rule-sets none --model canned"
        flags += f" --concurrency {options.concurrency}"
        runs_dir = stack.enter_context(tempfile.TemporaryDirectory())

        play(flags, f"{runs_dir}/first")
        stopwatch = Stopwatch()
        time_phases(stopwatch)
        own_s = cpu_seconds(resource.RUSAGE_SELF)
        children_s = cpu_seconds(resource.RUSAGE_CHILDREN)
        play(flags, f"{runs_dir}/timed")
        own_s = cpu_seconds(resource.RUSAGE_SELF) - own_s
        children_s = cpu_seconds(resource.RUSAGE_CHILDREN) - children_s

        print_phases(stopwatch, own_s, children_s, options.trials)
        (journal,) = Path(runs_dir, "timed").glob("*.jsonl")
        print_journal(journal, options.trials)


if __name__ == "__main__":
    main()
