"""`--workers dask:…`: each trial is a future of a Dask cluster, and its events come back through one of Dask's queues.

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
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from agent.events import AnswerSent, CallSent, build_models
from agent.evidence import ResumeState
from agent.retry import RetryBudget, RunBudget, Spending, SpendingLimits
from controlplane.benchmark import TrialHead, TrialScore
from controlplane.configuration.named_modules import options_of, source_digest
from controlplane.configuration.run_settings import LOCAL_CLUSTER, VARIABLE, RunSettings
from controlplane.errors import ControlPlaneError, Unreachable, UsageError, extra_module
from controlplane.journal.journal_file import with_home
from controlplane.journal.run_events import (
    JournalEvent,
    RunNotice,
    Scored,
    TrialEnded,
    TrialFailed,
    TrialLeftOpen,
    TrialStarted,
    Versions,
    surface_from_text,
)
from controlplane.lifecycle.run_lifecycle import OpenWorkers, Workers
from controlplane.lifecycle.run_resources import PLAYERS, RunResources, RunSpec
from controlplane.lifecycle.trial_lifecycle import Emit, RunControls, portable_error, run_trial

if TYPE_CHECKING:
    from distributed import Client

    from sandbox.interface import Surface

TURN_S: Final = 1.0
"""Seconds between two looks at what a wait is for."""
ORDERS_S: Final = 5.0
"""Seconds between two messages that tell workers that the run is alive."""
SILENCE_S: Final = 120.0
"""Seconds without such a message after which a run counts as lost, and without a worker after which a run pauses."""


class RunLost(ControlPlaneError):
    """The run is over, or can no longer be reached."""


@dataclass(frozen=True)
class WorkOrder:
    """A run, for a worker. It holds no keys, which cross apart: none is in a task or a log of the cluster."""

    run: str
    spec: RunSpec
    versions: Versions
    """Versions in the run's own process; workers with other versions are refused."""
    code: str
    """Hash of the source of the run's own process."""
    needs: tuple[str, ...]
    """Environment variables of the run's keys; a worker that lacks one is refused."""
    is_local: bool
    """Ctrl-C in the terminal reaches the worker too; only the run acts on it."""


@dataclass(eq=False)
class _RunHere:
    """A run that this process works for."""

    resources: RunResources
    controls: RunControls
    is_over: bool = False
    heard_at: float = field(default_factory=time.monotonic)
    latest: _Execution | None = None
    """The trial that began last; it carries the run's notices."""

    @property
    def is_lost(self) -> bool:
        return self.is_over or time.monotonic() - self.heard_at > SILENCE_S


_runs: Final[dict[str, _RunHere]] = {}


class _Execution:
    """One execution of a trial's task: its messages to the run."""

    def __init__(self, here: _RunHere, name: str) -> None:
        from distributed import Queue

        self._here, self._token = here, f"{name}-{secrets.token_hex(8)}"
        self._events, self._answers = Queue(name), Queue(self._token)
        self._may_repeat = here.resources.opened.rebuilds_trials  # its changes stay inside this process
        self._surface: Surface | None = None

    def send(self, kind: str, data: object = None) -> None:
        """Send a message. Raises `RunLost`."""
        if self._here.is_lost:
            msg = "the run was lost"
            raise RunLost(msg)
        self._events.put(pickle.dumps((self._token, kind, data)))

    def ask(self, kind: str, data: object = None) -> bool:
        """Send a message, and return the run's answer, which comes once what was sent is written. Raises `RunLost`."""
        self.send(kind, data)
        with contextlib.suppress(TimeoutError):
            return bool(self._answers.get(timeout=SILENCE_S))
        msg = "the run gave no answer"
        raise RunLost(msg)

    def emit(self, event: JournalEvent) -> None:
        """Send an event; if it announces a change, return when it is written. Raises `RunLost`."""
        if isinstance(event, TrialStarted):
            self._surface = surface_from_text(event.surface)
        may_change = isinstance(event, AnswerSent) or (
            isinstance(event, CallSent)
            and (self._surface is None or self._surface.may_change(event.operation, event.arguments))
        )
        if may_change and not self._may_repeat:
            self.ask("change", event)
        else:
            self.send("event", event)


# Dask calls these functions at workers: the first as a task, the others at the run's request.


def play_trial(run: str, head: TrialHead, resume_state: ResumeState, name: str) -> None:
    """Play a trial, unless another worker has begun it. Raises `RunLost` if this process does not work for the run."""
    if (here := _runs.get(run)) is None:
        msg = "it no longer works for the run"
        raise RunLost(msg)
    from distributed import get_worker

    execution = here.latest = _Execution(here, name)
    if not execution.ask("begins", get_worker().address):
        return
    failure = None
    try:
        run_trial(here.resources, head, execution.emit, here.controls, resume_state)
    except RunLost:
        return
    except BaseException as error:  # noqa: BLE001 - any error: the run waits to hear that the trial is over
        failure = portable_error(error)
    execution.send("over", failure)


