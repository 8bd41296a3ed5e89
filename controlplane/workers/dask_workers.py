"""`--workers dask:…`: each trial is a task of a Dask cluster, and its events come back through Dask's event log.

The log delivers events in order and at once, where a task's result would come when the trial is over, and a queue would
cost a request for each. Of the run's events it keeps the last thousand. Dask's TLS protects every connection. Whoever
reaches a cluster's scheduler can run code on its workers, so a cluster is one domain of trust.
"""

from __future__ import annotations

import contextlib
import ipaddress
import itertools
import logging
import math
import os
import pickle
import secrets
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from agent.events import Noticed
from agent.evidence import ResumeState
from controlplane.benchmark import TrialHead, TrialScore
from controlplane.configuration.named_modules import options_of, source_digest
from controlplane.configuration.run_settings import LOCAL_CLUSTER, VARIABLE, RunSettings
from controlplane.errors import Unreachable, UsageError, extra_module
from controlplane.journal.journal_content import open_journal
from controlplane.journal.journal_file import with_home
from controlplane.journal.run_events import JournalEvent, RunNotice, Scored, TrialEnded, TrialFailed, TrialLeftOpen
from controlplane.lifecycle.run_lifecycle import OpenWorkers, Workers
from controlplane.lifecycle.run_resources import PLAYERS, RunResources, RunSpec
from controlplane.lifecycle.trial_lifecycle import Emit, RunControls
from controlplane.workers.dask_trials import Enlistment, Sent, answer_here, enlist_here, obey_here, play_trial

if TYPE_CHECKING:
    from distributed import Client

