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
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError as FutureCancelledError
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias
from weakref import WeakValueDictionary, finalize

import dask
from distributed import CancelledError as DaskCancelledError
from distributed import Client, Queue, get_worker

from controlplane.agent.events import (
    AnswerSent,
    CallEvent,
    ModelReplied,
    build_models,
)
from controlplane.agent.limits.spending import Spending, wait_for_turn
from controlplane.agent.model import ModelError
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.agent.retry import RetryBudget, RetryLimits, RunBudget
from controlplane.benchmark import PlannedTrial, TrialScore
from controlplane.configuration.installed_versions import playing_digest
from controlplane.configuration.model_settings import ModelSettings, variable_in
from controlplane.configuration.named_modules import options_of
from controlplane.configuration.run_settings import LOCAL_CLUSTER, RunSettings
from controlplane.errors import ControlPlaneError, Unreachable, UsageError
from controlplane.journal.journal_files import with_home
from controlplane.journal.run_events import (
    JournalEvent,
    RunNotice,
    Scored,
    TrialEnded,
    TrialFailed,
    TrialLeftOpen,
)
from controlplane.lifecycle.resources.models import PLAYERS
from controlplane.lifecycle.resources.run_resources import (
    RunResources,
    open_resources,
    retry_limits,
)
from controlplane.lifecycle.resources.run_solver import RunSpec
from controlplane.lifecycle.run_controls import Emit, RunControls
from controlplane.lifecycle.trial_lifecycle import run_trial
from controlplane.sandbox.interface import bounds

# Connects to the Dask cluster that the settings name, or starts one on this machine.
#
# `--workers dask:tls://host:8786` names a scheduler that runs already. `dask:local:4`
# starts four worker processes here, which end with the run.

_CONNECTION_TIMEOUT_S: Final = 20

_FAILED_CONNECTION: Final = (OSError, ValueError, TypeError, RuntimeError, ImportError)
"""The exceptions that `Client` raises if it cannot connect: also for
a malformed address, and for a protocol whose package is not installed."""


def _connected_client(settings: RunSettings) -> Client:
    """Return a client that is connected to the cluster. Raises `Unreachable`."""
    # Silence the logs of Dask and its libraries; the run reports the errors itself.
    libraries = ("distributed", "tornado", "asyncio")
    for logger_name in (*libraries, *logging.root.manager.loggerDict):
        library = logger_name.partition(".")[0]
        if library in libraries:
            logging.getLogger(logger_name).setLevel(logging.CRITICAL + 1)
    options = _client_options(settings.workers, settings.concurrency)
    try:
        return Client(timeout=_CONNECTION_TIMEOUT_S, set_as_default=False, **options)
    except _FAILED_CONNECTION as error:
        first_line = str(error).partition("\n")[0]
        msg = (
            f"the scheduler of {settings.workers} cannot be reached ({first_line}); "
            "start it, or name other --workers"
        )
        raise Unreachable(msg) from error


def _client_options(workers: str, concurrency: int) -> dict[str, Any]:
    """Return the arguments with which `Client` connects to a cluster.

    `workers` is the setting: `dask:local:4` starts a cluster of four workers on this
    machine, and `dask:tcp://host:8786` names the scheduler of a running cluster. `concurrency` is
    how many trials may run at once: a worker on this machine gets its share of threads.
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
        # The status pages: none, but the scheduler opens their port all the same. Let it be
        # any free port of this machine (0).
        "dashboard_address": None,
        "scheduler_kwargs": {"dashboard_address": "127.0.0.1:0"},
        "silence_logs": logging.CRITICAL,
        "security": True,  # `Security.temporary()`: TLS with certificates made for this cluster
        "preload": preload,
    }


# Messages that the workers of a cluster send to the process of a run.
#
# They go through one Dask queue for each run. Most carry an event of a trial, which the
# run's process writes to the journal.

_LOST_CONNECTION: Final = (
    OSError,
    RuntimeError,
    TypeError,
    AttributeError,
    LookupError,
    ValueError,
    UnboundLocalError,  # of `distributed.utils.sync`, if the connection closes during the call
    DaskCancelledError,
    AsyncioCancelledError,
    FutureCancelledError,
)
"""The exceptions that calls of Dask raise after a scheduler or a worker has gone away.

