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

import logging
import math
import os
import pickle
import secrets
import threading
import time
from asyncio import CancelledError as AsyncioCancelledError
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias
from weakref import WeakValueDictionary, finalize

import dask
from distributed import CancelledError as DaskCancelledError
from distributed import Client, Queue, get_worker

from controlplane.agent.events import AnswerSent, CallEvent, build_models
from controlplane.agent.retry import RetryBudget, RunBudget
from controlplane.agent.spending import Spending
from controlplane.agent.trial_record import TrialRecord
from controlplane.benchmark import TrialScore, TrialStub
from controlplane.configuration.named_modules import options_of, source_digest
from controlplane.configuration.run_settings import (
    LOCAL_CLUSTER,
    RunSettings,
    variable_in,
)
from controlplane.errors import ControlPlaneError, Unreachable, UsageError
from controlplane.journal import run_events
from controlplane.journal.journal_files import with_home
from controlplane.lifecycle.benchmark_health import RunControls
from controlplane.lifecycle.run_models import PLAYERS
from controlplane.lifecycle.run_resources import RunResources
from controlplane.lifecycle.run_spec import RunSpec
from controlplane.lifecycle.trial_lifecycle import portable_error, run_trial
from controlplane.lifecycle.trial_reports import Emit
from controlplane.lifecycle.trial_workers import Workers
from controlplane.sandbox.interface import bounds

SCRIPTED: Final = "scripted:"
"""The prefix of `--model scripted:FILE`. The file holds the replies of the model."""
CONNECTION_TIMEOUT_S: Final = 20
CLOSING_TIMEOUT_S: Final = 10

FAILED_CONNECTION: Final = (OSError, ValueError, TypeError, RuntimeError, ImportError)
"""The exceptions that `Client` raises if it cannot connect: also for a malformed
address, and for a protocol whose package is not installed."""
LOST_CONNECTION: Final = (
    OSError,
    RuntimeError,
    TypeError,
    AttributeError,
    LookupError,
    ValueError,
    DaskCancelledError,
    AsyncioCancelledError,
)
"""The exceptions that calls of Dask raise after a scheduler or a worker has gone away.

Dask has no error class for that. Its own code fails on a closed connection or on a
missing entry, so these classes are broad.
"""


# --- What the run's process and its workers send each other ---


class RunLost(ControlPlaneError):
    """The run is over, or can no longer be reached."""


@dataclass(frozen=True)
class WorkOrder:
    """What a worker needs in order to play trials of a run.

    It has no secrets: a worker takes the keys of endpoints from its own environment.
    """

    run_key: str
    """The name of the run on the cluster, and of the queue of its events:
    `run-1f0c…`."""
    spec: RunSpec
    world_version: str
    """The version of the benchmark's worlds. A worker that has another version is
    refused."""
    source_digest: str
    """A digest of the program's source and of Python's version in the run's process. A
    worker with another digest is refused."""
    required_variables: tuple[str, ...]
    """The names of environment variables that hold keys. A worker that lacks one is
    refused."""


@dataclass(frozen=True)
class _Message:
    """A message that a worker sends through the queue of a run."""

    trial_key: str
    """The key of the Dask task that plays the trial; empty if the message is about the
    whole run."""
    content: run_events.JournalEvent | Exception | None
    """An event for the journal, an error that pauses the run, or None as the last
    message of a trial."""
    is_awaited: bool = False
    """True if the trial waits until the run's process confirms that the event is
    written."""


def _put_message(run_key: str, message: _Message) -> None:
    """Put a message into the queue of a run."""
    Queue(run_key).put(pickle.dumps(message))


# --- In a worker's process ---


