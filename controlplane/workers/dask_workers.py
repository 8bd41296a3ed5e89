"""`--workers dask:…`: each trial is a future of a Dask cluster, and the run's events come back through one Dask queue.

Only the run's process writes the journal. Before a change beyond its own process, a trial waits until the event is
written. A trial whose worker is lost is left open. Dask's TLS protects every connection; whoever reaches a cluster's
scheduler can run code on its workers, so a cluster is one domain of trust.
"""

from __future__ import annotations

import logging
import math
import os
import pickle
import secrets
import threading
import time
from asyncio import CancelledError as Cancelled
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final
from weakref import WeakValueDictionary, finalize

import dask
from distributed import CancelledError, Client, Queue, get_worker

from controlplane.agent.events import AnswerSent, CallEvent, build_models
from controlplane.agent.retry import RetryBudget, RunBudget
from controlplane.agent.spending import Spending
from controlplane.agent.trial_record import TrialRecord
from controlplane.benchmark import TrialScore, TrialStub
from controlplane.configuration.named_modules import options_of, source_digest
from controlplane.configuration.run_settings import LOCAL_CLUSTER, variable_in
from controlplane.errors import ControlPlaneError, Unreachable, UsageError
from controlplane.journal import run_events
from controlplane.journal.journal_lines import with_home
from controlplane.lifecycle.benchmark_health import RunControls
from controlplane.lifecycle.run_models import PLAYERS
from controlplane.lifecycle.run_resources import RunResources, RunSpec
from controlplane.lifecycle.trial_lifecycle import Emit, portable_error, run_trial
from controlplane.lifecycle.trial_workers import Workers
from controlplane.sandbox.interface import bounds

_GONE: Final = (
    OSError,
    RuntimeError,
    TypeError,
    AttributeError,
    LookupError,
    ValueError,
    CancelledError,
    Cancelled,
)
"""Dask's errors when a scheduler or a worker goes away."""


class RunLost(ControlPlaneError):
    """The run is over, or can no longer be reached."""


@dataclass(frozen=True)
class WorkOrder:
    """A run, for a worker. It holds no keys, which a worker has in its own environment."""

    run: str
    spec: RunSpec
    world: str
    """The version of the run's worlds; workers with other worlds are refused."""
    code: str
    """The digest of the source, and of Python's version, in the run's own process."""
    needs: tuple[str, ...]
    """Environment variables of the run's keys; a worker that lacks one is refused."""


class RunHere:
    """A run that a worker's process works for: the result of a task, which Dask holds until the run lets go of it."""

    def __init__(self, order: WorkOrder) -> None:
        """Open everything that trials need. Raises `ControlPlaneError` and `OSError`."""
        settings = order.spec.settings
        if source_digest(settings.benchmark) != order.code:
            msg = (
                "it has another version of the program, or of Python; install there what runs here"
            )
            raise UsageError(msg)
        build_models()
        if missing := [name for name in order.needs if not os.environ.get(name)]:
            msg = f"it has no key in {', '.join(missing)}; set it in the worker's environment"
            raise UsageError(msg)
        # The run's process counts what all workers spend, and says when a limit is reached.
        budget = RunBudget(RetryBudget(settings.model_retries), Spending())
        self.run, send = order.run, partial(_send, order.run, "")
        self.resources = RunResources(order.spec, budget=budget)
        finalize(self, self.resources.close)
        if (world := self.resources.versions().world) != order.world:
            msg = f"it has worlds {world!r}, and the run has worlds {order.world!r}"
            raise UsageError(msg)
        self.resources.launch_server()
        self.resources.check_isolation()
        self.resources.on_notice = lambda text: send(run_events.RunNotice(text=text))
        stop = self.resources.context.stop
        self.controls = RunControls(stop=stop, pause=lambda error: send(portable_error(error)))
        _runs[order.run] = self

    def __reduce__(self) -> tuple[type, tuple[()]]:
        return object, ()  # Dask may move results, and a copy elsewhere is of no use.