Dask has no error class for that. Its own code fails on a closed connection or on a
missing entry, so these classes are broad.
"""


OF_WHOLE_RUN: Final = ""
"""Takes the place of a trial's key in a message that is about the whole run."""


class _RunLost(ControlPlaneError):
    """The run is over, or can no longer be reached."""


@dataclass(frozen=True)
class _RetryWanted:
    """A trial at a worker asks for one of the run's retries, to send a request to a model again."""

    answer_key: str
    """The name of the queue in which the worker waits for a `_RetryAnswer`."""
    paused_s: float
    """Seconds for which an endpoint has asked the trials of this worker to wait."""


@dataclass(frozen=True)
class _RetryAnswer:
    """What the run's process answers to `_RetryWanted`."""

    is_granted: bool
    has_reply: bool
    """True once a model has replied to any trial of the run."""
    paused_s: float
    """Seconds for which an endpoint has asked trials of the run to wait."""


@dataclass(frozen=True)
class WorkerMessage:
    """A message that a worker sends through the queue of a run."""

    trial_key: str
    """The name of the Dask task that plays the trial, or `OF_WHOLE_RUN`."""
    content: JournalEvent | Exception | _RetryWanted | None
    """An event for the journal, an error that pauses the run, the wish for
    a retry, or None as the last message of a trial."""
    is_awaited: bool = False
    """True if the trial waits until the run's process confirms that the event is written."""


def _put_message(run_key: str, message: WorkerMessage) -> None:
    """Put a message into the queue of a run."""
    Queue(run_key).put(pickle.dumps(message))


def _portable_error(error: BaseException) -> Exception:
    """Return `error` in a form that every process can unpickle."""
    if isinstance(error, ModelError | UsageError):
        return error
    return Unreachable(str(error))


# Sends the events of a trial from a worker to the run's process, which writes the journal.
#
# Before a trial changes something outside, such as a file on a server, its event has to
# be in the journal: a resumed run then knows that the change may have been made. So the
# sender waits for a confirmation of that event.


class _EventSender:
    """Sends the events of one trial, in the Dask task that plays the trial."""

    def __init__(
        self, run_key: str, task_key: str, *, waits_before_changes: bool
    ) -> None:
        self._run_key = run_key
        """The name of the queue of all messages to the run's process."""
        self._task_key = task_key
        """The name of the task, and of the queue through which
        the run's process confirms that an event is written."""
        self._waits_before_changes = waits_before_changes
        """True if the trial may change something only after the journal says so."""
        self._tasks_of_worker = get_worker().state.tasks
        """The tasks that Dask has given to this worker, by name, with their states."""

    def send_event(self, event: JournalEvent) -> None:
        """Send an event. If it announces a change, wait until it is in the journal.

        Raises `_RunLost` if the run is over, or its process is gone.
        """
        must_wait = self._waits_before_changes and _announces_change(event)
        self.send(event, must_wait=must_wait)

    def send(self, content: JournalEvent | None, *, must_wait: bool) -> None:
        """Send an event, or None as the last message; wait until it is confirmed if it `must_wait`.

        Raises `_RunLost`.
        """
        self._check_wanted()
        message = WorkerMessage(self._task_key, content, is_awaited=must_wait)
        _put_message(self._run_key, message)
        if must_wait:
            # As soon as the run's process has put something into the queue of this task.
            is_confirmed = False
            while not is_confirmed:
                self._check_wanted()
                with suppress(TimeoutError):
                    is_confirmed = Queue(self._task_key).get(
                        timeout=bounds.WORKER_POLL_S
                    )

    def _check_wanted(self) -> None:
        """Raise `_RunLost` if Dask has cancelled this task.

        The worker's table of tasks then has lost it, or says that it is not running.
        """
        task = self._tasks_of_worker.get(self._task_key)
        if task is None or task.state != "executing":
            raise _RunLost