TURN_S: Final = 1.0
"""Seconds between two looks at the list of workers."""


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
        return DaskWorkers(client, resources, emit, controls, journal)
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
    """The run's side of a cluster: enlists its workers, and has each trial played as a task."""

    def __init__(
        self, client: Client, resources: RunResources, emit: Emit, controls: RunControls, journal: Path
    ) -> None:
        """Enlist the present workers. Raises `Unreachable` if all of them are refused."""
        self.client, self.resources, self.emit, self.controls = client, resources, emit, controls
        self.journal = journal
        self._enlistment = _enlistment(resources, is_local=client.cluster is not None)
        self.run: Final = self._enlistment.run
        self._address = str(client.scheduler_info(n_workers=0)["address"])
        settings = resources.spec.settings
        self._keys = {name: os.environ[name] for name in self._enlistment.needs if settings.send_keys}
        self.inboxes: Final[dict[str, SimpleQueue[Sent]]] = {}
        """By task, the messages of the trial."""
        self._numbers = itertools.count(1)
        self._changed = threading.Condition()
        self._enlisted: dict[str, str | None] = {}
        """By worker's address, why it is refused, an empty string if it is not, or None while it has not answered."""
        self._staffed_at = time.monotonic()
        """When a worker was last present."""
        self._refusals: list[str] = []
        """Refusals to tell of; before the first trial there is no journal."""
        self._is_begun = self._is_over = False
        self._woken = threading.Event()
        client.subscribe_topic(self.run, self._route)
        self._look()
        with self._changed:
            self._changed.wait_for(lambda: None not in self._enlisted.values(), 30)  # Slower workers join later.
        if self._enlisted and all(self._enlisted.values()):
            raise Unreachable(self._shortage)
        self._thread = threading.Thread(target=self._watch, name="cluster", daemon=True)
        self._thread.start()
        resources.context.stop.listen(self._woken.set)
        super().__init__(self._play_there, settings.concurrency)

    def _play_there(self, head: TrialHead, resume_state: ResumeState) -> None:
        self._is_begun = True
        if not (self.controls.stop.is_set() or self.resources.budget.spending.used_up):
            _TrialTask(self, head, resume_state, f"{self.run}-{head.trial_id}-{next(self._numbers)}").see_through()

    def _route(self, event: tuple[float, Sent]) -> None:
        """Pass a message on to the thread of its trial."""
        task, token, number, kind, body = event[1]
        if (inbox := self.inboxes.get(task)) is not None:
            inbox.put(event[1])
        elif kind == "begins":  # Another task of the same trial has taken its place. Only this thread may not wait.
            threading.Thread(target=self.answer, args=(pickle.loads(body), token, number, None), daemon=True).start()

    def answer(self, place: str, token: str, number: int, value: object) -> None:
        """Answer a message of an execution at a worker."""
        with _may_go_away():
            given = (self.run, token, number, pickle.dumps(value))
            self.client.run(answer_here, *given, workers=[place], on_error="ignore")

    @property
    def places(self) -> frozenset[str]:
        """The addresses of the workers that take trials."""
        with self._changed:
            return frozenset(place for place, why in self._enlisted.items() if why == "")

    def _watch(self) -> None:
        sent_at, sent = 0.0, self._orders
        while not self._is_over:
            self._woken.wait(TURN_S)
            self._woken.clear()
            self._look()
            # Orders are also a heartbeat, by which workers know that the run is alive.
            if time.monotonic() - sent_at > 5 or sent != self._orders:
                sent_at, sent = time.monotonic(), self._orders
                # In a thread of its own: a worker that hangs delays no other.
                threading.Thread(target=self._send_orders, name="orders", daemon=True).start()

    @property
    def _orders(self) -> tuple[bool, bool, str]:
        stop, used_up = self.controls.stop.is_set(), self.resources.budget.spending.used_up
        return self._is_over or stop, self._is_over, used_up

    def _send_orders(self) -> None:
        with _may_go_away():
            self.client.run(obey_here, self.run, *self._orders, on_error="ignore")

    def _look(self) -> None:
        """Enlist new workers, each in its own thread, so that a hanging worker delays nothing; pause a run without
        workers or scheduler."""
        there: Mapping[str, Any] = {}
        with _may_go_away():
            there = self.client.scheduler_info(n_workers=-1)["workers"]
        with self._changed:
            self._enlisted = {
                place: why
                for place, why in self._enlisted.items()
                # Another process may have come to the same address.
                if place in there and (why != "" or self.run in there[place]["resources"])
            }
            new = there.keys() - self._enlisted.keys()
            self._enlisted |= dict.fromkeys(new)
        for place in new:
            threading.Thread(target=self._enlist, args=(place,), name="enlist", daemon=True).start()
        while self._refusals and self._is_begun:
            self.emit(RunNotice(text=self._refusals.pop(0)))
        now = time.monotonic()
        if "" in self._enlisted.values():
            self._staffed_at = now
        if self.client.status != "running":
            self.controls.pause(Unreachable(f"the scheduler of the cluster at {self._address} was lost"))
        elif now - self._staffed_at > 60:
            self.controls.pause(Unreachable(self._shortage))

    def _enlist(self, place: str) -> None:
        refusal: str | None = None
        with _may_go_away():
            refusal = self._refusal_of(place)
        with self._changed:
            if refusal is None:
                self._enlisted.pop(place, None)  # It is gone, or is asked again.
            else:
                self._enlisted[place] = refusal
                self._refusals += [f"the worker {place} is refused: {refusal}"] if refusal else []
            self._changed.notify_all()

    def _refusal_of(self, place: str) -> str | None:
        """Enlist a worker; return an empty string, why it is refused, or None if it is gone."""
        if not (place.startswith(("tls://", "inproc://")) or _is_loopback(place)):
            return "its address has no TLS and is not on this machine's loopback; give the cluster certificates"
        answers = self.client.run(enlist_here, self._enlistment, self._keys, workers=[place], on_error="return")
        answer = answers.get(place)
        if isinstance(answer, ImportError | AttributeError):
            return f"the control plane is not installed there, or has another version ({answer})"
        return None if answer is None or isinstance(answer, OSError) else str(answer)

    @property
    def _shortage(self) -> str:
        why = "; ".join(sorted(set(filter(None, self._enlisted.values())))[:3])
        return f"the cluster has no worker that takes trials{': ' + why if why else '; start some'}"

    def close(self) -> None:
        """Wait for the threads, and tell the workers that the run is over."""
        super().close()
        self._is_over = True
        self._thread.join()
        self._send_orders()
        with _may_go_away():
            self.client.close(timeout=10)


