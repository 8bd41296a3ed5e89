"""`--workers dask:…`: the workers of a Dask cluster play the trials of a run.

The run's process submits each trial as a Dask task. The worker that plays it sends
every event back through one Dask queue, because only the run's process writes the
journal. Before a trial changes something outside of the worker, it announces that by an
event, and waits until the event is written. So a resumed run never makes a change
twice. A trial whose worker is lost is left open.

Dask's TLS protects every connection. Whoever reaches a cluster's scheduler can run code
on its workers, so all parts of a cluster have to trust each other.
"""

from __future__ import annotations

import pickle
import secrets
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from distributed import Client, Queue

from controlplane.agent.record.trial_record import TrialRecord
from controlplane.benchmark import TrialScore, TrialStub
from controlplane.errors import Unreachable, UsageError
from controlplane.journal.run_events import (
    JournalEvent,
    RunNotice,
    Scored,
    TrialEnded,
    TrialFailed,
    TrialLeftOpen,
)
from controlplane.lifecycle.benchmark_health import RunControls
from controlplane.lifecycle.resources.run_resources import RunResources
from controlplane.lifecycle.trials.trial_reports import Emit
from controlplane.lifecycle.trials.trial_workers import Workers
from controlplane.sandbox.interface import bounds
from controlplane.workers.cluster_client import connected_client
from controlplane.workers.open_runs import (
    Opening,
    OpenRuns,
    has_opened,
    refusal_text,
)
from controlplane.workers.run_here import play_trial
from controlplane.workers.run_messages import LOST_CONNECTION, Message
from controlplane.workers.work_orders import work_order

CLOSING_TIMEOUT_S: Final = 10

_LAST_EVENTS: Final = (TrialEnded, TrialFailed, TrialLeftOpen)
"""The kinds of a trial's last event. A trial whose worker is lost may have none of them."""


def open_cluster(resources: RunResources, emit: Emit, controls: RunControls) -> Workers:
    """Connect to the cluster that the settings name, or start one, and return its workers.

    Raises `UsageError` and `Unreachable`.
    """
    settings = resources.settings
    reason = resources.opened.stays_here
    if reason:
        msg = f"trials of {settings.benchmark} cannot run on a cluster: {reason}"
        raise UsageError(msg)
    client = connected_client(settings)
    try:
        return DaskWorkers(client, resources, emit, controls)
    except BaseException:
        with suppress(*LOST_CONNECTION):
            client.close(timeout=5)
        raise


@dataclass(eq=False)
class _RemoteTrial:
    """What the run's process knows of a trial that a worker plays."""

    address: str
    """The address of the worker."""
    last_event: JournalEvent | None = None
    """The trial's latest event that is written to the journal."""
    failure: Exception | None = None
    """The error that ends the whole run; None if there is none."""

    @property
    def is_heard_of(self) -> bool:
        """True if the worker has reported an event.

        Then playing the trial again could repeat changes.
        """
        return self.last_event is not None

    @property
    def has_ended(self) -> bool:
        """True if the worker has reported that the trial has ended, failed or been left open."""
        return isinstance(self.last_event, _LAST_EVENTS)