def _announces_change(event: JournalEvent) -> bool:
    """Return True if the trial changes something as soon as this event is written.

    That is so before an answer is sent, and before a call that may change something.
    """
    if isinstance(event, AnswerSent):
        return True
    return isinstance(event, CallEvent) and event.is_under_way


# The retries of a run, which all workers share: only the run's process counts them.


class _RetriesOfRun(RetryBudget):
    """The retries of a run for the trials of one worker, which asks the run's process for each."""

    def __init__(self, limits: RetryLimits, run_key: str) -> None:
        """`run_key` is the name of the queue of all messages to the run's process."""
        super().__init__(limits)
        self._run_key = run_key

    def use_retry(self) -> bool:
        """Take one of the run's retries; return False if there was none left, or nobody answers."""
        answer_key = f"{self._run_key}-retry-{secrets.token_hex(8)}"
        wanted = _RetryWanted(answer_key, self.paused_s())
        answers = Queue(answer_key)
        _put_message(self._run_key, WorkerMessage(OF_WHOLE_RUN, wanted))
        try:
            answer = pickle.loads(answers.get(timeout=bounds.WORKER_SILENCE_S))
        except _LOST_CONNECTION:  # also a `TimeoutError`
            return False
        finally:
            answers.close()
        self.has_reply = self.has_reply or answer.has_reply
        self.pause(answer.paused_s)
        return bool(answer.is_granted)


# What a worker needs to know to play trials of a run.
#
# The worker may be on another machine, with other files and another environment. So paths
# and files that only this machine has are replaced by names and texts that are valid there.

_SCRIPTED: Final = "scripted:"
"""The prefix of `--model scripted:FILE`. The file holds the replies of the model."""


@dataclass(frozen=True)
class _WorkOrder:
    """What a worker needs in order to play trials of a run.

    It has no secrets: a worker takes the keys of endpoints from its own environment.
    """

    run_key: str
    """The name of the run on the cluster, and of the queue of its events: `run-1f0c…`."""
    spec: RunSpec
    world_version: str
    """The version of the benchmark's worlds. A worker that has another version is refused."""
    source_digest: str
    """A hash of the program's source and of Python's version
    in the run's process. A worker with another hash is refused."""
    required_variables: tuple[str, ...]
    """The names of environment variables that hold keys. A worker that lacks one is refused."""


def work_order(resources: RunResources) -> _WorkOrder:
    """Return what workers need to know to play trials of this run."""
    settings = resources.settings
    spec = RunSpec(
        resources.settings_elsewhere,
        rule_sets=resources.rule_sets,
        script=_script_of(settings.model),
        prompts=resources.prompts,
    )
    names = [option.secret_variable for option in options_of(settings.benchmark)]
    for model_settings in (settings, *settings.role.values()):
        names += _variables_of_endpoint(model_settings)
    return _WorkOrder(
        run_key=f"run-{secrets.token_hex(8)}",
        spec=spec,
        world_version=resources.versions().world,
        source_digest=playing_digest(spec.settings.benchmark),
        required_variables=tuple(
            name for name in dict.fromkeys(names) if name in os.environ
        ),
    )


def _variables_of_endpoint(settings: ModelSettings) -> list[str]:
    """Return the variables with keys of a model's endpoint: `["OPENAI_API_KEY", "TOKEN"]`.

    The list is empty for a player or recorded replies, which have no endpoint.
    """
    if settings.model in PLAYERS or settings.model.startswith(_SCRIPTED):
        return []
    headers = settings.model_headers.values()
    return [settings.api_key_env, *(variable_in(value) for value in headers)]


def _script_of(model_name: str) -> str | None:
    """Return the text of the file in `scripted:FILE`; None for another model.

    The text is sent to the workers, since the file is on this machine alone.
    """
    if not model_name.startswith(_SCRIPTED):
        return None
    script_file = model_name.removeprefix(_SCRIPTED)
    return Path(with_home(script_file)).read_text(encoding="utf-8")