_runs: Final = WeakValueDictionary[str, RunHere]()


def play_trial(here: RunHere, stub: TrialStub, record: TrialRecord, name: str) -> Exception | None:
    """Play a trial as the task of this name, and return what ends the whole run. Raises nothing, since Dask would hold
    the frames, and the run in them, in a circle."""
    tasks, run, rebuilds = get_worker().state.tasks, here.run, here.resources.opened.rebuilds_trials

    def check_wanted() -> None:
        # A task is cancelled when its run is over, or Dask loses the run's process.
        if (task := tasks.get(name)) is None or task.state != "executing":
            raise RunLost

    def send(data: run_events.JournalEvent | None) -> None:
        """Send an event, or None at the end; wait until it is written if what follows changes something."""
        check_wanted()
        # What changes inside this process alone is made again by a trial that is played again.
        is_change = isinstance(data, AnswerSent)
        is_change = is_change or (isinstance(data, CallEvent) and data.is_announcement)
        waits = data is None or (is_change and not rebuilds)
        _send(run, name, data, waits)
        while waits:
            check_wanted()
            with suppress(TimeoutError):
                waits = not Queue(name).get(timeout=bounds.WORKER_LOOK_S)

    failure = None
    with suppress(RunLost):
        try:
            run_trial(here.resources, stub, send, here.controls, record)
        except RunLost:
            raise
        except BaseException as error:  # noqa: BLE001 - any error: the run hears why the trial is over
            failure = portable_error(error)
        send(None)
    return failure


def _send(run: str, trial: str, data: object, waits: bool = False) -> None:
    Queue(run).put(pickle.dumps((trial, data, waits)))


def obey_here(run: str, stop: bool, used_up: str) -> None:
    """Follow the orders of a run: to leave trials open after their step, and why it may not spend more."""
    if here := _runs.get(run):
        if used_up:
            here.resources.budget.spending.close(used_up)
        if stop:
            here.controls.stop.set()


def open_cluster(resources: RunResources, emit: Emit, controls: RunControls) -> Workers:
    """Connect to the cluster, or start one, and return its workers. Raises `UsageError` and `Unreachable`."""
    settings = resources.spec.settings
    if resources.opened.stays_here:
        msg = (
            f"trials of {settings.benchmark} cannot run on a cluster: {resources.opened.stays_here}"
        )
        raise UsageError(msg)
    for name in ("distributed", "tornado", "asyncio", *logging.root.manager.loggerDict):
        if name.partition(".")[0] in ("distributed", "tornado", "asyncio"):
            logging.getLogger(name).setLevel(
                logging.CRITICAL + 1
            )  # Our own messages say what matters.
    given: dict[str, Any] = {"address": settings.workers.removeprefix("dask:")}
    if settings.workers.startswith(LOCAL_CLUSTER):
        count = int(settings.workers.removeprefix(LOCAL_CLUSTER))
        # Other users of this machine can reach the ports, but have no certificate and find no pages.
        dask.config.set({f"distributed.{part}.http.routes": [] for part in ("scheduler", "worker")})
        given = {
            "n_workers": count,
            "threads_per_worker": math.ceil(settings.concurrency / count),
            "host": "127.0.0.1",
            "dashboard_address": None,
            "scheduler_kwargs": {"dashboard_address": "127.0.0.1:0"},
            "silence_logs": logging.CRITICAL,
            "security": True,  # `Security.temporary()`: TLS with certificates made for this cluster
            # Only the run speaks, and acts on Ctrl-C, which reaches all processes of the terminal.
            "preload": "import logging, signal; logging.disable(); signal.signal(signal.SIGINT, signal.SIG_IGN)",
        }
    try:
        client = Client(timeout=20, set_as_default=False, **given)
    except (OSError, ValueError, TypeError, RuntimeError, ImportError) as error:
        text = str(error).partition("\n")[0]
        msg = f"the scheduler of {settings.workers} cannot be reached ({text}); start it, or name other --workers"
        raise Unreachable(msg) from error
    try:
        return DaskWorkers(client, resources, emit, controls)
    except BaseException:
        with suppress(*_GONE):
            client.close(timeout=5)
        raise