async def open_here(order: WorkOrder, keys: Mapping[str, str]) -> str:
    """Have this process work for a run; return why it cannot, or an empty string. Raises nothing."""
    from asyncio import to_thread

    if order.is_local:
        with contextlib.suppress(ValueError):
            signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        await to_thread(_open_run, order, keys)
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


def _open_run(order: WorkOrder, keys: Mapping[str, str]) -> None:
    """Open everything that trials need. Raises `ControlPlaneError` and `OSError`."""
    settings = order.spec.settings
    if source_digest(settings.benchmark) != order.code:
        msg = "it has another version of the program; install there what runs here"
        raise UsageError(msg)
    build_models()
    with ExitStack() as opened:
        os.environ.update(keys)
        opened.callback(lambda: [os.environ.pop(name, None) for name in keys])
        if missing := [name for name in order.needs if not os.environ.get(name)]:
            msg = f"it has no key in {', '.join(missing)}; set it in the worker's environment, or give --send-keys"
            raise UsageError(msg)
        # The run's process counts what all workers spend, and says when a limit is reached.
        spending = Spending(SpendingLimits(trial_cost_usd=settings.trial_cost))
        budget = RunBudget(RetryBudget(settings.model_retries), spending)
        resources = opened.enter_context(RunResources(order.spec, budget=budget))
        _check_versions(order.versions, resources.versions())
        resources.launch_server()
        resources.check_walls()

        def send(kind: str, data: object) -> None:
            if here.latest is not None:
                here.latest.send(kind, data)

        pause = RunControls(stop=resources.context.stop, pause=lambda error: send("failure", portable_error(error)))
        here = _RunHere(resources, pause)
        resources.on_notice = lambda text: send("event", RunNotice(text=text))
        _runs[order.run] = here
        held = opened.pop_all()
    threading.Thread(target=_keep_open, args=(order.run, here, held), name="run", daemon=True).start()


def _keep_open(run: str, here: _RunHere, held: ExitStack) -> None:
    """Close what a run has opened once it is over or lost."""
    while not here.is_lost:
        time.sleep(TURN_S)
    here.controls.stop.set()
    _runs.pop(run, None)
    held.close()


def _check_versions(run: Versions, here: Versions) -> None:
    """Raise `UsageError` if this process has other worlds or another Python than the run."""
    if here.world != run.world:
        msg = f"its worlds have version {here.world!r}, the run's have version {run.world!r}"
        raise UsageError(msg)
    minor, minor_of_run = (versions.python.rpartition(".")[0] for versions in (here, run))
    if minor != minor_of_run:
        msg = f"it has Python {minor}, and the run has Python {minor_of_run}"
        raise UsageError(msg)


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
    for package in ("distributed", "cryptography") if is_local else ("distributed",):
        extra_module(package, f"--workers {settings.workers}", "cluster")
    return _open_cluster


def _open_cluster(resources: RunResources, emit: Emit, controls: RunControls, journal: Path) -> Workers:
    """Connect to the cluster, or start one, and return its workers. Raises `UsageError` and `Unreachable`."""
    import dask
    from distributed import Client

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
    from asyncio import CancelledError

    from distributed.client import ClosedClientError

    errors = (OSError, RuntimeError, TypeError, AttributeError, LookupError, CancelledError, ClosedClientError)
    with contextlib.suppress(*errors):
        yield


