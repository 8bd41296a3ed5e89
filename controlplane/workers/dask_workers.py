"""`--workers dask:…`: each trial is a future of a Dask cluster, and the run's events come back through one Dask queue.

Only the run's process writes the journal. Before a change beyond its own process, a trial waits until the event is
written. A trial whose worker is lost is left open. Dask's TLS protects every connection; whoever reaches a cluster's
scheduler can run code on its workers, so a cluster is one domain of trust.
"""

from __future__ import annotations

import contextlib
import ipaddress
import logging
import math
import os
import pickle
import secrets
import signal
import sys
import threading
import time
from asyncio import CancelledError, to_thread
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import dask
from distributed import Client, Queue
from distributed.client import ClosedClientError

from agent.events import AnswerSent, CallSent, ResumeState, build_models
from agent.retry import RetryBudget, RunBudget, Spending, SpendingLimits
from controlplane.benchmark import TrialScore, TrialStub
from controlplane.configuration.named_modules import options_of, source_digest
from controlplane.configuration.run_settings import LOCAL_CLUSTER, RunSettings, variable_in
from controlplane.errors import ControlPlaneError, Unreachable, UsageError, extra_module
from controlplane.journal.journal_lines import with_home
from controlplane.journal.run_events import (
    JournalEvent,
    RunNotice,
    Scored,
    TrialEnded,
    TrialFailed,
    TrialLeftOpen,
)
from controlplane.lifecycle.run_lifecycle import OpenWorkers, Workers
from controlplane.lifecycle.run_resources import PLAYERS, RunResources, RunSpec
from controlplane.lifecycle.trial_lifecycle import Emit, RunControls, portable_error, run_trial

TURN_S: Final = 1.0
"""Seconds between two messages that tell workers that the run is alive, and between two looks at what a wait is for."""
SILENCE_S: Final = 120.0
"""Seconds without such a message after which a run counts as lost, and without a worker after which a run pauses."""


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
    """The version of Python and the hash of the source in the run's own process."""
    needs: tuple[str, ...]
    """Environment variables of the run's keys; a worker that lacks one is refused."""
    is_local: bool
    """Ctrl-C in the terminal reaches the worker too; only the run acts on it."""


@dataclass(eq=False)
class _RunHere:
    """A run that this process works for."""

    name: str
    resources: RunResources
    controls: RunControls
    is_over: bool = False
    heard_at: float = field(default_factory=time.monotonic)

    @property
    def is_lost(self) -> bool:
        return self.is_over or time.monotonic() - self.heard_at > SILENCE_S

    def send(self, trial: str, data: object = None) -> None:
        """Send what a trial says: an event, an error that pauses the run, or None at its end. Raises `RunLost`."""
        if self.is_lost:
            msg = "the run was lost"
            raise RunLost(msg)
        Queue(self.name).put(pickle.dumps((trial, data)))

    def emit(self, trial: str, event: JournalEvent) -> None:
        """Send an event; if it announces a change, return when it is written. Raises `RunLost`."""
        self.send(trial, event)
        # What changes inside this process alone is made again by a trial that is played again.
        if isinstance(event, AnswerSent | CallSent) and not self.resources.opened.rebuilds_trials:
            try:
                Queue(trial).get(timeout=SILENCE_S)
            except TimeoutError:
                msg = "the run gave no answer"
                raise RunLost(msg) from None


_runs: Final[dict[str, _RunHere]] = {}


# Dask calls these functions at workers: the first as a task, the others at the run's request.


def play_trial(run: str, stub: TrialStub, resume_state: ResumeState, name: str) -> None:
    """Play a trial. Raises `RunLost` if this process does not work for the run, and what ends the whole run."""
    if (here := _runs.get(run)) is None:
        msg = "it no longer works for the run"
        raise RunLost(msg)
    try:
        run_trial(here.resources, stub, lambda event: here.emit(name, event), here.controls, resume_state)
    except RunLost:
        raise
    except BaseException as error:  # noqa: BLE001 - any error: the run hears why the trial is over
        raise portable_error(error) from None
    finally:
        with contextlib.suppress(RunLost):
            here.send(name)


async def open_here(order: WorkOrder) -> str:
    """Have this process work for a run; return why it cannot, or an empty string. Raises nothing."""
    if order.is_local:
        with contextlib.suppress(ValueError):
            signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        await to_thread(_open_run, order)
    except (ControlPlaneError, OSError) as error:
        return str(error)
    return ""


