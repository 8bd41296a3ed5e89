"""`--workers`, and the workers of a Dask cluster: processes that share nothing with the run.

Dask starts the processes and lists them. Each enlists once for a run (`enlist`) and connects to it; from then on it
works like a forked worker, and Dask sees neither trials nor events. A peer that does not show a worker's token in time
gets no answer, and only a token is read from it.
"""

from __future__ import annotations

import contextlib
import importlib
import ipaddress
import logging
import math
import os
import resource
import secrets
import signal
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from pydantic import Field

from agent.retry import RunBudget, Spending, SpendingLimits
from controlplane.configuration.named_modules import secrets_of, source_digest
from controlplane.configuration.run_settings import LOCAL_CLUSTER, VARIABLE, RunSettings
from controlplane.configuration.trial_settings import run_budget
from controlplane.errors import ControlPlaneError, Unreachable, UsageError
from controlplane.journal.journal_file import with_home
from controlplane.journal.run_events import RunNotice, Versions
from controlplane.lifecycle.run_lifecycle import OpenWorkers, Record, Workers
from controlplane.lifecycle.run_resources import PLAYERS, RunResources, RunSpec
from controlplane.lifecycle.trial_lifecycle import RunControls
from controlplane.workers.channel import SILENCE_S, Connection, Message, Orders, end, parsed, to_line
from controlplane.workers.dispatcher import Dispatcher, RunWorker
from controlplane.workers.worker import SharedRetries, Worker

if TYPE_CHECKING:
    from distributed import Client
    from distributed import Worker as DaskWorker

CONNECT_S: Final = 20
ANSWER_S: Final = 30.0
"""Seconds that the run waits for workers to enlist before it begins; slower workers join later."""
LOOK_S: Final = 1.0
"""Seconds between two looks at the list of workers."""
UNSTAFFED_S: Final = 60.0
"""Seconds without a worker after which the run is paused."""
LEAVE_S: Final = 3.0
"""Seconds that workers have for leaving once the run is over."""
MOST_LOSSES: Final = 4
"""Workers that one trial may lose before it is left open."""
GREETING_S: Final = 10.0
"""Seconds that a connection has for its whole greeting: TLS and the token."""
MOST_GREETINGS: Final = 200
"""Most connections without a token; the oldest makes room for a new one."""
TOKEN_BYTES: Final = 64


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
    try:
        for package in ("distributed", "cryptography") if is_local else ("distributed",):
            importlib.import_module(package)
    except ModuleNotFoundError as error:
        msg = f"--workers {settings.workers} needs the package {error.name!r}: pip install {error.name}"
        raise UsageError(msg) from error
    return _open_cluster


def _open_cluster(resources: RunResources, emit: Record, controls: RunControls) -> Workers:
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
        client = Client(timeout=CONNECT_S, set_as_default=False, **given)
    except (OSError, ValueError, TypeError, RuntimeError) as error:
        text = str(error).partition("\n")[0]
        msg = f"the scheduler at {address} cannot be reached ({text}); start it, or name another with --workers"
        raise Unreachable(msg) from error
    try:
        return DaskWorkers(client, resources, emit, controls).dispatcher
    except BaseException:
        with _may_go_away():
            client.close(timeout=5)
        raise


