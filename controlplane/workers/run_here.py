"""A run in the process of a worker: plays trials, and sends their events to the run's process."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Final
from weakref import WeakValueDictionary, finalize

from distributed import Queue, get_worker

from controlplane.agent.events import AnswerSent, CallEvent, build_models
from controlplane.agent.retry import RetryBudget, RunBudget
from controlplane.agent.spending import Spending
from controlplane.agent.trial_record import TrialRecord
from controlplane.benchmark import TrialStub
from controlplane.configuration.installed_versions import source_digest
from controlplane.errors import UsageError
from controlplane.journal.run_events import JournalEvent, RunNotice
from controlplane.lifecycle.benchmark_health import RunControls
from controlplane.lifecycle.resources.run_resources import RunResources
from controlplane.lifecycle.trials.trial_lifecycle import portable_error, run_trial
from controlplane.sandbox.interface import bounds
from controlplane.workers.run_messages import Message, RunLost, put_message
from controlplane.workers.work_orders import WorkOrder


class RunHere:
    """A run that is open in a worker's process, with everything that its trials share.

    A Dask task creates it and returns it. Dask keeps it until the run's process
    releases the task.
    """

    def __init__(self, order: WorkOrder) -> None:
        """Open everything that the trials need.

        Raises `ControlPlaneError` or `OSError` if this worker cannot play trials of the run.
        """
        _check_program(order)
        build_models()  # Before threads of trials start: two must not build a class at once.
        _check_variables(order)

        self.run_key = order.run_key
        # The run's process adds up what all workers spend, and tells them when a limit is reached.
        retries = RetryBudget(order.spec.settings.model_retries)
        self.resources = RunResources(order.spec, budget=RunBudget(retries, Spending()))
        # Dask drops this object when the run's process releases the task. Nobody can call a
        # `close` before, so `finalize` closes the resources then.
        finalize(self, self.resources.close)

        world_version = self.resources.versions().world
        if world_version != order.world_version:
            msg = f"it has worlds {world_version!r}, and the run has worlds {order.world_version!r}"
            raise UsageError(msg)
        self.resources.launch_server()  # It forks the processes of scripts.
        self.resources.check_isolation()
        self.resources.notices.listener = self._send_notice
        self.controls = RunControls(
            stop=self.resources.context.stop, pause=self._send_pause
        )
        _runs_here[order.run_key] = self

    def _send_notice(self, text: str) -> None:
        put_message(self.run_key, Message("", RunNotice(text=text)))

    def _send_pause(self, error: Exception) -> None:
        put_message(self.run_key, Message("", portable_error(error)))

    def __reduce__(self) -> tuple[type, tuple[()]]:
        """Pickle as an empty `object()`: Dask may copy results, but open runs cannot be copied."""
        return object, ()


def _check_program(order: WorkOrder) -> None:
    """Raise `UsageError` if this worker has another version than the run's process."""
    if source_digest(order.spec.settings.benchmark) != order.source_digest:
        msg = "it has another version of the program, or of Python; install there what runs here"
        raise UsageError(msg)


def _check_variables(order: WorkOrder) -> None:
    """Raise `UsageError` if an environment variable that the run needs is not set here."""
    missing = [name for name in order.required_variables if not os.environ.get(name)]
    if missing:
        msg = (
            f"it has no key in {', '.join(missing)}; set it in the worker's environment"
        )
        raise UsageError(msg)


_runs_here: Final = WeakValueDictionary[str, RunHere]()
"""The runs that are open in this process, by their keys, for `obey_run`.
The references are weak, so that a run is closed as soon as Dask drops it."""


def play_trial(
    here: RunHere, stub: TrialStub, record: TrialRecord, key: str
) -> Exception | None:
    """Play a trial, as the Dask task named `key`. Return the error that ends the run, or None.

    The error is returned and not raised: Dask would keep a raised error with its
    frames, which refer to `here`, so that the run could never be closed.
    """
    sender = _EventSender(here, key)
    failure: Exception | None = None
    try:
        run_trial(here.resources, stub, sender.send_event, here.controls, record)
    except RunLost:  # Nobody waits for this trial any more.
        return None
    except BaseException as error:  # noqa: BLE001 - any error: the run hears why the trial is over
        failure = portable_error(error)
    with suppress(RunLost):
        sender.send_end()
    return failure


class _EventSender:
    """Sends the events of one trial from its Dask task to the run's process."""

    def __init__(self, here: RunHere, key: str) -> None:
        self._here = here
        self._key = key
        """The name of the task, and of the queue through which
        the run's process confirms that an event is written."""
        self._tasks_of_worker = get_worker().state.tasks

    def send_event(self, event: JournalEvent) -> None:
        """Send an event. If it announces a change, wait until it is in the journal.

        Raises `RunLost` if the run is over, or its process is gone.
        """
        # Some environments exist in this process alone, and are rebuilt from the journal
        # when a run is resumed. There it does no harm if a change was never recorded.
        changes_only_this_process = self._here.resources.opened.rebuilds_trials
        must_wait = _announces_change(event) and not changes_only_this_process
        self._send(event, must_wait=must_wait)

    def send_end(self) -> None:
        """Tell the run's process that no event follows, and wait for its confirmation.

        Raises `RunLost`.
        """
        self._send(None, must_wait=True)

    def _send(self, content: JournalEvent | None, *, must_wait: bool) -> None:
        self._check_wanted()
        put_message(
            self._here.run_key, Message(self._key, content, is_awaited=must_wait)
        )
        if must_wait:
            self._wait_for_confirmation()

    def _wait_for_confirmation(self) -> None:
        """Return as soon as the run's process has put something into the queue of this task."""
        is_confirmed = False
        while not is_confirmed:
            self._check_wanted()
            with suppress(TimeoutError):
                is_confirmed = Queue(self._key).get(timeout=bounds.WORKER_LOOK_S)

    def _check_wanted(self) -> None:
        """Raise `RunLost` if Dask has cancelled this task."""
        task = self._tasks_of_worker.get(self._key)
        if task is None or task.state != "executing":
            raise RunLost


def _announces_change(event: JournalEvent) -> bool:
    """Return True if the trial changes something as soon as this event is written.

    That is so before an answer is sent, and before a call that may change something.
    """
    if isinstance(event, AnswerSent):
        return True
    return isinstance(event, CallEvent) and event.is_announcement


def obey_run(run_key: str, *, must_stop: bool, used_up: str) -> None:
    """Carry out in this process what the run's process orders all workers to do.

    - `must_stop`: leave each trial open after its present step.
    - `used_up`: why no more may be spent, such as a reached limit of dollars; empty if
      more may be spent.
    """
    here = _runs_here.get(run_key)
    if here is None:
        return
    if used_up:
        here.resources.budget.spending.close(used_up)
    if must_stop:
        here.controls.stop.set()
