"""A worker of a Dask cluster: opens a run when the run enlists it, and plays each trial as a task of the cluster.

Only the run's process writes the journal. Before a change beyond this process, a trial waits until its
event is written, so that nothing is done twice.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import pickle
import secrets
import signal
import threading
import time
from collections.abc import Mapping
from contextlib import ExitStack
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from agent.events import AnswerSent, CallSent, build_models
from agent.retry import RetryBudget, RunBudget, Spending, SpendingLimits
from controlplane.configuration.named_modules import source_digest
from controlplane.errors import ControlPlaneError, UsageError
from controlplane.journal.run_events import JournalEvent, RunNotice, TrialStarted, Versions, surface_from_text
from controlplane.lifecycle.run_lifecycle import tune_process
from controlplane.lifecycle.run_resources import RunResources, RunSpec
from controlplane.lifecycle.trial_lifecycle import RunControls, portable_error, run_trial

if TYPE_CHECKING:
    from distributed import Worker as DaskWorker

    from sandbox.interface import Surface

SILENCE_S: Final = 120.0
"""Seconds without a message of the run after which it counts as lost."""
LOOK_S: Final = 1.0

Sent: TypeAlias = tuple[str, str, int, str, bytes]
"""A message of a trial: its task, the token of the task's execution, a number from 1, its kind, and pickled data."""


class RunLost(ControlPlaneError):
    """The run is over, or can no longer be reached."""


@dataclass(frozen=True)
class Enlistment:
    """The description of a run for a worker. It holds no keys, which cross apart."""

    run: str
    """The run's name at its workers: tasks need a resource of this name, and events are logged under it."""
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
    answers: dict[tuple[str, int], Any] = field(default_factory=dict)
    """Answers to messages, by token and number."""
    changed: threading.Condition = field(default_factory=threading.Condition)
    latest: _Execution | None = None
    """The trial that began last."""

    @property
    def is_lost(self) -> bool:
        return self.is_over or time.monotonic() - self.heard_at > SILENCE_S


_runs: Final[dict[str, _RunHere]] = {}


class _Execution:
    """One execution of a trial's task: its messages to the run. Used by the trial's thread; for notices by others."""

    def __init__(self, here: _RunHere, run: str, task: str, dask_worker: DaskWorker) -> None:
        self._here, self._run, self._task, self._worker = here, run, task, dask_worker
        self._token = secrets.token_hex(8)
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()

    def play(self) -> None:
        """Ask the run for the trial, and play it."""
        assignment = self.ask("begins", self._worker.address)
        if assignment is None:
            return
        _EXECUTION.set(self)
        self._here.latest = self
        self._may_repeat = self._here.resources.opened.rebuilds_trials  # Its changes stay inside this process.
        self._surface: Surface | None = None
        failure = None
        try:
            head, resume_state = assignment
            run_trial(self._here.resources, head, self._emit, self._here.controls, resume_state)
        except RunLost:
            return
        except BaseException as error:  # noqa: BLE001 - any error: the run waits to hear that the trial is over
            failure = portable_error(error)
        self.ask("over", failure)

    def _emit(self, event: JournalEvent) -> None:
        if isinstance(event, TrialStarted) and not self._may_repeat:
            self._surface = surface_from_text(event.surface)
        may_change = isinstance(event, AnswerSent) or (
            isinstance(event, CallSent)
            and (self._surface is None or self._surface.may_change(event.operation, event.arguments))
        )
        self.ask("change", event) if may_change and not self._may_repeat else self.send("event", event)

    def send(self, kind: str, data: object) -> int:
        """Send a message, and return its number. Raises `RunLost`."""
        if self._here.is_lost:
            msg = "the run was lost"
            raise RunLost(msg)
        with self._lock:
            number = next(self._numbers)
            self._worker.log_event(self._run, (self._task, self._token, number, kind, pickle.dumps(data)))
        return number

    def ask(self, kind: str, data: object = None) -> Any:
        """Send a message, and return the run's answer, which comes once all messages before are written. Raises
        `RunLost`."""
        key, here = (self._token, self.send(kind, data)), self._here
        ends_at = time.monotonic() + SILENCE_S
        with here.changed:
            while key not in here.answers:
                if here.is_lost or time.monotonic() > ends_at:
                    msg = "the run gave no answer"
                    raise RunLost(msg)
                here.changed.wait(LOOK_S)
            return pickle.loads(here.answers.pop(key))


