"""Fork servers that runs, replays, judgements and diagnoses of the tests share.

A fork server imports the modules of the product once, which takes long, and forks a child for
each trial. The product starts one for each run. Here the first run starts it, and all later ones
in the process of the tests get the same one.
"""

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from unittest import mock

from controlplane.sandbox import ForkServer
from tests.support.forks.forked_process import (
    EVERY_RUN,
    may_be_shared,
    with_every_function,
)

CLASS_NAMES_OF_USERS = (
    "controlplane.commands.doctor.ForkServer",
    "controlplane.lifecycle.resources.run_sandbox.ForkServer",
    "controlplane.replay.verification.ForkServer",
    "controlplane.replay.judged_submissions.ForkServer",
)
"""Where the product looks up the class `ForkServer`; these names are patched."""


class _LastingServer(ForkServer):
    """A server that keeps running when a run that uses it closes it."""

    def close(self) -> None:
        """Do nothing: the next run uses this server, too."""

    def end(self) -> None:
        """End the server, as `close` of a `ForkServer` does."""
        super().close()


class _SharedServers:
    """Starts a server for the first user of some modules, and gives it to all later ones."""

    def __init__(self) -> None:
        self._servers: dict[
            tuple[tuple[str, ...], tuple[str, ...]], _LastingServer
        ] = {}
        self._lock = threading.Lock()

    def server_for(
        self, worker_modules: Iterable[str] = (), function_modules: Iterable[str] = ()
    ) -> ForkServer:
        """Return a server that has imported these modules, as the class `ForkServer` would."""
        workers = tuple(worker_modules)
        functions = tuple(function_modules)
        if not may_be_shared((*workers, *functions)):
            return ForkServer(workers, functions)

        # Runs need different parts of `EVERY_RUN`. If each gets all of it, one server is enough.
        if set(workers) <= set(EVERY_RUN):
            workers = EVERY_RUN
            functions = with_every_function(functions)
        with self._lock:
            if (workers, functions) not in self._servers:
                self._servers[workers, functions] = _LastingServer(workers, functions)
            return self._servers[workers, functions]

    def end(self) -> None:
        for server in self._servers.values():
            server.end()


@contextmanager
def lasting_fork_servers() -> Iterator[Callable[..., ForkServer]]:
    """Yield a function that is called like the class `ForkServer`.

    Whoever names the same modules gets the same server, which ends with the block.
    """
    servers = _SharedServers()
    try:
        yield servers.server_for
    finally:
        servers.end()


@contextmanager
def shared_fork_servers() -> Iterator[None]:
    """Let runs, replays, judgements and diagnoses share fork servers within the block.

    A server is started when the first user needs it, and ends with the block.
    """
    with lasting_fork_servers() as server_for, ExitStack() as patches:
        for class_name in CLASS_NAMES_OF_USERS:
            patches.enter_context(mock.patch(class_name, server_for))
        yield