class DaskWorkers:
    """Enlists the workers of a cluster for a run: asks each new worker, and refuses unfit ones."""

    def __init__(self, client: Client, resources: RunResources, emit: Record, controls: RunControls) -> None:
        """Enlist the present workers. Raises `UsageError` and `Unreachable`, also if all of them are refused."""
        from distributed.utils import get_ip

        settings, identity = resources.spec.settings, resources.opened.resume_identity
        self._client, self._controls = client, controls
        self._address = str(client.scheduler_info(n_workers=0)["address"])
        self._changed = threading.Condition()
        self._asked: set[str] = set()
        """Workers that have not answered yet."""
        self._refused: dict[str, str] = {}
        """The reasons for refusals, by worker."""
        self._notices: list[str] = []
        """Notices not passed on yet: before the first trial there is no journal."""
        self._stays: list[object] = []
        """The task of each worker that works for the run."""
        self._staffed_at = 0.0
        """When a worker was last present; 0 if none ever was."""
        self._is_closed = threading.Event()
        host, _, port = settings.channel.partition(":")
        if not host:  # the address of this machine by which it reaches the scheduler
            host = "127.0.0.1" if _is_loopback(self._address) else str(get_ip(_host_of(self._address)))
        context = None
        if self._address.startswith("tls://"):
            context = client.security.get_listen_args("client")["ssl_context"]
        elif not _is_loopback(host):
            msg = f"the journal's channel at {host} needs TLS, so the cluster has to use it: dask:tls://HOST:PORT"
            raise UsageError(msg)
        script = settings.model.removeprefix("scripted:")  # Other machines do not have the file.
        text = Path(with_home(script)).read_text(encoding="utf-8") if script != settings.model else None
        needs = _variables_of_keys(settings)
        keys = {name: os.environ[name] for name in needs if settings.send_keys}
        if identity is not None:
            settings = settings.model_copy(update={"benchmark": identity.spec, "set": dict(identity.settings)})
        self.dispatcher: Final = Dispatcher(resources, emit, controls, most_losses=MOST_LOSSES, on_close=self._close)
        self._listener = ChannelListener((host, int(port or 0)), context, keys, self.dispatcher.attend)
        self._enlistment = Enlistment(
            run=secrets.token_hex(8),
            url=self._listener.url,
            token="",
            spec=RunSpec(settings, packs=resources.packs, script=text, prompts=resources.prompts),
            versions=resources.versions(),
            code=source_digest(settings.benchmark),
            needs=needs,
        )
        self._look()
        with self._changed:
            self._changed.wait_for(lambda: not self._asked, ANSWER_S)
        if self._refused and not self._staffed_at:
            self.dispatcher.close()
            raise Unreachable(self._shortage)
        self._staffed_at = time.monotonic()
        threading.Thread(target=self._watch, name="cluster", daemon=True).start()

    def _watch(self) -> None:
        """Enlist new workers, pause a run without workers or scheduler, and show workers that the run is alive."""
        while not self._is_closed.wait(LOOK_S):
            self._look()
            while self._notices and self.dispatcher.is_begun:
                self.dispatcher.write(RunNotice(text=self._notices.pop(0)))
            if self._client.status != "running":
                self._controls.pause(Unreachable(f"the scheduler of the cluster at {self._address} was lost"))
            elif time.monotonic() - self._staffed_at > UNSTAFFED_S:
                self._controls.pause(Unreachable(self._shortage))
            self.dispatcher.tell_all()

    def _look(self) -> None:
        """Ask new workers, each in its own thread, so that a hanging worker delays nothing."""
        there: Mapping[str, Any] = {}
        with _may_go_away():
            there = self._client.scheduler_info(n_workers=-1)["workers"]
        here = self.dispatcher.places
        if here:
            self._staffed_at = time.monotonic()
        with self._changed:
            self._refused = {place: why for place, why in self._refused.items() if place in there}
            new = there.keys() - self._asked - self._refused.keys() - set(here)
            self._asked |= new
        for place in new:
            given = (place, int(there[place]["nthreads"]))
            threading.Thread(target=self._ask, args=given, name="enlist", daemon=True).start()

    def _ask(self, place: str, room: int) -> None:
        refusal = None
        with _may_go_away():
            refusal = self._enlist(place, self._listener.token_for(place, room))
        with self._changed:
            self._asked.discard(place)
            if refusal:
                self._refused[place] = refusal
                self._notices.append(f"the worker {place} is refused: {refusal}")
            elif refusal is not None:
                self._staffed_at = time.monotonic()
            self._changed.notify_all()

    def _enlist(self, place: str, token: str) -> str | None:
        """Enlist a worker; return an empty string, why it is refused, or None if it is gone."""
        if not (place.startswith("tls://") or _is_loopback(place)):
            return "its address has no TLS and is not on this machine's loopback; give the cluster certificates"
        text = to_line(self._enlistment.model_copy(update={"token": token})).decode()
        is_ours = self._client.cluster is not None
        said = self._client.run(_enlist_here, text, is_ours, workers=[place], on_error="return").get(place)
        if said == "":
            run = self._enlistment.run
            self._stays.append(self._client.submit(stay, run, workers=[place], pure=False, retries=0))
        if isinstance(said, ImportError | AttributeError):
            return f"the control plane is not installed there, or has another version ({said})"
        return None if said is None or isinstance(said, OSError) else str(said)

    @property
    def _shortage(self) -> str:
        why = "; ".join(sorted(set(self._refused.values()))[:3])
        return f"the cluster has no worker that takes trials{': ' + why if why else '; start some'}"

    def _close(self) -> None:
        self._is_closed.set()
        self._listener.close()
        self.dispatcher.wait_for_leaving(LEAVE_S)
        with _may_go_away():
            self._client.close(timeout=10)


@contextmanager
def _may_go_away() -> Iterator[None]:
    """Suppress Dask's errors when a scheduler or a worker goes away."""
    from asyncio import CancelledError

    with contextlib.suppress(OSError, RuntimeError, TypeError, AttributeError, LookupError, CancelledError):
        yield