def obey_here(run: str, stop: bool, is_over: bool, used_up: str) -> bool:
    """Follow the orders of a run: to leave trials open after their step, that it is over, why it may not spend more.
    Return whether this process works for it."""
    if (here := _runs.get(run)) is None:
        return False
    here.is_over, here.heard_at = is_over, time.monotonic()
    if used_up:
        here.resources.budget.spending.close(used_up)
    if stop:
        here.controls.stop.set()
    return True


def _open_run(order: WorkOrder) -> None:
    """Open everything that trials need. Raises `ControlPlaneError` and `OSError`."""
    settings = order.spec.settings
    if _code_of(settings) != order.code:
        msg = "it has another version of the program, or of Python; install there what runs here"
        raise UsageError(msg)
    build_models()
    with ExitStack() as opened:
        if missing := [name for name in order.needs if not os.environ.get(name)]:
            msg = f"it has no key in {', '.join(missing)}; set it in the worker's environment"
            raise UsageError(msg)
        # The run's process counts what all workers spend, and says when a limit is reached.
        spending = Spending(SpendingLimits(trial_cost_usd=settings.trial_cost))
        budget = RunBudget(RetryBudget(settings.model_retries), spending)
        resources = opened.enter_context(RunResources(order.spec, budget=budget))
        if (world := resources.versions().world) != order.world:
            msg = f"it has worlds {world!r}, and the run has worlds {order.world!r}"
            raise UsageError(msg)
        resources.launch_server()
        resources.check_isolation()
        pause = RunControls(stop=resources.context.stop, pause=lambda error: here.send("", portable_error(error)))
        here = _runs[order.run] = _RunHere(order.run, resources, pause)
        resources.on_notice = lambda text: here.send("", RunNotice(text=text))
        held = opened.pop_all()
    threading.Thread(target=_keep_open, args=(here, held), name="run", daemon=True).start()


def _keep_open(here: _RunHere, held: ExitStack) -> None:
    """Close what a run has opened once it is over or lost."""
    while not here.is_lost:
        time.sleep(TURN_S)
    here.controls.stop.set()
    _runs.pop(here.name, None)
    held.close()


def cluster_opener(settings: RunSettings) -> OpenWorkers:
    """Return the function that opens the workers of the named cluster. Raises `UsageError` if they cannot be used."""
    address = settings.workers.removeprefix("dask:")
    is_local = settings.workers.startswith(LOCAL_CLUSTER)
    if not (is_local or address.startswith("tls://") or _is_loopback(address)):
        msg = (
            f"the cluster at {address} has no TLS, which only loopback may lack; start it with certificates "
            f"and name it as dask:tls://{address.removeprefix('tcp://')}"
        )
        raise UsageError(msg)
    if is_local:
        extra_module("cryptography", f"--workers {settings.workers}", "cluster")
    return _open_cluster


def _open_cluster(resources: RunResources, emit: Emit, controls: RunControls, journal: Path) -> Workers:
    """Connect to the cluster, or start one, and return its workers. Raises `UsageError` and `Unreachable`."""
    del journal
    settings = resources.spec.settings
    if resources.opened.stays_here:
        msg = f"trials of {settings.benchmark} cannot run on a cluster: {resources.opened.stays_here}"
        raise UsageError(msg)
    for name in ("distributed", "tornado", "asyncio", *logging.root.manager.loggerDict):
        if name.partition(".")[0] in ("distributed", "tornado", "asyncio"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)  # Our own messages say what matters.
    address = settings.workers.removeprefix("dask:")
    given: dict[str, Any] = {"address": address}
    if settings.workers.startswith(LOCAL_CLUSTER):
        count = int(settings.workers.removeprefix(LOCAL_CLUSTER))
        # Other users of this machine can reach the ports, but have no certificate and find no pages.
        dask.config.set({f"distributed.{part}.http.routes": [] for part in ("scheduler", "worker")})
        given = {
            "n_workers": count,
            "threads_per_worker": math.ceil(settings.concurrency / count),
            "processes": True,
            "host": "127.0.0.1",
            "dashboard_address": None,
            "scheduler_kwargs": {"dashboard_address": "127.0.0.1:0"},
            "silence_logs": logging.CRITICAL,
            "security": True,  # `Security.temporary()`: TLS with certificates made for this cluster
        }
    try:
        client = Client(timeout=20, set_as_default=False, **given)
    except (OSError, ValueError, TypeError, RuntimeError) as error:
        text = str(error).partition("\n")[0]
        msg = f"the scheduler at {address} cannot be reached ({text}); start it, or name another with --workers"
        raise Unreachable(msg) from error
    try:
        return DaskWorkers(client, resources, emit, controls)
    except BaseException:
        with _may_go_away():
            client.close(timeout=5)
        raise