@dataclass(eq=False)
class _TrialTask:
    """One trial at the cluster, and the state that it has reached."""

    cluster: DaskWorkers
    head: TrialHead
    state: ResumeState
    """The state that the present attempt began with."""
    name: str
    """The name of its task."""
    place: str = ""
    """The address of the worker that plays it."""
    token: str = ""
    """The token of the attempt; empty before the first."""
    number: int = 0
    """The number of the attempt's last message."""
    losses: int = 0
    has_begun: bool = False
    is_ended: bool = False
    """The trial's last event is written: even if its worker is lost, the trial does not begin again."""

    def see_through(self) -> None:
        """Have the trial played, and return when it is over. Raises the error that ends the whole run."""
        while True:
            inbox = self.cluster.inboxes[self.name] = SimpleQueue()
            try:
                if self._is_over_after_task(inbox):
                    return
            finally:
                del self.cluster.inboxes[self.name]
            self.name += "-next"

    def _is_over_after_task(self, inbox: SimpleQueue[Sent]) -> bool:
        """Have the cluster execute a task, and say whether the trial is over then; else it needs another task."""
        cluster, task = self.cluster, None
        while not (places := cluster.places):  # Dask would not look again at a task that no worker can take.
            if cluster.controls.stop.wait(TURN_S):
                return not self._goes_on("its worker was lost")
        with _may_go_away():
            # Where a worker is lost, Dask has the task executed again at another, if there is one.
            needs = {cluster.run: 1}
            task = cluster.client.submit(play_trial, cluster.run, self.name, key=self.name, resources=needs, pure=False)
        while True:
            try:
                message = inbox.get(timeout=TURN_S)
            except Empty:
                is_played = task is not None and task.status == "pending"
                if is_played and ({self.place} if self.token else places) & cluster.places:
                    continue
                return not self._goes_on("its worker was lost")
            if self._is_over_after(message):
                return True

    def _goes_on(self, why: str) -> bool:
        """Prepare the next attempt at a trial whose worker was lost; return False if the trial is over or left open."""
        controls = self.cluster.controls
        self.losses += 1
        if self.is_ended or (not self.has_begun and controls.stop.is_set()):
            return False
        if self.losses >= 4 or controls.stop.is_set():
            self.cluster.emit(TrialLeftOpen(trial_id=self.head.trial_id, reason=why))
            return False
        if self.has_begun:
            self.cluster.emit(Noticed(trial_id=self.head.trial_id, text=f"{why}; it goes on at another"))
        with open_journal(self.cluster.journal) as journal:  # Another attempt continues from it, as a resumed run does.
            self.state, self.token = journal.trials[self.head.trial_id].record, ""
        return True

    def _is_over_after(self, message: Sent) -> bool:
        """Act on a message of the trial; return True if the trial is over. Raises the error that ends the whole run."""
        _, token, number, kind, body = message
        data = pickle.loads(body)
        if kind == "begins":
            goes_on = not self.token or self._goes_on("its worker was lost")
            self.token, self.place, self.number, self.has_begun = token, data, number, True
            self._answer((self.head, self.state) if goes_on else None)
            return not goes_on
        if token != self.token:  # a worker that the cluster has lost: nothing of it counts
            return False
        if number != self.number + 1:
            return not self._goes_on("messages of its worker were lost")
        self.number = number
        match kind:
            case "event" | "change":
                self._write(data)
            case "failure":
                self.cluster.controls.pause(data)
        if kind in ("change", "over"):
            self._answer(None)
        if kind == "over" and data is not None:
            raise data
        return kind == "over"

    def _write(self, event: JournalEvent) -> None:
        self.cluster.emit(event)
        if isinstance(event, Scored) and (tell := self.cluster.resources.opened.ended_elsewhere):
            tell(TrialScore(event.trial_id, event.score, event.details))
        self.is_ended = self.is_ended or isinstance(event, TrialEnded | TrialFailed | TrialLeftOpen)

    def _answer(self, value: object) -> None:
        self.cluster.answer(self.place, self.token, self.number, value)


def _enlistment(resources: RunResources, *, is_local: bool) -> Enlistment:
    settings, identity = resources.spec.settings, resources.opened.resume_identity
    script = settings.model.removeprefix("scripted:")  # Other machines do not have the file.
    text = Path(with_home(script)).read_text(encoding="utf-8") if script != settings.model else None
    needs = _variables_of_keys(settings)
    if identity is not None:
        settings = settings.model_copy(update={"benchmark": identity.spec, "set": dict(identity.settings)})
    return Enlistment(
        run=f"run-{secrets.token_hex(8)}",
        spec=RunSpec(settings, packs=resources.packs, script=text, prompts=resources.prompts),
        versions=resources.versions(),
        code=source_digest(settings.benchmark),
        needs=needs,
        is_local=is_local,
    )


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