class DaskWorkers(Workers):
    """The run's side of a cluster."""

    def __init__(self, client: Client, resources: RunResources, emit: Emit, controls: RunControls) -> None:
        """Have the present workers open the run. Raises `Unreachable` if one cannot."""
        self._client, self._resources, self._emit, self._controls = client, resources, emit, controls
        self._order = _work_order(resources, is_local=client.cluster is not None)
        send_keys = resources.spec.settings.send_keys
        self._keys = {name: os.environ[name] for name in self._order.needs if send_keys}
        self._address = str(client.scheduler_info(n_workers=0)["address"])
        self._is_over = False
        self._woken = threading.Event()
        resources.context.stop.listen(self._woken.set)
        self._faults: dict[str, str] = {}
        """By worker, why it is refused; empty if it is not."""
        self._open_at(None)
        if fault := next(filter(None, self._faults.values()), ""):
            raise Unreachable(fault)
        self._places = [*self._faults]
        self._orders = threading.Thread(target=self._give_orders, name="orders", daemon=True)
        self._orders.start()
        super().__init__(self._play_there, resources.spec.settings.concurrency)

    def _open_at(self, places: list[str] | None) -> None:
        """Have workers open the run, all that are present if none are named."""
        answers: Mapping[str, Any] = {}
        with _may_go_away():
            answers = self._client.run(open_here, self._order, self._keys, workers=places, on_error="return")
        for place, fault in answers.items():
            why = fault if isinstance(fault, str) else f"the control plane is not installed there ({fault})"
            self._faults[place] = f"the worker {place} of the cluster is refused: {why}" if why else ""
            if places and why:
                self._emit(RunNotice(text=self._faults[place]))

    def _give_orders(self) -> None:
        """Tell the workers that the run is alive, and what it asks of them; pause a run without workers."""
        stop, spending = self._controls.stop, self._resources.budget.spending
        staffed_at, told_at, told = time.monotonic(), -math.inf, None
        while not self._is_over:
            self._woken.wait(TURN_S)
            self._woken.clear()
            now, orders = time.monotonic(), (stop.is_set(), False, spending.used_up)
            if orders == told and now - told_at < ORDERS_S:
                continue
            told, told_at, answers = orders, now, None
            with _may_go_away():
                answers = self._client.run(obey_here, self._order.run, *orders, on_error="ignore")
            if new := [place for place, works in (answers or {}).items() if not works and place not in self._faults]:
                self._faults |= dict.fromkeys(new, "it is asked")
                threading.Thread(target=self._open_at, args=(new,), name="open at", daemon=True).start()
            self._places = [place for place, works in (answers or {}).items() if works]
            staffed_at = now if self._places else staffed_at
            if self._client.status != "running":
                self._controls.pause(Unreachable(f"the scheduler of the cluster at {self._address} was lost"))
            elif now - staffed_at > SILENCE_S:
                self._controls.pause(Unreachable("the cluster has no worker that takes trials; start some"))

    def _play_there(self, head: TrialHead, resume_state: ResumeState) -> None:
        """Have a trial played, and return when it is over or left open. Raises the error that ends the whole run."""
        from distributed import Queue

        name = f"{self._order.run}-{head.trial_id}-{secrets.token_hex(4)}"
        token, is_ended, future = "", False, None
        # Dask would not look again at a task that no worker can take.
        while not (places := set(self._places)) and not self._controls.stop.wait(TURN_S):
            pass
        if self._controls.stop.is_set() or self._resources.budget.spending.used_up:
            return
        with _may_go_away():
            events = Queue(name, client=self._client)
            given = (self._order.run, head, resume_state, name)
            where = {"workers": [*places], "key": name, "pure": False, "retries": 0}
            future = self._client.submit(play_trial, *given, **where)
        while future is not None and self._client.status == "running":
            sent = b""
            with _may_go_away():
                sent = events.get(timeout=TURN_S)  # a time-out is an `OSError`
            if not sent:
                if future.done() or not places & {*self._places} or (not token and self._controls.stop.is_set()):
                    break
                continue
            sender, kind, data = pickle.loads(sent)
            if kind == "begins":
                self._answer(sender, not token)
                if token:
                    break  # its worker was lost, and the cluster has another one execute the task
                token, places = sender, {data}
            elif sender != token:
                continue  # of a worker that the cluster has lost
            elif kind == "failure":
                self._controls.pause(data)
            elif kind == "over":
                if data is not None:
                    raise data
                return
            else:
                self._write(data)
                is_ended = is_ended or isinstance(data, TrialEnded | TrialFailed | TrialLeftOpen)
                if kind == "change":
                    self._answer(token, True)
        with _may_go_away():
            if future is not None:
                future.cancel()
        if not token:  # it has not begun
            self._controls.stop.wait(TURN_S)
            self._play_there(head, resume_state)
        elif not is_ended:
            self._emit(TrialLeftOpen(trial_id=head.trial_id, reason="its worker was lost"))

    def _answer(self, token: str, answer: bool) -> None:
        from distributed import Queue

        with _may_go_away():
            Queue(token, client=self._client).put(answer)

    def _write(self, event: JournalEvent) -> None:
        self._emit(event)
        if isinstance(event, Scored) and (tell := self._resources.opened.ended_elsewhere):
            tell(TrialScore(event.trial_id, event.score, event.details))

    def close(self) -> None:
        """Wait for the threads, and tell the workers that the run is over."""
        super().close()
        self._is_over = True
        self._woken.set()
        self._orders.join()
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
    spec = RunSpec(settings, packs=resources.packs, script=text, prompts=resources.prompts)
    code = source_digest(settings.benchmark)
    return WorkOrder(f"run-{secrets.token_hex(8)}", spec, resources.versions(), code, needs, is_local)


def _variables_of_keys(settings: RunSettings) -> tuple[str, ...]:
    """Return the environment variables that hold the run's keys here: the benchmark's, and keys and secret headers of
    the models. Raises `UsageError`."""
    declared = options_of(settings.benchmark)
    names = [option.secret_variable for option in declared if option.secret_variable]
    for profile in (settings, *settings.role.values()):
        if profile.model not in PLAYERS and not profile.model.startswith("scripted:"):
            variables = (VARIABLE.fullmatch(value) for value in profile.model_headers.values())
            names += [profile.api_key_env, *(variable[1] for variable in variables if variable)]
    return tuple(name for name in dict.fromkeys(names) if name in os.environ)


def _is_loopback(address: str) -> bool:
    """Say whether an address is one of this machine's loopback; a name is if all its addresses are."""
    host = urlsplit(address if "://" in address else f"tcp://{address}").hostname or ""
    try:
        addresses = [str(info[4][0]) for info in socket.getaddrinfo(host, None)]
    except OSError:
        return False
    return bool(addresses) and all(ipaddress.ip_address(ip.partition("%")[0]).is_loopback for ip in addresses)