class RunHere:
    """A run that is open in a worker's process, with everything that its trials share.

    A Dask task creates it and returns it. Dask keeps it until the run's process
    releases the task.
    """

    def __init__(self, order: WorkOrder) -> None:
        """Open everything that the trials need.

        Raises `ControlPlaneError` or `OSError` if this worker cannot play trials of the
        run.
        """
        settings = order.spec.settings
        if source_digest(settings.benchmark) != order.source_digest:
            msg = "it has another version of the program, or of Python; install there what runs here"
            raise UsageError(msg)
        build_models()
        missing = [
            name for name in order.required_variables if not os.environ.get(name)
        ]
        if missing:
            msg = f"it has no key in {', '.join(missing)}; set it in the worker's environment"
            raise UsageError(msg)

        self.run_key = order.run_key
        # The run's process adds up what all workers spend, and tells them when a limit
        # is reached.
        budget = RunBudget(RetryBudget(settings.model_retries), Spending())
        self.resources = RunResources(order.spec, budget=budget)
        # Nobody calls a `close`: Dask drops this object when the run's process releases
        # the task.
        finalize(self, self.resources.close)

        world_version = self.resources.versions().world
        if world_version != order.world_version:
            msg = f"it has worlds {world_version!r}, and the run has worlds {order.world_version!r}"
            raise UsageError(msg)
        self.resources.launch_server()
        self.resources.check_isolation()
        self.resources.notices.listener = self._send_notice
        self.controls = RunControls(
            stop=self.resources.context.stop, pause=self._send_pause
        )
        _runs_here[order.run_key] = self

    def _send_notice(self, text: str) -> None:
        _put_message(self.run_key, _Message("", run_events.RunNotice(text=text)))

    def _send_pause(self, error: Exception) -> None:
        _put_message(self.run_key, _Message("", portable_error(error)))

    def __reduce__(self) -> tuple[type, tuple[()]]:
        """Pickle as an empty `object()`, because Dask may copy results to other
        workers, and an open run cannot be copied."""
        return object, ()


_runs_here: Final = WeakValueDictionary[str, RunHere]()
"""The runs that are open in this process, by their keys, for `obey_run`. The references
are weak, so that a run is closed as soon as Dask drops it."""