# A run in the process of a cluster's worker, which plays trials of the run.
#
# The run's own process may be on another machine. It alone writes the journal, so the
# worker sends it every event of a trial, and every notice and error.


class _RunHere:
    """A run that is open in a worker's process, with everything that its trials share.

    A Dask task creates it and returns it. Dask keeps it until the run's process
    releases the task.
    """

    def __init__(self, order: _WorkOrder) -> None:
        """Open everything that the trials need.

        Raises `ControlPlaneError` or `OSError` if this worker cannot play trials of the run.
        """
        if playing_digest(order.spec.settings.benchmark) != order.source_digest:
            msg = "it has another version of the program, or of Python; install there what runs here"
            raise UsageError(msg)
        build_models()  # Before threads of trials start: two must not build a class at once.
        missing = [
            name for name in order.required_variables if not os.environ.get(name)
        ]
        if missing:
            names = ", ".join(missing)
            msg = f"it has no key in {names}; set it in the worker's environment"
            raise UsageError(msg)

        self.run_key = order.run_key
        self._pauses: set[str] = set()
        """The errors that have paused the run here."""
        # The run's process adds up what all workers spend, and tells them when a limit is reached.
        # It also counts their retries.
        retries = _RetriesOfRun(retry_limits(order.spec.settings), order.run_key)
        self.resources = open_resources(
            order.spec, budget=RunBudget(retries, Spending(head_start_s=0.0))
        )
        # Dask drops this object when the run's process releases the task, without a call of
        # a `close`. So `finalize` closes the resources when the object is gone, also if one
        # of the following lines fails.
        finalize(self, self.resources.close)

        world_version = self.resources.versions().world
        if world_version != order.world_version:
            msg = f"it has worlds {world_version!r}, and the run has worlds {order.world_version!r}"
            raise UsageError(msg)
        self.resources.sandbox.launch_for_scripts()  # It forks the processes of scripts.
        self.resources.sandbox.check_isolation()
        self.resources.notices.listener = self._send_notice
        self.controls = RunControls(
            stop=self.resources.context.stop, pause=self._send_pause
        )
        _runs_here[order.run_key] = self

    def _send_notice(self, text: str) -> None:
        """Send a notice for the user to the run's process, which writes it to the journal."""
        notice = RunNotice(text=text)
        _put_message(self.run_key, WorkerMessage(OF_WHOLE_RUN, notice))

    def _send_pause(self, error: Exception) -> bool:
        """Tell the run's process that an error here would fail every further trial, too.

        Returns False if another trial of this worker has met the same error.
        """
        is_new = str(error) not in self._pauses
        self._pauses.add(str(error))
        _put_message(self.run_key, WorkerMessage(OF_WHOLE_RUN, _portable_error(error)))
        return is_new

    def __reduce__(self) -> tuple[type, tuple[()]]:
        """Pickle as an empty `object()`: Dask may copy results, but open runs cannot be copied."""
        return object, ()


_runs_here: Final = WeakValueDictionary[str, _RunHere]()
"""The runs that are open in this process, by their keys, for `_obey_run`.
The references are weak, so that a run is closed as soon as Dask drops it."""


# What the run's process has the workers of a Dask cluster do: play a trial, and obey an order.
#
# Dask calls these functions in a worker's process, where `_RunHere` is the run that was opened before.


def _play_trial(
    run: _RunHere, planned_trial: PlannedTrial, record: TrialRecord, task_key: str
) -> Exception | None:
    """Play a trial, as the Dask task of this name. Return the error that ends the run, or None.

    The error is returned and not raised: Dask would keep a raised error with its
    frames, which refer to `run`, so that the run could never be closed.
    """
    # Before a call that changes something outside, wait until the journal has recorded it.
    # So a resumed run knows of the change even if this worker is lost. An environment
    # that can be rebuilt has no changes outside this process, and needs no waiting.
    waits_before_changes = not run.resources.opened.rebuilds_trials
    sender = _EventSender(
        run.run_key, task_key, waits_before_changes=waits_before_changes
    )
    failure: Exception | None = None
    try:
        run_trial(run.resources, planned_trial, sender.send_event, run.controls, record)
    except _RunLost:  # The run's process is gone or waits no longer: send it nothing.
        return None
    except BaseException as error:  # noqa: BLE001 - any error: the run hears why the trial is over
        failure = _portable_error(error)
    with suppress(_RunLost):
        # No event follows.
        sender.send(None, must_wait=True)
    return failure