_EXECUTION: Final[ContextVar[_Execution | None]] = ContextVar("_EXECUTION", default=None)
"""The execution in this thread."""


# Dask calls these functions: the first as a task, the others at the run's request.


def play_trial(run: str, task: str) -> None:
    """Play the trial of a task. Raises `RunLost` if this process does not work for the run."""
    from distributed import get_worker

    if (here := _runs.get(run)) is None:
        msg = "it no longer works for the run"
        raise RunLost(msg)
    _Execution(here, run, task, get_worker()).play()


def answer_here(run: str, token: str, number: int, value: bytes) -> None:
    """Hand the run's answer to the execution that waits for it."""
    if (here := _runs.get(run)) is not None:
        with here.changed:
            here.answers[token, number] = value
            here.changed.notify_all()


def obey_here(run: str, stop: bool, is_over: bool, used_up: str) -> None:
    """Follow the orders of a run: to leave running trials open after their step, that it is over, why it may not spend
    any more. None of them is ever taken back, so their order does not matter."""
    if (here := _runs.get(run)) is None:
        return
    here.is_over, here.heard_at = here.is_over or is_over, time.monotonic()
    if used_up:
        here.resources.budget.spending.close(used_up)
    if stop:
        here.controls.stop.set()
    with here.changed:
        here.changed.notify_all()


async def enlist_here(enlistment: Enlistment, keys: Mapping[str, str], dask_worker: DaskWorker) -> str:
    """Have this process work for a run; return why it cannot, or an empty string. Raises nothing, so that no log of a
    cluster shows the keys."""
    from asyncio import to_thread

    if enlistment.is_local:
        with contextlib.suppress(ValueError):  # Only the main thread may do so.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        # Leaves the worker's own loop free: opening a benchmark and the sandbox takes a second.
        await to_thread(_open_run, enlistment, keys, dask_worker.state.nthreads)
        await dask_worker.set_resources(**{enlistment.run: dask_worker.state.nthreads})
    except (ControlPlaneError, OSError) as error:
        return str(error)
    return ""


def _open_run(enlistment: Enlistment, keys: Mapping[str, str], threads: int) -> None:
    """Open everything that trials need. Raises `ControlPlaneError` and `OSError`."""
    settings, run = enlistment.spec.settings, enlistment.run
    if source_digest(settings.benchmark) != enlistment.code:
        msg = "it has another version of the program; install there what runs here"
        raise UsageError(msg)
    build_models()
    with ExitStack() as opened:
        os.environ.update(keys)
        opened.callback(lambda: [os.environ.pop(name, None) for name in keys])
        if missing := [name for name in enlistment.needs if not os.environ.get(name)]:
            msg = f"it has no key in {', '.join(missing)}; set it in the worker's environment, or give --send-keys"
            raise UsageError(msg)
        # The run's process counts what all workers spend, and says when a limit is reached.
        spending = Spending(SpendingLimits(trial_cost_usd=settings.trial_cost))
        budget = RunBudget(RetryBudget(settings.model_retries * threads), spending)
        tune_process()
        resources = opened.enter_context(RunResources(enlistment.spec, budget=budget))
        _check_versions(enlistment.versions, resources.versions())
        resources.launch_server()
        resources.check_walls()

        def send(kind: str, data: object) -> None:
            if (execution := _EXECUTION.get() or here.latest) is not None:
                execution.send(kind, data)

        def pause(error: Exception) -> None:
            send("failure", portable_error(error))

        here = _RunHere(resources, RunControls(stop=resources.context.stop, pause=pause))
        resources.on_notice = lambda text: send("event", RunNotice(text=text))
        _runs[run] = here
        held = opened.pop_all()
    threading.Thread(target=_keep_open, args=(run, here, held), name="run", daemon=True).start()


def _keep_open(run: str, here: _RunHere, held: ExitStack) -> None:
    """Close what a run has opened once it is over or lost."""
    while not here.is_lost:
        with here.changed:
            here.changed.wait(LOOK_S)
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