def play_trial(
    here: RunHere, stub: TrialStub, record: TrialRecord, key: str
) -> Exception | None:
    """Play a trial, as the Dask task named `key`. Return the error that ends the whole
    run, or None.

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
        """The name of the task, and of the queue through which the run's process
        confirms that an event is written."""
        self._tasks_of_worker = get_worker().state.tasks

    def send_event(self, event: run_events.JournalEvent) -> None:
        """Send an event. If it announces a change, wait until it is in the journal.

        Raises `RunLost` if the run is over, or its process is gone.
        """
        # The environments of some benchmarks are in this process alone, and are rebuilt
        # when a run is resumed. Then it does no harm if a change was made and never
        # recorded.
        changes_only_this_process = self._here.resources.opened.rebuilds_trials
        must_wait = _announces_change(event) and not changes_only_this_process
        self._send(event, must_wait=must_wait)

    def send_end(self) -> None:
        """Tell the run's process that no event follows, and wait for its confirmation.

        Raises `RunLost`.
        """
        self._send(None, must_wait=True)

    def _send(
        self, content: run_events.JournalEvent | None, *, must_wait: bool
    ) -> None:
        self._check_wanted()
        _put_message(
            self._here.run_key, _Message(self._key, content, is_awaited=must_wait)
        )
        if must_wait:
            self._wait_for_confirmation()

    def _wait_for_confirmation(self) -> None:
        """Return as soon as the run's process has put something into the queue of this
        task."""
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


def _announces_change(event: run_events.JournalEvent) -> bool:
    """Return True if the trial sends an answer or makes a call as soon as this event is
    written."""
    if isinstance(event, AnswerSent):
        return True
    return isinstance(event, CallEvent) and event.is_announcement


def obey_run(run_key: str, *, must_stop: bool, used_up: str) -> None:
    """Carry out in this process what the run's process orders all workers to do.

    `must_stop`: leave each trial open after its present step. `used_up`: the reason why
    no more may be spent, such as a reached limit of dollars; empty if there is no such
    reason.
    """
    here = _runs_here.get(run_key)
    if here is None:
        return
    if used_up:
        here.resources.budget.spending.close(used_up)
    if must_stop:
        here.controls.stop.set()


# --- In the run's process: connecting ---


def open_cluster(resources: RunResources, emit: Emit, controls: RunControls) -> Workers:
    """Connect to the cluster that the settings name, or start one, and return its
    workers.

    Raises `UsageError` and `Unreachable`.
    """
    settings = resources.spec.settings
    reason = resources.opened.stays_here
    if reason:
        msg = f"trials of {settings.benchmark} cannot run on a cluster: {reason}"
        raise UsageError(msg)
    _silence_dask_logs()
    client_options = _client_options(settings.workers, settings.concurrency)
    try:
        client = Client(
            timeout=CONNECTION_TIMEOUT_S, set_as_default=False, **client_options
        )
    except FAILED_CONNECTION as error:
        first_line = str(error).partition("\n")[0]
        msg = (
            f"the scheduler of {settings.workers} cannot be reached ({first_line}); "
            "start it, or name other --workers"
        )
        raise Unreachable(msg) from error
    try:
        return DaskWorkers(client, resources, emit, controls)
    except BaseException:
        with suppress(*LOST_CONNECTION):
            client.close(timeout=5)
        raise


def _silence_dask_logs() -> None:
    """Silence the logs of Dask and its libraries; the run reports the errors itself."""
    libraries = ("distributed", "tornado", "asyncio")
    for logger_name in (*libraries, *logging.root.manager.loggerDict):
        library = logger_name.partition(".")[0]
        if library in libraries:
            logging.getLogger(logger_name).setLevel(logging.CRITICAL + 1)


def _client_options(workers: str, concurrency: int) -> dict[str, Any]:
    """Return the arguments with which `Client` connects to a cluster.

    `workers` is the setting: `dask:local:4` starts a cluster of four workers on this
    machine, and `dask:tcp://host:8786` names the scheduler of a running cluster.
    """
    if not workers.startswith(LOCAL_CLUSTER):
        return {"address": workers.removeprefix("dask:")}
    worker_count = int(workers.removeprefix(LOCAL_CLUSTER))

    # Other users of the machine can connect to the ports of a local cluster. So
    # connections require a certificate (`security`), and the status pages, which Dask
    # serves without one, are removed.
    for part in ("scheduler", "worker"):
        dask.config.set({f"distributed.{part}.http.routes": []})
    # Each worker's process runs this code first. Only the run's process may log and
    # react to Ctrl-C, which the terminal sends to all processes.
    preload = "import logging, signal; logging.disable(); signal.signal(signal.SIGINT, signal.SIG_IGN)"
    return {
        "n_workers": worker_count,
        "threads_per_worker": math.ceil(concurrency / worker_count),
        "host": "127.0.0.1",
        "dashboard_address": None,
        "scheduler_kwargs": {"dashboard_address": "127.0.0.1:0"},
        "silence_logs": logging.CRITICAL,
        "security": True,  # `Security.temporary()`: TLS with certificates made for this cluster
        "preload": preload,
    }


def _work_order(resources: RunResources) -> WorkOrder:
    """Return what workers need to know to play trials of this run."""
    settings = resources.spec.settings
    required_variables = _required_variables(settings)
    script = _script_of(settings.model)

    # The user may name the benchmark by a relative path, such as `.`. Workers get the
    # full path, as a resumed run does.
    identity = resources.opened.resume_identity
    if identity is not None:
        settings = settings.model_copy(
            update={"benchmark": identity.spec, "set": dict(identity.settings)}
        )
    spec = RunSpec(
        settings,
        rule_sets=resources.rule_sets,
        script=script,
        prompts=resources.prompts,
    )
    return WorkOrder(
        run_key=f"run-{secrets.token_hex(8)}",
        spec=spec,
        world_version=resources.versions().world,
        source_digest=source_digest(settings.benchmark),
        required_variables=required_variables,
    )


def _required_variables(settings: RunSettings) -> tuple[str, ...]:
    """Return the environment variables with keys of the benchmark and of models'
    endpoints.

    Variables that are not set here are left out: this process has been able to do
    without them.
    """
    variables = [option.secret_variable for option in options_of(settings.benchmark)]
    # The solver's model, and the models of other roles, have settings of the same form.
    for model_settings in (settings, *settings.role.values()):
        name = model_settings.model
        asks_endpoint = name not in PLAYERS and not name.startswith(SCRIPTED)
        if asks_endpoint:
            variables.append(model_settings.api_key_env)
            for header_value in model_settings.model_headers.values():
                variables.append(variable_in(header_value))
    return tuple(name for name in dict.fromkeys(variables) if name in os.environ)


def _script_of(model_name: str) -> str | None:
    """Return the text of the file in `scripted:FILE`; None for another model.

    The text is sent to the workers, since the file is on this machine alone.
    """
    if not model_name.startswith(SCRIPTED):
        return None
    script_file = model_name.removeprefix(SCRIPTED)
    return Path(with_home(script_file)).read_text(encoding="utf-8")


# --- In the run's process: playing trials ---

_LAST_EVENTS: Final = (
    run_events.TrialEnded,
    run_events.TrialFailed,
    run_events.TrialLeftOpen,
)
"""The last event of a trial is one of these, unless its worker is lost earlier."""

_Opening: TypeAlias = Any
"""A Dask future for the `RunHere` of one worker. Its status is "pending" until the
worker has opened the run; then it is "finished", or "error" if that failed."""


@dataclass(eq=False)
class _TrialThere:
    """What the run's process knows of a trial that a worker plays."""

    address: str
    """The address of the worker."""
    last_event: run_events.JournalEvent | None = None
    """The trial's latest event that is written to the journal."""
    failure: Exception | None = None
    """The error that ends the whole run; None if there is none."""

    @property
    def has_reported(self) -> bool:
        """True if the worker has reported something. Then playing the trial again could
        repeat changes."""
        return self.last_event is not None


