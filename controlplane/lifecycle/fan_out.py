"""Runs trials on an executor: threads of this process, or any other that can run a pickled function.

Threads share the run's resources and write their events as they happen. A worker in another process opens resources of
its own from the spec, once, and returns a trial's events when the trial is over.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Mapping
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from queue import Empty, SimpleQueue
from typing import Final, TypeAlias

from agent.loop import ResumeState
from controlplane.benchmark import TrialHead
from controlplane.journal.run_events import JournalEvent
from controlplane.lifecycle.run_resources import RunResources, RunSpec
from controlplane.lifecycle.trial_lifecycle import Emit, RunControls, run_trial

_opened: Final[dict[bytes, RunResources]] = {}
"""Resources of this process by their pickled spec: a worker runs many trials of one run."""

Result: TypeAlias = tuple[JournalEvent, ...] | None
"""The events of a trial; None if they are emitted already."""


def run_elsewhere(spec: RunSpec, head: TrialHead, resume_state: ResumeState) -> Result:
    """Run one trial in another process and return its events."""
    key = pickle.dumps(spec)
    if key not in _opened:
        opened = RunResources(spec)
        try:
            opened.check_walls()
        except BaseException:
            opened.close()
            raise
        _opened[key] = opened
    events: list[JournalEvent] = []
    resources = _opened[key]
    run_trial(resources, head, events.append, RunControls(stop=resources.context.stop), resume_state)
    return tuple(events)


def fan_out(
    executor: Executor,
    resources: RunResources,
    heads: Iterable[TrialHead],
    *,
    emit: Emit,
    controls: RunControls,
    resume_states: Mapping[str, ResumeState],
) -> None:
    """Run all trials and return when every one is over. Raises the first error that ends the whole run."""
    left: set[Future[Result]] = set()
    for head in heads:
        resume_state = resume_states.get(head.trial_id, ResumeState())
        if isinstance(executor, ThreadPoolExecutor):
            left.add(executor.submit(run_trial, resources, head, emit, controls, resume_state))
        else:
            left.add(executor.submit(run_elsewhere, resources.spec, head, resume_state))
    over: SimpleQueue[Future[Result]] = SimpleQueue()
    for each in left:
        each.add_done_callback(over.put)
    while left:
        try:
            # Short waits let signals reach the main thread on every platform.
            done = over.get(timeout=0.2)
        except Empty:
            pass
        else:
            if done in left:
                left.remove(done)
                _take(done, left, emit, controls)
        if controls.no_new.is_set():
            left -= {each for each in left if each.cancel()}


def _take(done: Future[Result], left: set[Future[Result]], emit: Emit, controls: RunControls) -> None:
    """Emit the events of a trial that is over. Raises its error, and then has no other of `left` begin."""
    error = done.exception()
    if error is not None:
        controls.stop.set()
        controls.no_new.set()
        for other in left:
            other.cancel()
        raise error
    for event in done.result() or ():
        emit(event)
