"""One process from which children are forked. It is started again if it died."""

from __future__ import annotations

import contextlib
import threading

from controlplane.sandbox.interface.messages.frames import FrameReader
from controlplane.sandbox.parent.child_process import (
    UNKNOWN_END,
    ChildEnd,
    ChildProcess,
    SandboxBroken,
)
from controlplane.sandbox.parent.servers.server_connection import ServerConnection
from controlplane.sandbox.parent.servers.server_program import ServerSetting


class ServerProcess:
    """Keeps one process from which the children of trials are forked. Usable from any thread.

    The process is started when it is first needed, and started again if it died. `launch` does
    not wait until it is ready, `start` does, and `spawn` also asks it for a child.
    """

    def __init__(self, setting: ServerSetting) -> None:
        self._setting = setting
        """What the process imports, and whether the kernel confines its children."""
        self._lock = threading.Lock()
        """Protects the attributes below. Methods whose names begin with `_` need it."""
        self._connection: ServerConnection | None = None
        """The connection to the process; None if none runs."""
        self._generation = 0
        """How often the process was started. Each child has the number of its process. If it is
        lower than this one, the child's process is gone, and the child with it."""

    def launch(self) -> None:
        """Start the process if it does not run, without waiting until it is ready.

        If that fails, the next `start` or `spawn` raises the error.
        """
        with self._lock, contextlib.suppress(SandboxBroken):
            self._running()

    def start(self) -> dict[str, str]:
        """Start the process if it does not run, and wait until it is ready.

        Returns which parts of the isolation by the kernel work here, by name: "" for one
        that works, else the reason why not. Raises `SandboxBroken`.
        """
        with self._lock:
            return dict(self._ready().wait_until_ready())

    def spawn(self) -> ChildProcess:
        """Return a new child, forked by the process.

        If the process has died, another one is started. Raises `SandboxBroken` if that
        one cannot be started, or dies, too.
        """
        with self._lock:
            # 1. Ask the process that runs, if there is one.
            try:
                return self._new_child()
            except OSError:
                self._stop()  # It died since the last request.

            # 2. Ask a new process.
            try:
                return self._new_child()
            except OSError as error:
                self._stop()
                msg = f"the fork server died twice in a row: {error}"
                raise SandboxBroken(msg) from error

    def end(self, child: ChildProcess) -> ChildEnd:
        """Kill a child if it is alive, and return its exit code and CPU time (`ChildEnd`).

        If the process that forked it is gone, nobody knows these: `UNKNOWN_END`.
        """
        with self._lock:
            if self._connection is None or child.generation != self._generation:
                # The kernel kills a child when the process that forked it ends.
                return UNKNOWN_END
            try:
                return self._connection.end_child(child.pid)
            except OSError:
                self._stop()
                return UNKNOWN_END

    def close(self) -> None:
        """End the process, and its children with it."""
        with self._lock:
            self._stop()

    def _new_child(self) -> ChildProcess:
        """Return a new child. Raises `OSError` if the process is gone, and `SandboxBroken`."""
        child = self._ready().new_child()
        return ChildProcess(
            child.pid,
            child.connection,
            FrameReader(child.connection),
            self,
            self._generation,
        )

    def _ready(self) -> ServerConnection:
        """Return the connection once the process takes requests. Raises `SandboxBroken`."""
        connection = self._running()
        try:
            connection.wait_until_ready()
        except SandboxBroken:
            self._stop()
            raise
        return connection

    def _running(self) -> ServerConnection:
        """Return the connection to the process, which is started if it does not run.

        The process may not be ready yet. Raises `SandboxBroken`.
        """
        if self._connection is None:
            self._connection = ServerConnection(self._setting)
            self._generation += 1
        return self._connection

    def _stop(self) -> None:
        """End the process, if it runs."""
        if self._connection is not None:
            self._connection.stop()
            self._connection = None