class DaskWorkers(Workers):
    """The workers of a Dask cluster, as the run's process uses them.

    Each thread of `Workers` has the cluster play one trial after another
    (`_play_there`). Two more threads serve all trials: one watches the cluster, the
    other writes the events that workers send.
    """

    def __init__(
        self, client: Client, resources: RunResources, emit: Emit, controls: RunControls
    ) -> None:
        """Have every worker of the cluster open the run. Raises `Unreachable` if one
        cannot."""
        super().__init__(self._play_there, resources.spec.settings.concurrency)
        self._client = client
        self._resources = resources
        self._emit = emit
        self._controls = controls
        self._order = _work_order(resources)
        self._is_over = False
        self._trials: dict[str, _TrialThere] = {}
        """The trials that are being played, by the keys of their Dask tasks."""
        self._openings: dict[str, _Opening] = {}
        """The Dask future of each worker that was asked to open the run, by the
        worker's address."""
        self._stop_signal = threading.Event()
        """Wakes the watching thread at once when the run must stop."""
        resources.context.stop.listen(self._stop_signal.set)

        # Each worker opens the run, and only then trials can be submitted to it.
        for address, opening in self._open_run_at_new_workers().items():
            error = opening.exception(bounds.WORKER_SILENCE_S)  # waits for the worker
            if error:
                raise Unreachable(_refusal(address, error))
        self._messages = Queue(self._order.run_key, client=client)
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

    def _open_run_at_new_workers(self) -> dict[str, _Opening]:
        """Ask new workers to open the run, and return the future of each by address.

        Workers that have left the cluster are removed.
        """
        present = set(self._client.scheduler_info()["workers"])
        for address in self._openings.keys() - present:
            del self._openings[address]
        new_openings = {}
        for address in present - self._openings.keys():
            new_openings[address] = self._client.submit(
                RunHere, self._order, workers=[address], pure=False
            )
        self._openings.update(new_openings)
        return new_openings

    def _open_addresses(self) -> list[str]:
        """Return the addresses of the workers that have opened the run and can play
        trials."""
        addresses = []
        for address, opening in self._openings.copy().items():
            if opening.status == "finished":
                addresses.append(address)
        return addresses

    def _watch_cluster(self) -> None:
        """Pass on orders and let new workers open the run, until the run is over.

        The run is paused if its scheduler is lost, or if it has had no worker for a
        while.
        """
        had_workers_at = time.monotonic()
        while not self._is_over:
            self._stop_signal.wait(bounds.WORKER_LOOK_S)
            self._stop_signal.clear()
            with suppress(*LOST_CONNECTION):
                self._pass_on_orders()
                for address, opening in self._open_run_at_new_workers().items():
                    opening.add_done_callback(partial(self._note_refusal, address))

            if self._open_addresses():
                had_workers_at = time.monotonic()
            if self._client.status != "running":
                cluster = self._resources.spec.settings.workers
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
            self._client.run(
                obey_run,
                self._order.run_key,
                must_stop=must_stop,
                used_up=used_up,
                on_error="ignore",
            )

    def _note_refusal(self, address: str, opening: _Opening) -> None:
        """Write a notice to the journal if a worker that joined later cannot open the
        run."""
        if opening.status == "error":
            self._emit(
                run_events.RunNotice(text=_refusal(address, opening.exception()))
            )

    # Workers send events.

    def _take_messages(self) -> None:
        """Write the events that workers send, until the run is over."""
        while not self._is_over:
            for message in self._received_messages():
                self._take_message(message)

    def _take_message(self, message: _Message) -> None:
        """Pause the run for an error, or write the event of the run or of a trial."""
        content = message.content
        if isinstance(content, Exception):
            self._controls.pause(content)
            return
        is_of_run = not message.trial_key
        if is_of_run:
            assert content is not None
            self._emit(content)
            return

        trial = self._trials.get(message.trial_key)
        if (
            trial is None
        ):  # The run has given the trial up: its worker was taken for lost.
            return
        if content is not None:
            self._take_event(trial, content)
        if message.is_awaited and not trial.failure:
            self._confirm(message.trial_key)

    def _received_messages(self) -> list[_Message]:
        """Wait a short time for a message. Return it with all others that have
        arrived."""
        try:
            first = self._messages.get(timeout=bounds.WORKER_LOOK_S)
            others = self._messages.get(batch=True)
        except (
            LOST_CONNECTION
        ):  # also if there is no message: `TimeoutError` is an `OSError`
            return []
        return [pickle.loads(pickled) for pickled in (first, *others)]

    def _take_event(self, trial: _TrialThere, event: run_events.JournalEvent) -> None:
        """Write an event of a trial. If it is a score, pass it on to the benchmark.

        An error becomes the trial's failure, which its thread raises.
        """
        try:
            self._emit(event)
            trial.last_event = event
            # The worker's benchmark has ended the trial. That of this process is told
            # the score.
            tell_score = self._resources.opened.ended_elsewhere
            if isinstance(event, run_events.Scored) and tell_score is not None:
                tell_score(TrialScore(event.trial_id, event.score, event.details))
        except Exception as error:  # noqa: BLE001 - the trial's thread raises it
            trial.failure = error

    def _confirm(self, trial_key: str) -> None:
        """Tell a trial, through its own queue, that its event is written."""
        with suppress(*LOST_CONNECTION):
            Queue(trial_key, client=self._client).put(True)

    # Workers play trials.

    def _play_there(self, stub: TrialStub, record: TrialRecord) -> None:
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
            if trial.has_reported:
                break
            # The worker was lost before it began the trial, so another worker can play
            # it.
            self._controls.stop.wait(bounds.WORKER_LOOK_S)
        if not isinstance(trial.last_event, _LAST_EVENTS):
            self._emit(
                run_events.TrialLeftOpen(
                    trial_id=stub.trial_id, reason="its worker was lost"
                )
            )

    def _wait_for_worker(self) -> str | None:
        """Return the address of the worker with the fewest trials; None if the run must
        stop."""
        stop = self._controls.stop
        addresses = self._open_addresses()
        while not addresses and not stop.wait(bounds.WORKER_LOOK_S):
            addresses = self._open_addresses()
        if stop.is_set() or self._resources.budget.spending.stop_reason:
            return None
        busy_addresses = [trial.address for trial in self._trials.copy().values()]
        return min(addresses, key=busy_addresses.count)

    def _play_at(
        self, address: str, stub: TrialStub, record: TrialRecord
    ) -> _TrialThere:
        """Have one worker play a trial until the trial ends, the worker is lost, or the
        run stops.

        A trial that has begun is not given to another worker, which might repeat its
        changes.
        """
        trial = _TrialThere(address)
        key = f"{self._order.run_key}-{stub.trial_id}-{secrets.token_hex(4)}"
        self._trials[key] = trial
        with suppress(*LOST_CONNECTION):
            opening = self._openings[address]
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

    def _wait_for_end(self, trial: _TrialThere, future: Any, opening: _Opening) -> None:
        """Wait for the `future` of a trial's task, until it ends or its worker has
        left.

        If the run stops, only wait for a trial that has begun. The result of the task
        becomes the trial's failure: an error, or None.
        """
        while not trial.failure:
            # When a worker leaves, Dask changes the status of the future of its
            # `RunHere`.
            worker_has_left = opening.status != "finished"
            if worker_has_left:
                return
            try:
                trial.failure = future.result(bounds.WORKER_LOOK_S)
            except TimeoutError:
                # The task is still running, or still waits in the worker's queue.
                if self._controls.stop.is_set() and not trial.has_reported:
                    return
            else:
                return


def _refusal(address: str, error: BaseException) -> str:
    """Return a message with the reason why a worker cannot open the run."""
    if isinstance(error, ControlPlaneError | OSError):
        reason = str(error)
    else:
        reason = f"it cannot run trials ({error!r})"
    return f"the worker {address} of the cluster is refused: {reason}"