@contextmanager
def _may_go_away() -> Iterator[None]:
    """Suppress Dask's errors when a scheduler or a worker goes away."""
    errors = (OSError, RuntimeError, TypeError, AttributeError, LookupError, CancelledError, ClosedClientError)
    with contextlib.suppress(*errors):
        yield


@dataclass(eq=False)
class _TrialThere:
    """A trial that a worker plays."""

    place: str
    has_begun: bool = False
    is_ended: bool = False
    """Its last event is written."""
    over: Future[None] = field(default_factory=Future)


class DaskWorkers(Workers):
    """The run's side of a cluster."""

    def __init__(self, client: Client, resources: RunResources, emit: Emit, controls: RunControls) -> None:
        """Have the present workers open the run. Raises `Unreachable` if one cannot."""
        self._client, self._resources, self._emit, self._controls = client, resources, emit, controls
        self._order = _work_order(resources, is_local=client.cluster is not None)
        self._address = str(client.scheduler_info(n_workers=0)["address"])
        self._is_over = False
        self._woken = threading.Event()
        resources.context.stop.listen(self._woken.set)
        self._trials: dict[str, _TrialThere] = {}
        self._faults: dict[str, str] = {}
        """By worker, why it is refused; empty if it is not."""
        self._open_at(None)
        if fault := next(filter(None, self._faults.values()), ""):
            raise Unreachable(fault)
        self._places = [*self._faults]
        self._events = Queue(self._order.run, client=client)
        super().__init__(self._play_there, resources.spec.settings.concurrency)
        self._of_run = [threading.Thread(target=work, daemon=True) for work in (self._give_orders, self._take_events)]
        for thread in self._of_run:
            thread.start()

    def _open_at(self, places: list[str] | None) -> None:
        """Have workers open the run, all that are present if none are named."""
        answers: Mapping[str, Any] = {}
        with _may_go_away():
            answers = self._client.run(open_here, self._order, workers=places, on_error="return")
        for place, fault in answers.items():
            why = fault if isinstance(fault, str) else f"the control plane is not installed there ({fault})"
            self._faults[place] = f"the worker {place} of the cluster is refused: {why}" if why else ""
            if places and why:
                self._emit(RunNotice(text=self._faults[place]))

    def _give_orders(self) -> None:
        """Tell the workers that the run is alive, and what it asks of them; pause a run without workers."""
        staffed_at = time.monotonic()
        while not self._is_over:
            self._woken.wait(TURN_S)
            self._woken.clear()
            orders = (self._controls.stop.is_set(), False, self._resources.budget.spending.used_up)
            answers: Mapping[str, bool] = {}
            with _may_go_away():
                answers = self._client.run(obey_here, self._order.run, *orders, on_error="ignore") or {}
            if new := [place for place, works in answers.items() if not works and place not in self._faults]:
                self._faults |= dict.fromkeys(new, "it is asked")
                threading.Thread(target=self._open_at, args=(new,), name="open at", daemon=True).start()
            self._places = [place for place, works in answers.items() if works]
            if self._places:
                staffed_at = time.monotonic()
            if self._client.status != "running":
                self._controls.pause(Unreachable(f"the scheduler of the cluster at {self._address} was lost"))
            elif time.monotonic() - staffed_at > SILENCE_S:
                self._controls.pause(Unreachable("the cluster has no worker that takes trials; start some"))

    def _take_events(self) -> None:
        """Write what trials send, and tell each that waits for it."""
        while not self._is_over:
            sent: list[bytes] = []
            with _may_go_away():
                sent = [self._events.get(timeout=TURN_S), *self._events.get(batch=True)]
            for name, data in map(pickle.loads, sent):
                trial = self._trials.get(name)
                if isinstance(data, Exception):
                    self._controls.pause(data)
                elif name and trial is None:
                    continue  # its worker is lost to the run
                elif trial is not None and data is None:
                    if not trial.over.done():
                        trial.over.set_result(None)
                else:
                    self._take(name, trial, data)

    def _take(self, name: str, trial: _TrialThere | None, event: JournalEvent) -> None:
        try:
            self._emit(event)
            if isinstance(event, Scored) and (tell := self._resources.opened.ended_elsewhere):
                tell(TrialScore(event.trial_id, event.score, event.details))
        except Exception as error:  # noqa: BLE001 - the trial's thread raises it
            if trial is not None and not trial.over.done():
                trial.over.set_exception(error)
            return
        if trial is not None:
            trial.has_begun = True
            trial.is_ended |= isinstance(event, TrialEnded | TrialFailed | TrialLeftOpen)
            if isinstance(event, AnswerSent | CallSent):
                with _may_go_away():
                    Queue(name, client=self._client).put(True)

    def _play_there(self, stub: TrialStub, resume_state: ResumeState) -> None:
        """Have a trial played, and return when it is over or left open. Raises the error that ends the whole run."""
        # A trial is one worker's, so that no other one plays it again, and begins where the fewest are.
        while not (places := self._places) and not self._controls.stop.wait(TURN_S):
            pass
        if self._controls.stop.is_set() or self._resources.budget.spending.used_up:
            return
        name = f"{self._order.run}-{stub.trial_id}-{secrets.token_hex(4)}"
        busy = Counter(trial.place for trial in self._trials.copy().values())
        trial = self._trials[name] = _TrialThere(min(places, key=lambda place: busy[place]))
        future = None
        try:
            with _may_go_away():
                given, where = (self._order.run, stub, resume_state, name), {"workers": [trial.place], "key": name}
                future = self._client.submit(play_trial, *given, **where, pure=False, retries=0)
            while future is not None and self._client.status == "running" and trial.place in self._places:
                was_done = future.done()
                with contextlib.suppress(TimeoutError):
                    trial.over.result(TURN_S)
                    break
                if was_done or (self._controls.stop.is_set() and not trial.has_begun):
                    break
            failure = None
            with _may_go_away():
                failure = future.exception(timeout=TURN_S) if future is not None and trial.over.done() else None
        finally:
            del self._trials[name]
            with _may_go_away():
                if future is not None:
                    future.cancel()
        if isinstance(failure, ControlPlaneError) and not isinstance(failure, RunLost):
            raise failure
        if not trial.has_begun:
            self._controls.stop.wait(TURN_S)
            self._play_there(stub, resume_state)
        elif not trial.is_ended:
            self._emit(TrialLeftOpen(trial_id=stub.trial_id, reason="its worker was lost"))

    def close(self) -> None:
        """Wait for the threads, and tell the workers that the run is over."""
        super().close()
        self._is_over = True
        for thread in self._of_run:
            thread.join()
        with _may_go_away():
            self._client.run(obey_here, self._order.run, True, True, "", on_error="ignore")
        with _may_go_away():
            self._client.close(timeout=10)


