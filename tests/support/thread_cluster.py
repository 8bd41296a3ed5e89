"""A cluster of one worker on threads of this process: its channel, its events and its retries are the real ones."""

import contextlib
import socket
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial

from controlplane.cluster.channel_server import ChannelServer
from controlplane.cluster.cluster_workers import ClusterWorkers
from controlplane.cluster.enlisted_worker import enlist
from controlplane.cluster.shipped_data import Enlistment
from controlplane.cluster.workers_setting import key_names
from controlplane.configuration.installed_versions import source_digest
from controlplane.journal.run_events import JournalEvent
from controlplane.lifecycle.fan_out import Workers
from controlplane.lifecycle.run_resources import RunResources
from controlplane.lifecycle.trial_lifecycle import Emit, RunControls


def end(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()


class Relay:
    """Passes bytes on to a port until it is cut."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._ends: list[socket.socket] = []
        self.connections = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            far = socket.create_connection(("127.0.0.1", self._to))
            self.connections += 1
            self._ends += [near, far]
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=self._pass, args=(one, other), daemon=True).start()

    def _pass(self, one: socket.socket, other: socket.socket) -> None:
        try:
            while data := one.recv(65536):
                other.sendall(data)
        except OSError:
            pass
        for each in (one, other):
            end(each)

    def cut(self) -> None:
        """End all connections."""
        for each in self._ends:
            end(each)
        self._ends.clear()

    def close(self) -> None:
        self._listener.close()
        self.cut()


class ThreadCluster:
    """The cluster, with what a test may do to it."""

    def __init__(self, *, keys: Mapping[str, str] | None = None, **changes: object) -> None:
        """`changes` are made to the enlistment."""
        self.failure = ""
        self.tasks = 0
        self.is_closed = False
        self.relay: Relay | None = None
        self.before: Callable[[JournalEvent], None] = lambda event: None
        """Called with every event before it is written."""
        self.after: Callable[[JournalEvent], None] = lambda event: None
        """Called with every event once it is written."""
        self._changes = changes
        self._keys = keys or {}
        self._pool = ThreadPoolExecutor(4)

    def workers(self) -> Mapping[str, int]:
        return {"here": 4}

    def enlist(self, place: str, text: str) -> str:
        return enlist(text)

    def submit(self, function: Callable[[str], str], text: str, places: Sequence[str]) -> Future[str]:
        self.tasks += 1
        return self._pool.submit(function, text)

    def close(self) -> None:
        self.is_closed = True
        self._pool.shutdown()
        if self.relay:
            self.relay.close()

    def open_workers(self, resources: RunResources, emit: Emit, controls: RunControls) -> Workers:
        def watched(event: JournalEvent) -> None:
            self.before(event)
            emit(event)
            self.after(event)

        workers = ClusterWorkers((resources, watched, controls), self, self._server)
        try:
            workers.begin(partial(self._enlistment, resources))
        except BaseException:
            workers.close()
            raise
        return workers

    def _server(self, desk: ClusterWorkers) -> ChannelServer:
        return ChannelServer("127.0.0.1", 0, context=None, keys=self._keys, desk=desk)

    def _enlistment(self, resources: RunResources, server: ChannelServer, run: str) -> Enlistment:
        self.relay = Relay(server.port)
        spec = resources.spec
        told = Enlistment(
            run=run,
            host="127.0.0.1",
            port=self.relay.port,
            token=server.token,
            is_encrypted=False,
            spec=replace(spec, packs=resources.packs),
            versions=resources.versions(),
            code=source_digest(spec.settings.benchmark),
            keys=key_names(spec.settings),
        )
        return told.model_copy(update=self._changes)
