"""A worker's process: enlisted for a run, it holds the run's resources and works on the trials that it is given.

Its functions take and return JSON text, and raise nothing, so that no log of a cluster shows what they were given.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from agent.retry import RunBudget, Spending, SpendingLimits
from controlplane.benchmark import TrialHead
from controlplane.cluster.event_channel import AttemptEvents, ChannelLost, EventChannel
from controlplane.cluster.framed_connection import FramedConnection
from controlplane.cluster.shipped_data import (
    Answer,
    Enlistment,
    FailureParcel,
    Hello,
    TrialParcel,
    TrialReceipt,
    Welcome,
    from_text,
    to_text,
)
from controlplane.configuration.installed_versions import current_versions, source_digest
from controlplane.configuration.trial_settings import run_budget
from controlplane.errors import ControlPlaneError
from controlplane.journal.run_events import RunNotice
from controlplane.lifecycle.run_resources import RunResources
from controlplane.lifecycle.trial_lifecycle import RunControls, run_trial

CONNECT_S: Final = 20.0
LEAVE_S: Final = 60.0
"""Seconds that a trial has to end once the run is lost, before the resources that it uses are closed."""
_runs: Final[dict[str, _EnlistedRun]] = {}
_lock: Final = threading.Lock()


class Refused(ControlPlaneError):
    """This worker cannot work for the run."""


def enlist(text: str, context: ssl.SSLContext | None = None) -> str:
    """Enlist this process for the run of the `Enlistment` in `text`; return why it cannot be, or an empty string."""
    try:
        enlistment = from_text(Enlistment, text)
        with _lock:
            known = _runs.get(enlistment.run)
            if known is None or known.is_lost:
                _runs[enlistment.run] = _EnlistedRun(enlistment, context)
    except (ControlPlaneError, OSError) as error:
        return str(error)
    except ValueError:
        return "it has another version of the control plane, which does not understand the run"
    if enlistment.ignores_interrupt:
        with contextlib.suppress(ValueError):  # only a main thread may
            signal.signal(signal.SIGINT, signal.SIG_IGN)
    return ""


def work(text: str) -> str:
    """Work on the trial of the `TrialParcel` in `text`; return a `TrialReceipt`."""
    try:
        parcel = from_text(TrialParcel, text)
    except ValueError:
        return to_text(TrialReceipt(ending="not_enlisted"))
    run = _runs.get(parcel.run)
    return to_text(run.work(parcel) if run else TrialReceipt(ending="not_enlisted"))


class _EnlistedRun:
    """What this process holds of one run."""

    def __init__(self, enlistment: Enlistment, context: ssl.SSLContext | None) -> None:
        """Connect and open everything. Raises `ControlPlaneError` and `OSError` if this worker is not fit."""
        self._name = enlistment.run
        self.is_lost = False
        """The channel to the run is gone."""
        _check_code(enlistment)
        _open_more_files()
        connection = _connected(enlistment, context)
        self._keys: dict[str, str] = {}
        try:
            self._introduce(connection, enlistment)
            _check_keys(enlistment)
            settings = enlistment.spec.settings
            budget = run_budget(settings)
            self._channel = EventChannel(connection, self._heed, retries=budget.retries.bound)
            # The process of the run counts what all workers spend, and says when it is too much.
            spending = Spending(SpendingLimits(trial_cost_usd=settings.trial_cost))
            self._resources = RunResources(enlistment.spec, budget=RunBudget(self._channel.retries, spending))
            try:
                _check_world(enlistment, self._resources)
                self._resources.launch_server()
                self._resources.check_walls()
            except BaseException:
                self._resources.close()
                raise
        except BaseException:
            connection.close()
            self._forget_keys()
            raise
        self._resources.on_notice = lambda text: self._channel.post("", RunNotice(text=text))
        self._running = 0
        self._changed = threading.Condition()
        self._controls = RunControls(stop=self._resources.context.stop, pause=self._channel.fail)
        threading.Thread(target=self._serve, name="journal channel", daemon=True).start()

    def _introduce(self, connection: FramedConnection, enlistment: Enlistment) -> None:
        connection.send(Hello(token=enlistment.token, place=enlistment.place))
        welcome = connection.receive(Welcome)
        if welcome.refusal:
            raise Refused(welcome.refusal)
        self._keys = welcome.keys
        os.environ.update(welcome.keys)

    def _forget_keys(self) -> None:
        for each in self._keys:
            os.environ.pop(each, None)

    def _heed(self, answer: Answer) -> None:
        stop = self._resources.context.stop
        if answer.used_up:
            self._resources.budget.spending.close(answer.used_up)
        if answer.stop and not stop.is_set():
            stop.set()
        elif not answer.stop and stop.is_set():
            stop.clear()

    def _serve(self) -> None:
        self._channel.serve()
        self.is_lost = True
        with _lock:
            if _runs.get(self._name) is self:
                del _runs[self._name]
        self._resources.context.stop.set()
        with self._changed:
            self._changed.wait_for(lambda: not self._running, timeout=LEAVE_S)
        self._resources.close()
        self._forget_keys()

    def work(self, parcel: TrialParcel) -> TrialReceipt:
        """Work on one trial."""
        events = AttemptEvents(self._channel, parcel.attempt)
        with self._busy():
            try:
                head = TrialHead(parcel.trial_id, parcel.task_id)
                run_trial(self._resources, head, events, self._controls, parcel.resume_state)
                self._channel.flush(parcel.attempt)
            except ChannelLost:
                return TrialReceipt(ending="cut_off")
            except ControlPlaneError as error:
                return TrialReceipt(ending="failed", failure=FailureParcel.of(error))
        return TrialReceipt(ending="over")

    @contextmanager
    def _busy(self) -> Iterator[None]:
        with self._changed:
            self._running += 1
        try:
            yield
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify_all()


def _connected(enlistment: Enlistment, context: ssl.SSLContext | None) -> FramedConnection:
    if enlistment.is_encrypted and context is None:
        msg = "it has no certificate for TLS, which the channel to the journal asks for"
        raise Refused(msg)
    where = f"{enlistment.host}:{enlistment.port}"
    try:
        plain = socket.create_connection((enlistment.host, enlistment.port), timeout=CONNECT_S)
    except OSError as error:
        msg = f"it does not reach the run at {where} ({error}); name an address that it reaches with --channel"
        raise Refused(msg) from error
    try:
        wrapped = context.wrap_socket(plain) if context and enlistment.is_encrypted else plain
    except OSError as error:
        plain.close()
        msg = f"TLS with the run at {where} fails ({error}); its certificate is of another authority"
        raise Refused(msg) from error
    return FramedConnection(wrapped)


def _check_code(enlistment: Enlistment) -> None:
    """Raise `Refused` if the source here is not that of the run's process."""
    if source_digest(enlistment.spec.settings.benchmark) != enlistment.code:
        here = current_versions(enlistment.spec.packs or (), enlistment.versions.world, enlistment.spec.prompts)
        differ = [name for name, value in enlistment.versions if getattr(here, name) != value]
        msg = f"it has another version of {', '.join(differ) or 'the program'}; install there what runs here"
        raise Refused(msg)


def _check_keys(enlistment: Enlistment) -> None:
    """Raise `Refused` if this worker lacks a key that the run's process has."""
    missing = [each for each in enlistment.keys if not os.environ.get(each)]
    if missing:
        msg = f"it has no key in {', '.join(missing)}; set it in the worker's environment, or give --send-keys"
        raise Refused(msg)


def _check_world(enlistment: Enlistment, resources: RunResources) -> None:
    """Raise `Refused` if this worker would play in other worlds, or under another Python."""
    here = current_versions(resources.packs, resources.opened.world_version)
    ours, theirs = here.python.rpartition(".")[0], enlistment.versions.python.rpartition(".")[0]
    if here.world != enlistment.versions.world:
        msg = f"its worlds are of version {here.world!r}, those of the run of version {enlistment.versions.world!r}"
        raise Refused(msg)
    if ours != theirs:
        msg = f"it has Python {ours}, and the run has Python {theirs}"
        raise Refused(msg)


def _open_more_files() -> None:
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