def _variables_of_keys(settings: RunSettings) -> tuple[str, ...]:
    """Return the environment variables that hold the run's keys here: the benchmark's, and keys and secret headers of
    the models. Raises `UsageError`."""
    names = list(secrets_of(settings.benchmark))
    for profile in (settings, *settings.role.values()):
        if profile.model not in PLAYERS and not profile.model.startswith("scripted:"):
            variables = (VARIABLE.fullmatch(value) for value in profile.model_headers.values())
            names += [profile.api_key_env, *(variable[1] for variable in variables if variable)]
    return tuple(name for name in dict.fromkeys(names) if name in os.environ)


def _host_of(address: str) -> str:
    return urlsplit(address if "://" in address else f"tcp://{address}").hostname or ""


def _is_loopback(address: str) -> bool:
    """Say whether an address is one of this machine's loopback; a name is if all its addresses are."""
    try:
        found = [str(info[4][0]) for info in socket.getaddrinfo(_host_of(address), None)]
    except OSError:
        return False
    return bool(found) and all(ipaddress.ip_address(ip.partition("%")[0]).is_loopback for ip in found)


class ChannelListener:
    """Accepts the connections of one run's workers, and attends each in its own thread."""

    def __init__(
        self,
        address: tuple[str, int],
        context: ssl.SSLContext | None,
        keys: Mapping[str, str],
        attend: Callable[[RunWorker], None],
    ) -> None:
        """Listen at a host and a port, 0 for any free one, and send workers `keys`. Raises `Unreachable`."""
        self._keys, self._attend = dict(keys), attend
        self._expected: dict[bytes, tuple[str, int]] = {}
        """Address and room of each worker, by its token."""
        self._greetings: dict[socket.socket, float] = {}
        """The start of each connection without a token, oldest first."""
        host, port = address
        try:
            listener = socket.create_server(address, backlog=512)
        except OSError as error:
            msg = f"no worker can reach this process at {host}:{port} ({error.strerror or error}); see --channel"
            raise Unreachable(msg) from error
        if context is not None:
            listener = context.wrap_socket(listener, server_side=True, do_handshake_on_connect=False)
        listener.settimeout(1.0)
        self._listener = listener
        self.url: Final = f"{'tls' if context else 'tcp'}://{host}:{listener.getsockname()[1]}"
        self._is_closed = False
        threading.Thread(target=self._accept, name="channel", daemon=True).start()

    def token_for(self, place: str, room: int) -> str:
        """Return a token for the worker at `place`, which takes `room` trials at a time."""
        token = secrets.token_hex(TOKEN_BYTES // 2)
        self._expected[token.encode()] = place, room
        return token

    def _accept(self) -> None:
        while not self._is_closed:
            came: list[socket.socket] = []
            try:
                came.append(self._listener.accept()[0])
            except TimeoutError:
                pass
            except OSError:  # The peer is gone, or too many files are open.
                time.sleep(0.1)
            for other, began in list(self._greetings.items()):
                if time.monotonic() - began > GREETING_S or len(self._greetings) + len(came) > MOST_GREETINGS:
                    self._end_greeting(other)
            for connection in came:
                self._greetings[connection] = time.monotonic()
                threading.Thread(target=self._greet, args=(connection,), name="worker", daemon=True).start()
        for other in list(self._greetings):
            self._end_greeting(other)

    def _greet(self, plain: socket.socket) -> None:
        try:
            plain.settimeout(GREETING_S)
            if isinstance(plain, ssl.SSLSocket):
                plain.do_handshake()
            connection = Connection(plain, silence_s=SILENCE_S)
            place, room = self._expected.pop(connection.exactly(TOKEN_BYTES))
            connection.send(Orders(keys=self._keys))
        except (OSError, KeyError):
            self._end_greeting(plain)
        else:
            if self._greetings.pop(plain, None) is not None:
                self._attend(RunWorker(connection, room, place))

    def _end_greeting(self, connection: socket.socket) -> None:
        if self._greetings.pop(connection, None) is not None:
            end(connection)

    def close(self) -> None:
        self._is_closed = True
        end(self._listener)


class Enlistment(Message):
    """The description of a run for a worker. Never passed as a task of the cluster, which keeps and shows its tasks."""

    run: str
    """The run's name at its workers, new for each process that conducts the run."""
    url: str
    """The address at which the run listens: tcp://HOST:PORT or tls://HOST:PORT."""
    token: str = Field(repr=False)
    """Proves that a connection is this worker's. Never shown or logged."""
    spec: RunSpec
    versions: Versions
    """Versions in the run's own process; workers with other versions are refused."""
    code: str
    """Hash of the source of the run's own process."""
    needs: tuple[str, ...] = ()
    """Environment variables of the run's keys; a worker that lacks one is refused."""


# The rest of this module runs in the worker's process.


async def _enlist_here(text: str, ignores_interrupt: bool, dask_worker: DaskWorker) -> str:
    from asyncio import to_thread

    if ignores_interrupt:  # Ctrl-C in the terminal reaches this process too; only the run acts on it.
        with contextlib.suppress(ValueError):  # Only the main thread may do so.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
    context = dask_worker.security.get_connection_args("worker")["ssl_context"]
    # Leaves the worker's own loop free: opening a benchmark and the sandbox takes a second.
    return await to_thread(enlist, text, context)


_ends: Final[dict[str, threading.Event]] = {}
"""By run, an event that is set once this process no longer works for the run."""
_lock: Final = threading.Lock()


def enlist(text: str, context: ssl.SSLContext | None = None) -> str:
    """Have this process work for the run of the `Enlistment` in `text`; return why it cannot, or an empty string.

    Never raises, so that no log of a cluster shows `text`.
    """
    try:
        enlistment = Enlistment.model_validate(parsed(text))
        with _lock:
            if enlistment.run not in _ends:
                _work_for(enlistment, context)
    except (ControlPlaneError, OSError) as error:
        return str(error)
    except ValueError:
        return "it has another version of the control plane, which does not understand the run"
    return ""


def stay(run: str) -> None:
    """Wait until this process no longer works for the run: a task that shows the cluster a busy worker."""
    if (gone := _ends.get(run)) is not None:
        gone.wait()


def _work_for(enlistment: Enlistment, context: ssl.SSLContext | None) -> None:
    """Connect, open everything, and start a thread that works for the run. Raises `ControlPlaneError`, `OSError`."""
    settings, run, gone = enlistment.spec.settings, enlistment.run, threading.Event()
    if source_digest(settings.benchmark) != enlistment.code:
        msg = "it has another version of the program; install there what runs here"
        raise UsageError(msg)
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))

    def leave() -> None:
        if _ends.get(run) is gone:
            del _ends[run]
        gone.set()

    def forget_keys() -> None:
        for name in keys if run not in _ends else ():  # The process may have enlisted again meanwhile.
            os.environ.pop(name, None)

    with ExitStack() as opened:
        connection, keys = _connected(enlistment, context)
        opened.callback(connection.close)
        opened.callback(forget_keys)
        os.environ.update(keys)
        if missing := [name for name in enlistment.needs if not os.environ.get(name)]:
            msg = f"it has no key in {', '.join(missing)}; set it in the worker's environment, or give --send-keys"
            raise UsageError(msg)
        worker = Worker(connection, on_lost=leave)
        # The run's process counts what all workers spend, and says when a limit is reached.
        spending = Spending(SpendingLimits(trial_cost_usd=settings.trial_cost))
        retries = SharedRetries(worker, run_budget(settings).retries.bound)
        resources = opened.enter_context(RunResources(enlistment.spec, budget=RunBudget(retries, spending)))
        _check_versions(enlistment.versions, resources.versions())
        resources.launch_server()
        resources.check_walls()
        _ends[run] = gone
        held = opened.pop_all()

    def work() -> None:
        with held:
            worker.serve(resources)
            leave()

    threading.Thread(target=work, name="run", daemon=True).start()