@dataclass(eq=False)
class _TrialThere:
    """A trial that a worker plays."""

    place: str
    last: run_events.JournalEvent | None = None
    """Its latest event that is written."""
    failure: Exception | None = None
    """What ends the whole run."""


class DaskWorkers(Workers):
    """The run's side of a cluster."""

    def __init__(
        self, client: Client, resources: RunResources, emit: Emit, controls: RunControls
    ) -> None:
        """Have the present workers open the run. Raises `Unreachable` if one cannot."""
        self._client, self._resources, self._emit, self._controls = (
            client,
            resources,
            emit,
            controls,
        )
        self._order, self._named = _work_order(resources), resources.spec.settings.workers
        self._is_over = False
        self._woken = threading.Event()
        resources.context.stop.listen(self._woken.set)
        self._trials: dict[str, _TrialThere] = {}
        self._opened: dict[str, Any] = {}
        """By worker, the future of the run that it opens."""
        for place, opened in self._open_at_new().items():
            if fault := opened.exception(bounds.WORKER_SILENCE_S):
                raise Unreachable(_refusal(place, fault))
        self._events = Queue(self._order.run, client=client)
        super().__init__(self._play_there, resources.spec.settings.concurrency)
        self._of_run = [
            threading.Thread(target=work, daemon=True) for work in (self._watch, self._take_events)
        ]
        for thread in self._of_run:
            thread.start()

    def _open_at_new(self) -> dict[str, Any]:
        """Have workers that are new open the run, return them with its futures, and forget those that are gone."""
        present = {*self._client.scheduler_info()["workers"]}
        for place in self._opened.keys() - present:
            del self._opened[place]
        new = present - self._opened.keys()
        opened = {
            place: self._client.submit(RunHere, self._order, workers=[place], pure=False)
            for place in new
        }
        self._opened |= opened
        return opened

    def _note_refusal(self, place: str, opened: Any) -> None:
        if opened.status == "error":
            self._emit(run_events.RunNotice(text=_refusal(place, opened.exception())))

    @property
    def _places(self) -> list[str]:
        return [
            place for place, opened in self._opened.copy().items() if opened.status == "finished"
        ]

    def _watch(self) -> None:
        """Have new workers open the run, tell all what the run asks of them, and pause a run without workers."""
        staffed_at = time.monotonic()
        while not self._is_over:
            self._woken.wait(bounds.WORKER_LOOK_S)
            self._woken.clear()
            with suppress(*_GONE):
                orders = self._controls.stop.is_set(), self._resources.budget.spending.used_up
                if any(orders):
                    self._client.run(obey_here, self._order.run, *orders, on_error="ignore")
                for place, opened in self._open_at_new().items():
                    opened.add_done_callback(partial(self._note_refusal, place))
            if self._places:
                staffed_at = time.monotonic()
            if self._client.status != "running":
                self._controls.pause(
                    Unreachable(f"the scheduler of the cluster {self._named} was lost")
                )
            elif time.monotonic() - staffed_at > bounds.WORKER_SILENCE_S:
                self._controls.pause(
                    Unreachable("the cluster has no worker that takes trials; start some")
                )

    def _take_events(self) -> None:
        """Write what trials send, and answer each that waits for it."""
        while not self._is_over:
            sent: list[bytes] = []
            with suppress(*_GONE):
                sent = [
                    self._events.get(timeout=bounds.WORKER_LOOK_S),
                    *self._events.get(batch=True),
                ]
            for name, data, waits in map(pickle.loads, sent):
                if isinstance(data, Exception):
                    self._controls.pause(data)
                elif not name:
                    self._emit(data)
                elif trial := self._trials.get(name):  # else its worker is lost to the run
                    self._take(trial, data)
                    if waits and not trial.failure:
                        with suppress(*_GONE):
                            Queue(name, client=self._client).put(True)

    def _take(self, trial: _TrialThere, event: run_events.JournalEvent | None) -> None:
        try:
            if event is not None:
                self._emit(event)
                trial.last = event
            if isinstance(event, run_events.Scored) and (
                tell := self._resources.opened.ended_elsewhere
            ):
                tell(TrialScore(event.trial_id, event.score, event.details))
        except Exception as error:  # noqa: BLE001 - the trial's thread raises it
            trial.failure = error

    def _play_there(self, stub: TrialStub, record: TrialRecord) -> None:
        """Have a trial played, and return when it is over or left open. Raises the error that ends the whole run."""
        # A trial is one worker's, so that no other one plays it again, and begins where the fewest are.
        while not (places := self._places) and not self._controls.stop.wait(bounds.WORKER_LOOK_S):
            pass
        if self._controls.stop.is_set() or self._resources.budget.spending.used_up:
            return
        name = f"{self._order.run}-{stub.trial_id}-{secrets.token_hex(4)}"
        busy = [trial.place for trial in self._trials.copy().values()]
        trial = self._trials[name] = _TrialThere(min(places, key=busy.count))
        with suppress(*_GONE):
            opened = self._opened[trial.place]
            given, where = (
                (opened, stub, record, name),
                {"workers": [trial.place], "key": name},
            )
            future = self._client.submit(play_trial, *given, **where, pure=False, retries=0)
            while opened.status == "finished" and not trial.failure:
                with suppress(TimeoutError):
                    trial.failure = future.result(bounds.WORKER_LOOK_S)
                    break
                if self._controls.stop.is_set() and not trial.last:
                    break
            future.cancel()
        del self._trials[name]
        if trial.failure is not None:
            raise trial.failure
        if trial.last is None:
            self._controls.stop.wait(bounds.WORKER_LOOK_S)
            self._play_there(stub, record)
        elif not isinstance(
            trial.last, run_events.TrialEnded | run_events.TrialFailed | run_events.TrialLeftOpen
        ):
            self._emit(
                run_events.TrialLeftOpen(trial_id=stub.trial_id, reason="its worker was lost")
            )

    def close(self) -> None:
        """Wait for the threads, and let go of the cluster."""
        super().close()
        self._is_over = True
        for thread in self._of_run:
            thread.join()
        with suppress(*_GONE):
            self._client.close(timeout=10)


