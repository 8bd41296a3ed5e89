"""Hands trials to an executor: threads of this process, or anything else that can run a pickled function.

Threads share the run's workshop and write their events as they happen. Elsewhere a worker opens a workshop of its own
from the blueprint, once, and sends a trial's events back when it is over.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Mapping
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from typing import Final, TypeAlias

from agent.loop.trial_context import History
from controlplane.benchmark import TrialHead
from controlplane.journal.run_events import JournalEvent
from controlplane.lifecycle.run_resources import Blueprint, Workshop
from controlplane.lifecycle.trial_lifecycle import Controls, Emit, run_trial

_opened: Final[dict[bytes, Workshop]] = {}
"""Workshops of this process by their pickled blueprint: a worker runs many trials of one run."""

Result: TypeAlias = tuple[JournalEvent, ...]


def run_elsewhere(blueprint: Blueprint, head: TrialHead, history: History) -> Result:
    """Run one trial in a process that knows nothing but its arguments, and return its events."""
    key = pickle.dumps(blueprint)
    if key not in _opened:
        _opened[key] = Workshop(blueprint)
    events: list[JournalEvent] = []
    run_trial(_opened[key], head, events.append, Controls(), history)
    return tuple(events)


def run_here(workshop: Workshop, head: TrialHead, emit: Emit, controls: Controls, history: History) -> Result:
    """Run one trial in this process; its events are out by the time it returns."""
    run_trial(workshop, head, emit, controls, history)
    return ()


def fan_out(
    executor: Executor,
    workshop: Workshop,
    heads: Iterable[TrialHead],
    *,
    emit: Emit,
    controls: Controls,
    histories: Mapping[str, History],
) -> None:
    """Run all trials and return when every one is over. Raises the first error that ends the whole run."""
    left: set[Future[Result]] = set()
    for head in heads:
        history = histories.get(head.trial_id, History())
        if isinstance(executor, ThreadPoolExecutor):
            left.add(executor.submit(run_here, workshop, head, emit, controls, history))
        else:
            left.add(executor.submit(run_elsewhere, workshop.blueprint, head, history))
    while left:
        # A short wait, so that signals reach the main thread on every platform.
        done, left = wait(left, timeout=0.2, return_when="FIRST_COMPLETED")
        for each in done:
            error = each.exception()
            if error is not None:
                controls.stop.set()
                controls.no_new.set()
                for other in left:
                    other.cancel()
                raise error
            for event in each.result():
                emit(event)
        if controls.no_new.is_set():
            left -= {each for each in left if each.cancel()}