def _work_order(resources: RunResources, *, is_local: bool) -> WorkOrder:
    settings, identity = resources.spec.settings, resources.opened.resume_identity
    script = settings.model.removeprefix("scripted:")  # Other machines do not have the file.
    text = Path(with_home(script)).read_text(encoding="utf-8") if script != settings.model else None
    needs = _variables_of_keys(settings)
    if identity is not None:
        settings = settings.model_copy(update={"benchmark": identity.spec, "set": dict(identity.settings)})
    spec = RunSpec(settings, rule_sets=resources.rule_sets, script=text, prompts=resources.prompts)
    run, world = f"run-{secrets.token_hex(8)}", resources.versions().world
    return WorkOrder(run, spec, world, _code_of(settings), needs, is_local)


def _code_of(settings: RunSettings) -> str:
    return f"{sys.version_info[:2]} {source_digest(settings.benchmark)}"


def _variables_of_keys(settings: RunSettings) -> tuple[str, ...]:
    """Return the environment variables that hold the run's keys here: the benchmark's, and keys and secret headers of
    the models. Raises `UsageError`."""
    declared = options_of(settings.benchmark)
    names = [option.secret_variable for option in declared if option.secret_variable]
    for profile in (settings, *settings.role.values()):
        if profile.model not in PLAYERS and not profile.model.startswith("scripted:"):
            names += [profile.api_key_env, *filter(None, map(variable_in, profile.model_headers.values()))]
    return tuple(name for name in dict.fromkeys(names) if name in os.environ)


def _is_loopback(address: str) -> bool:
    """Say whether an address is one of this machine's loopback."""
    host = urlsplit(address if "://" in address else f"tcp://{address}").hostname or ""
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost"
