"""Runs trials side by side, on threads of this process or on any other workers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from queue import Empty, SimpleQueue
from typing import Protocol, TypeAlias

from agent.loop import ResumeState
from controlplane.benchmark import TrialHead
from controlplane.journal.journal_lines import EncodedEvent
from controlplane.journal.run_events import JournalEvent
from controlplane.lifecycle.run_resources import RunResources
from controlplane.lifecycle.trial_lifecycle import Emit, RunControls, run_trial


class Workers(Protocol):
    """Where the trials of a run are worked on."""

    def submit(self, head: TrialHead, resume_state: ResumeState) -> Future[None]:
        """Have a trial run as soon as there is room. The future is done when the trial is over and all its events are
        emitted; it fails with what ends the whole run, and can be cancelled until the trial begins."""
        ...

    def close(self) -> None:
        """Let go of the workers, once no trial runs any more."""
        ...


Record: TypeAlias = Callable[[JournalEvent | EncodedEvent], None]
"""Takes what happens in a run, in its order. Raises what ends the run."""
OpenWorkers: TypeAlias = Callable[[RunResources, Record, RunControls], Workers]
"""Makes the workers of a run. Raises `ControlPlaneError` if there are none."""


class ThreadWorkers:
    """Threads of this process, which share its resources."""

    def __init__(self, resources: RunResources, emit: Emit, controls: RunControls) -> None:
        self._shared = resources, emit, controls
        resources.launch_server()  # It is ready by the time that a first reply holds a script.
        self._pool = ThreadPoolExecutor(resources.spec.settings.concurrency)

    def submit(self, head: TrialHead, resume_state: ResumeState) -> Future[None]:
        """Run the trial on the next thread that is free."""
        resources, emit, controls = self._shared
        return self._pool.submit(run_trial, resources, head, emit, controls, resume_state)

    def close(self) -> None:
        """Wait for the threads."""
        self._pool.shutdown()


def fan_out(
    workers: Workers,
    heads: Iterable[TrialHead],
    *,
    controls: RunControls,
    resume_states: Mapping[str, ResumeState],
) -> None:
    """Run all trials and return when every one is over. Raises the first error that ends the whole run."""
    left = {workers.submit(head, resume_states.get(head.trial_id, ResumeState())) for head in heads}
    over: SimpleQueue[Future[None]] = SimpleQueue()
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
                _check(done, left, controls)
        if controls.no_new.is_set():
            left -= {each for each in left if each.cancel()}


def _check(done: Future[None], left: set[Future[None]], controls: RunControls) -> None:
    """Raise the error of a trial that is over, and then have no other of `left` begin."""
    error = None if done.cancelled() else done.exception()
    if error is not None:
        controls.stop.set()
        controls.no_new.set()
        for other in left:
            other.cancel()
        raise error