def _obey_run(run_key: str, *, must_stop: bool, reached_limit: str) -> None:
    """Carry out in this process what the run's process orders all workers to do.

    - `must_stop`: leave each trial open after its present step.
    - `reached_limit`: why no more may be spent, such as a reached limit of dollars; empty
      if more may be spent.
    """
    run = _runs_here.get(run_key)
    if run is None:
        return
    if reached_limit:
        run.resources.budget.spending.end.declare(reached_limit)
    if must_stop:
        run.controls.stop.set()


# The trials that workers of a cluster play, as the run's process knows them.
#
# A worker sends each event of its trial to the run's process, which writes the journal.
# So this process knows whether a trial has begun, and whether it has ended, even if its
# worker is lost.

_LAST_EVENTS: Final = (TrialEnded, TrialFailed, TrialLeftOpen)
"""The kinds of a trial's last event. A trial whose worker is lost may have none of them."""


@dataclass(eq=False, slots=True)
class _RemoteTrial:
    """A trial that a worker plays."""

    address: str
    """The address of the worker."""
    last_event: JournalEvent | None = None
    """The trial's latest event that is written to the journal."""
    failure: Exception | None = None
    """The error that ends the whole run; None if there is none."""

    @property
    def has_started(self) -> bool:
        """True if the worker has sent an event of the trial, and the journal has it.

        Before its first event, a trial changes nothing, so it may be played anew.
        """
        return self.last_event is not None

    @property
    def has_ended(self) -> bool:
        """True if the worker has reported that the trial has ended, failed or been left open."""
        return isinstance(self.last_event, _LAST_EVENTS)


# Takes the messages that the workers of a cluster send to the run's process.
#
# Only this process writes the journal, so workers send every event of a trial here. Before
# a change, a trial waits until its event is written; it is told through a queue of its own.