def _refusal(place: str, fault: BaseException) -> str:
    why = (
        fault
        if isinstance(fault, ControlPlaneError | OSError)
        else f"it cannot run trials ({fault!r})"
    )
    return f"the worker {place} of the cluster is refused: {why}"


def _work_order(resources: RunResources) -> WorkOrder:
    settings, identity = resources.spec.settings, resources.opened.resume_identity
    script = settings.model.removeprefix("scripted:")  # Other machines do not have the file.
    text = Path(with_home(script)).read_text(encoding="utf-8") if script != settings.model else None
    keys = [option.secret_variable for option in options_of(settings.benchmark)]
    for profile in (settings, *settings.role.values()):
        if profile.model not in PLAYERS and not profile.model.startswith("scripted:"):
            keys += [profile.api_key_env, *map(variable_in, profile.model_headers.values())]
    if identity is not None:
        settings = settings.model_copy(
            update={"benchmark": identity.spec, "set": dict(identity.settings)}
        )
    return WorkOrder(
        run=f"run-{secrets.token_hex(8)}",
        spec=RunSpec(
            settings, rule_sets=resources.rule_sets, script=text, prompts=resources.prompts
        ),
        world=resources.versions().world,
        code=source_digest(settings.benchmark),
        needs=tuple(name for name in dict.fromkeys(keys) if name in os.environ),
    )