def _connected(enlistment: Enlistment, context: ssl.SSLContext | None) -> tuple[Connection, Mapping[str, str]]:
    address = urlsplit(enlistment.url)
    try:
        connection = socket.create_connection((address.hostname, address.port), timeout=CONNECT_S)
    except OSError as error:
        msg = f"it cannot reach the run at {enlistment.url} ({error}); name an address that it can reach with --channel"
        raise UsageError(msg) from error
    try:
        if address.scheme == "tls":
            connection = (context or ssl.create_default_context()).wrap_socket(connection)
        connection.sendall(enlistment.token.encode())
        channel = Connection(connection, silence_s=2 * SILENCE_S)  # The run may be waiting for a silent worker.
        return channel, channel.receive(Orders)[0].keys
    except OSError as error:
        end(connection)
        msg = f"the run at {enlistment.url} refuses it ({error}): its certificate or its token is not the run's"
        raise UsageError(msg) from error


def _check_versions(run: Versions, here: Versions) -> None:
    """Raise `UsageError` if this process has other worlds or another Python than the run."""
    if here.world != run.world:
        msg = f"its worlds have version {here.world!r}, the run's have version {run.world!r}"
        raise UsageError(msg)
    minor, minor_of_run = (versions.python.rpartition(".")[0] for versions in (here, run))
    if minor != minor_of_run:
        msg = f"it has Python {minor}, and the run has Python {minor_of_run}"
        raise UsageError(msg)