class DaskWorkers(Workers):
    """The workers of a Dask cluster, as the run's process uses them.

    Each of several threads (those of `Workers`) has the cluster play one trial after
    another, by `_play_remotely`. Two more threads serve all trials: one watches the
    cluster, the other writes the events that workers send to the journal.
    """

    def __init__(
        self, client: Client, resources: RunResources, emit: Emit, controls: RunControls
    ) -> None:
        """Have every worker of the cluster open the run. Raises `Unreachable` if one cannot."""
        super().__init__(self._play_remotely, resources.settings.concurrency)
        self._client = client
        self._resources = resources
        self._emit = emit
        self._controls = controls
        self._trials: dict[str, _RemoteTrial] = {}
        """The trials that are being played, by the keys of their Dask tasks."""
        self._is_over = False
        self._stop_signal = threading.Event()
        """Wakes the watching thread at once when the run must stop."""
        resources.context.stop.listen(self._stop_signal.set)

        # Each worker opens the run, and only then trials can be submitted to it.
        order = work_order(resources)
        self._run_key = order.run_key
        self._runs = OpenRuns(client, order)
        self._runs.open_first()
        self._messages = Queue(order.run_key, client=client)
        self._service_threads = [
            threading.Thread(target=self._watch_cluster, daemon=True),
            threading.Thread(target=self._take_messages, daemon=True),
        ]
        for thread in self._service_threads:
            thread.start()

    def close(self) -> None:
        """Wait for the threads to end, and disconnect from the cluster."""
        super().close()
        self._is_over = True
        for thread in self._service_threads:
            thread.join()
        with suppress(*LOST_CONNECTION):
            self._client.close(timeout=CLOSING_TIMEOUT_S)

    # Workers come and go.

    def _watch_cluster(self) -> None:
        """Pass on orders to stop and let new workers open the run, until the run is over.

        The run is paused if its scheduler is lost, or if it has had no worker for a while.
        """
        had_workers_at = time.monotonic()
        while not self._is_over:
            self._stop_signal.wait(bounds.WORKER_LOOK_S)
            self._stop_signal.clear()
            with suppress(*LOST_CONNECTION):
                self._pass_on_orders()
                self._open_at_new_workers()

            if self._runs.addresses():
                had_workers_at = time.monotonic()
            if self._client.status != "running":
                cluster = self._resources.settings.workers
                msg = f"the scheduler of the cluster {cluster} was lost"
                self._controls.pause(Unreachable(msg))
            elif time.monotonic() - had_workers_at > bounds.WORKER_SILENCE_S:
                msg = "the cluster has no worker that takes trials; start some"
                self._controls.pause(Unreachable(msg))

    def _pass_on_orders(self) -> None:
        """Tell all workers if the run must stop or may spend no more.

        The order is repeated, because new workers may have joined since.
        """
        must_stop = self._controls.stop.is_set()
        used_up = self._resources.budget.spending.stop_reason
        if must_stop or used_up:
            self._runs.order_all(must_stop=must_stop, used_up=used_up)

    def _open_at_new_workers(self) -> None:
        for address, opening in self._runs.open_at_new_workers().items():
            opening.add_done_callback(partial(self._note_refusal, address))

    def _note_refusal(self, address: str, opening: Opening) -> None:
        """Write a notice to the journal if a worker that joined later cannot open the run."""
        if opening.status == "error":
            self._emit(RunNotice(text=refusal_text(address, opening.exception())))

    # Workers send events.

    def _take_messages(self) -> None:
        """Write the events that workers send, until the run is over."""
        while not self._is_over:
            for message in self._received_messages():
                self._take_message(message)

    def _received_messages(self) -> list[Message]:
        """Wait a short time for a message. Return it with all others that have arrived."""
        try:
            first = self._messages.get(timeout=bounds.WORKER_LOOK_S)
            others = self._messages.get(batch=True)
        except LOST_CONNECTION:
            # Also if there is no message: `TimeoutError` is an `OSError`.
            return []
        return [pickle.loads(pickled) for pickled in (first, *others)]

    def _take_message(self, message: Message) -> None:
        """Handle a message: an error pauses the run, and an event is written.

        The last message of a trial has neither.
        """
        content = message.content
        if isinstance(content, Exception):
            self._controls.pause(content)
        elif message.trial_key:
            self._take_message_of_trial(message.trial_key, content, message.is_awaited)
        elif content is not None:
            self._emit(content)

    def _take_message_of_trial(
        self, key: str, event: JournalEvent | None, is_awaited: bool
    ) -> None:
        trial = self._trials.get(key)
        if trial is None:
            # The run has given the trial up: its worker was taken for lost.
            return
        if event is not None:
            self._take_event(trial, event)
        if is_awaited and not trial.failure:
            # Tell the trial, through its own queue, that its event is written.
            with suppress(*LOST_CONNECTION):
                Queue(key, client=self._client).put(True)

    def _take_event(self, trial: _RemoteTrial, event: JournalEvent) -> None:
        """Write an event of a trial. If it is a score, pass it on to the benchmark.

        An error is kept in `trial.failure`. The thread that waits for the trial raises it.
        """
        try:
            self._emit(event)
            trial.last_event = event
            # The worker has a benchmark of its own, which has graded the trial. The
            # benchmark in this process needs the score, too, for the score of the run.
            tell_score = self._resources.opened.ended_elsewhere
            if isinstance(event, Scored) and tell_score is not None:
                tell_score(TrialScore(event.trial_id, event.score, event.details))
        except Exception as error:  # noqa: BLE001 - the trial's thread raises it
            trial.failure = error

    # Workers play trials.

    def _play_remotely(self, stub: TrialStub, record: TrialRecord) -> None:
        """Have a worker play a trial, and return when the trial is over or left open.

        Raises the error that ends the whole run.
        """
        while True:
            address = self._wait_for_worker()
            if address is None:
                return
            trial = self._play_at(address, stub, record)
            if trial.failure is not None:
                raise trial.failure
            if trial.is_heard_of:
                break
            # The worker was lost before it began the trial, so another worker can play it.
            self._controls.stop.wait(bounds.WORKER_LOOK_S)

        if not trial.has_ended:
            reason = "its worker was lost"
            self._emit(TrialLeftOpen(trial_id=stub.trial_id, reason=reason))

    def _wait_for_worker(self) -> str | None:
        """Return the address of the worker with the fewest trials; None if the run must stop."""
        stop = self._controls.stop
        addresses = self._runs.addresses()
        while not addresses and not stop.wait(bounds.WORKER_LOOK_S):
            addresses = self._runs.addresses()
        if stop.is_set() or self._resources.budget.spending.stop_reason:
            return None
        busy_addresses = [trial.address for trial in self._trials.copy().values()]
        return min(addresses, key=busy_addresses.count)

    def _play_at(
        self, address: str, stub: TrialStub, record: TrialRecord
    ) -> _RemoteTrial:
        """Have one worker play a trial until the trial ends, the worker is lost, or the run stops.

        A trial that has begun is not given to another worker, which might repeat its changes.
        """
        trial = _RemoteTrial(address)
        key = f"{self._run_key}-{stub.trial_id}-{secrets.token_hex(4)}"
        self._trials[key] = trial
        with suppress(*LOST_CONNECTION):
            opening = self._runs.at(address)
            # `play_trial` gets the run that the worker has opened, in place of `opening`.
            # `retries=0`: the task must not be repeated, since a trial may make changes.
            future = self._client.submit(
                play_trial,
                opening,
                stub,
                record,
                key,
                key=key,
                workers=[address],
                pure=False,
                retries=0,
            )
            self._wait_for_end(trial, future, opening)
            future.cancel()
        del self._trials[key]
        return trial

    def _wait_for_end(self, trial: _RemoteTrial, future: Any, opening: Opening) -> None:
        """Wait for the `future` of a trial's task, until it ends or its worker has left.

        If the run stops, only wait for a trial that has begun. The task returns an error
        that ends the whole run, or None; it is kept in `trial.failure`.
        """
        while not trial.failure and has_opened(opening):
            try:
                trial.failure = future.result(bounds.WORKER_LOOK_S)
            except TimeoutError:
                # The task is still running, or still waits in the worker's queue.
                if self._controls.stop.is_set() and not trial.is_heard_of:
                    return
            else:
                return