@dataclass(frozen=True, slots=True)
class RunInbox:
    """Handles the messages that workers send.

    A message carries one of four things, with the key of its trial unless it is about the
    whole run:

    - an event, which is written to the journal;
    - an error that would fail every other trial, too, and pauses the run;
    - the wish for one of the run's retries, which is answered in a queue of its own;
    - nothing: the last message of a trial, by which it asks whether all before it is written.

    A trial that waits for its message (`is_awaited`) is told through a queue of its own.
    """

    client: Client
    """The connection to the cluster's scheduler."""
    queue: Queue
    """The queue of the messages of all workers."""
    trials: Mapping[str, _RemoteTrial]
    """The trials that workers are playing, by the keys of their Dask tasks."""
    emit: Emit
    """Writes an event to the journal."""
    controls: RunControls
    retries: RetryBudget
    """The retries of the run, for the trials of all workers."""
    tell_score: Callable[[TrialScore], None] | None
    """Tells the benchmark in this process the score of a trial. None: it needs no scores."""

    def take_messages(self, is_over: threading.Event) -> None:
        """Take messages until the run is over."""
        while not is_over.is_set():
            for message in self._received_messages():
                self._handle(message)

    def _received_messages(self) -> list[WorkerMessage]:
        """Wait a short time for a message. Return it with all others that have arrived."""
        try:
            received = [self.queue.get(timeout=bounds.WORKER_POLL_S)]
        except _LOST_CONNECTION:
            # There is no message (`TimeoutError` is an `OSError`), or no connection now.
            return []
        # If the connection is lost now, the first message still counts.
        with suppress(*_LOST_CONNECTION):
            received += self.queue.get(batch=True)
        return [pickle.loads(pickled) for pickled in received]

    def _handle(self, message: WorkerMessage) -> None:
        """Handle one message, of a trial or of the whole run."""
        content = message.content
        if isinstance(content, Exception):
            self.controls.pause(content)
            return
        if isinstance(content, _RetryWanted):
            # Grant a retry if the run has one left, and tell what other workers have learned.
            self.retries.pause(content.paused_s)
            answer = _RetryAnswer(
                self.retries.use_retry(),
                self.retries.has_reply,
                self.retries.paused_s(),
            )
            with suppress(*_LOST_CONNECTION):
                answers = Queue(content.answer_key, client=self.client)
                answers.put(pickle.dumps(answer))
                answers.close()
            return
        if not message.trial_key:
            if content is not None:
                self.emit(content)
            return

        trial = self.trials.get(message.trial_key)
        if trial is None:  # It was given up, because its worker was taken for lost.
            return
        if content is not None:
            # Write an event of a trial to the journal. Tell the benchmark here if it is a
            # score.
            try:
                self.emit(content)
                trial.last_event = content
                if isinstance(content, ModelReplied):
                    self.retries.note_reply()
                # The worker has a benchmark of its own, which has graded the trial. The
                # benchmark in this process needs the score, too, for the score of the run.
                if isinstance(content, Scored) and self.tell_score is not None:
                    score = TrialScore(
                        content.trial_id,
                        content.score,
                        content.details,
                        content.metrics,
                        content.unscored,
                    )
                    self.tell_score(score)
            except Exception as error:  # noqa: BLE001 - the trial's thread raises it
                trial.failure = error
        # After a failure to write, a trial that waits is not told, so that it does not go on.
        # It waits until its task is cancelled, since the run ends.
        if message.is_awaited and not trial.failure:
            with suppress(*_LOST_CONNECTION):
                Queue(message.trial_key, client=self.client).put(True)


# The workers of a Dask cluster, as the run's process uses them.
#
# A worker has to open a run before it can play trials of it: it loads the benchmark, and starts the
# processes for scripts. Each worker does so once, as a task of Dask. Each trial then becomes a task at
# one worker. If the worker is lost before the trial began, another worker plays it. A trial that has
# begun is left open for `resume`: it may have changed something already.

_Opening: TypeAlias = Any
"""A Dask future for the `_RunHere` of one worker. Its status is "pending" until
the worker has opened the run; then it is "finished", or "error" if that failed."""

_CLOSING_TIMEOUT_S: Final = 10


def open_cluster(
    resources: RunResources, emit: Emit, controls: RunControls
) -> ClusterPlace:
    """Connect to the cluster that the settings name, or start one, and have it open the run.

    Raises `UsageError` and `Unreachable`.
    """
    settings = resources.settings
    reason = resources.opened.stays_here
    if reason:
        msg = f"trials of {settings.benchmark} cannot run on a cluster: {reason}"
        raise UsageError(msg)
    # What starts a server, and its keys, are this machine's. No work order has them.
    if resources.spec.tools is not None:
        names = ", ".join(resources.spec.tools.servers)
        msg = (
            f"--workers {settings.workers}: a cluster does not start MCP servers ({names}); "
            "play on --workers threads, or leave them out"
        )
        raise UsageError(msg)
    client = _connected_client(settings)
    try:
        return ClusterPlace(client, resources, emit, controls)
    except BaseException:
        with suppress(*_LOST_CONNECTION):
            client.close(timeout=5)
        raise


class ClusterPlace:
    """The workers of a Dask cluster, as the run's process uses them.

    A thread of the run gives a trial to the cluster, and waits for its end. Two more threads serve
    all trials: one watches the cluster, the other writes the events that workers send to the journal.
    """

    def __init__(
        self, client: Client, resources: RunResources, emit: Emit, controls: RunControls
    ) -> None:
        """Have every worker of the cluster open the run. Raises `Unreachable` if one cannot."""
        self._client = client
        self._resources = resources
        self._emit = emit
        """Writes an event to the journal."""
        self._controls = controls
        self._order = work_order(resources)
        self._openings: dict[str, _Opening] = {}
        """The future of each worker that was asked to open the run, by the worker's address."""
        self._trials: dict[str, _RemoteTrial] = {}
        """The trials that are being played, by the keys of their Dask tasks."""

        # Wait for the present workers. Those that join later are asked by the thread that watches
        # the cluster.
        for address, opening in self._open_at_new_workers().items():
            error = opening.exception(bounds.WORKER_SILENCE_S)  # waits for the worker
            if error:
                raise Unreachable(_refusal_text(address, error))

        self._is_over = threading.Event()
        self._wake = threading.Event()
        """Set when the run must stop, so that the watching thread looks at once."""
        inbox = RunInbox(
            client,
            Queue(self._order.run_key, client=client),
            self._trials,
            emit,
            controls,
            resources.budget.retries,
            tell_score=resources.opened.ended_elsewhere,
        )
        self._service_threads = [
            threading.Thread(target=self._watch, daemon=True),
            threading.Thread(
                target=inbox.take_messages, args=[self._is_over], daemon=True
            ),
        ]
        for thread in self._service_threads:
            thread.start()

    def close(self) -> None:
        """End the service threads, and disconnect from the cluster."""
        self._is_over.set()
        for thread in self._service_threads:
            thread.join()
        with suppress(*_LOST_CONNECTION):
            self._client.close(timeout=_CLOSING_TIMEOUT_S)

    # The thread that watches the cluster, whose workers may join and leave at any time

    def _watch(self) -> None:
        """Watch the cluster until the run is over, about every second.

        The run is paused if its scheduler is lost, or if it has had no worker for a while.
        The loop goes on after that, and may call `pause` again at each look: only the first
        call counts.
        """
        # The run has one signal to stop, which `controls.stop` and this both name. This one has the
        # type that can be listened to: the order to stop ends a wait at once.
        self._resources.context.stop.listen(self._wake.set)
        had_workers_at = time.monotonic()
        while not self._is_over.is_set():
            self._wake.wait(bounds.WORKER_POLL_S)
            self._wake.clear()
            with suppress(*_LOST_CONNECTION):
                # Tell all workers if the run must stop, or if a limit of its spending is
                # reached.
                must_stop = self._controls.stop.is_set()
                reached_limit = self._resources.budget.spending.end.reason
                if must_stop or reached_limit:
                    self._client.run(
                        _obey_run,
                        self._order.run_key,
                        must_stop=must_stop,
                        reached_limit=reached_limit,
                        on_error="ignore",
                    )
                for address, opening in self._open_at_new_workers().items():
                    opening.add_done_callback(partial(self._note_refusal, address))

            if self._addresses():
                had_workers_at = time.monotonic()
            if self._client.status != "running":
                cluster = self._resources.settings.workers
                msg = f"the scheduler of the cluster {cluster} was lost"
                self._controls.pause(Unreachable(msg))
            elif time.monotonic() - had_workers_at > bounds.WORKER_SILENCE_S:
                msg = "the cluster has no worker that takes trials; start some"
                self._controls.pause(Unreachable(msg))

    def _open_at_new_workers(self) -> dict[str, _Opening]:
        """Ask new workers to open the run, and return the future of each by address.

        Workers that have left the cluster are removed.
        """
        present = set(self._client.scheduler_info()["workers"])
        for address in self._openings.keys() - present:
            del self._openings[address]
        new = {}
        for address in present - self._openings.keys():
            new[address] = self._client.submit(
                _RunHere, self._order, workers=[address], pure=False
            )
        self._openings.update(new)
        return new

    def _note_refusal(self, address: str, opening: _Opening) -> None:
        """Write a notice to the journal if a worker that joined later cannot open the run."""
        if opening.status == "error":
            self._emit(RunNotice(text=_refusal_text(address, opening.exception())))

    def _addresses(self) -> list[str]:
        """Return the addresses of the workers that can play trials."""
        # The thread that watches the cluster may change the mapping meanwhile.
        openings = self._openings.copy()
        return [address for address in openings if _has_opened(openings[address])]

    # The threads of the run, each of which waits for the end of a trial

    def play(self, planned_trial: PlannedTrial, record: TrialRecord) -> None:
        """Have a worker play a trial, and return when the trial is over or left open.

        `planned_trial` names the trial, and `record` has what the journal has of it, if the run is
        resumed. Raises the error that ends the whole run.
        """
        stop = self._controls.stop
        spending = self._resources.budget.spending

        def tell(text: str) -> None:
            self._emit(RunNotice(text=f"a trial {text}"))

        if spending.first_request_decides:
            # One trial tries the model, while the others wait here until they may ask it, too.
            wait_for_turn(spending, planned_trial.trial_id, stop, tell)
        while True:
            address = self._wait_for_worker()
            if address is None:
                return
            trial = self._play_at(address, planned_trial, record)
            if trial.failure is not None:
                raise trial.failure
            if trial.has_started:
                break
            # The worker was lost before it began the trial, so another worker can play it.
            stop.wait(bounds.WORKER_POLL_S)

        if not trial.has_ended:
            reason = "its worker was lost"
            self._emit(TrialLeftOpen(trial_id=planned_trial.trial_id, reason=reason))

    def _wait_for_worker(self) -> str | None:
        """Return the address of the worker with the fewest trials; None if the run must stop."""
        stop = self._controls.stop
        addresses = self._addresses()
        while not addresses and not stop.wait(bounds.WORKER_POLL_S):
            addresses = self._addresses()
        if stop.is_set() or self._resources.budget.spending.end.reason:
            return None
        busy_addresses = [trial.address for trial in self._trials.copy().values()]
        return min(addresses, key=busy_addresses.count)

    def _play_at(
        self, address: str, planned_trial: PlannedTrial, record: TrialRecord
    ) -> _RemoteTrial:
        """Have one worker play a trial until the trial ends, the worker is lost, or the run stops."""
        trial = _RemoteTrial(address)
        trial_id = planned_trial.trial_id
        task_key = f"{self._order.run_key}-{trial_id}-{secrets.token_hex(4)}"
        self._trials[task_key] = trial
        with suppress(*_LOST_CONNECTION):
            # Call `_play_trial` in the worker's process. Dask replaces an argument that is a
            # future by its result: `opening` becomes the run that the worker has opened. It raises
            # `KeyError` if the worker has left.
            opening = self._openings[address]
            worker = self._client.get_executor(
                workers=[address],
                pure=False,  # Equal arguments do not mean an equal result.
                retries=0,  # Dask must not repeat a trial, which may make changes.
            )
            future = worker.submit(
                _play_trial,
                opening,
                planned_trial,
                record,
                task_key,
                key=task_key,  # The name that Dask gives to the task.
            )
            _wait_for_end(trial, future, opening, self._controls.stop)
            future.cancel()
        del self._trials[task_key]
        return trial


def _has_opened(opening: _Opening) -> bool:
    """Return True if the worker has opened the run and has not left."""
    return bool(opening.status == "finished")


def _refusal_text(address: str, error: BaseException) -> str:
    """Return a message with the reason why a worker cannot open the run."""
    if isinstance(error, ControlPlaneError | OSError):
        reason = str(error)
    else:
        reason = f"it cannot run trials ({error!r})"
    return f"the worker {address} of the cluster is refused: {reason}"


def _wait_for_end(
    trial: _RemoteTrial,
    future: Future[Exception | None],
    opening: _Opening,
    stop: threading.Event,
) -> None:
    """Wait for the `future` of a trial's task, until it ends or its worker has left.

    If the run stops, only wait for a trial that has begun. If the trial failed by an
    error that ends the whole run, the task returns this error, and it is kept
    in `trial.failure`.
    """
    while not trial.failure and _has_opened(opening):
        try:
            trial.failure = future.result(bounds.WORKER_POLL_S)
        except TimeoutError:
            # The task is still running, or still waits in the worker's queue.
            if stop.is_set() and not trial.has_started:
                return
        else:
            return
