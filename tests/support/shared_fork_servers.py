"""Fork servers that runs, replays and judgements of the tests share.

A fork server imports the modules of the product once, which takes long, and forks a child for
each trial. The product starts one for each run. Here the first run starts it, and all later ones
in the process of the tests get the same one.
"""

import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from unittest import mock

from controlplane.benchmarks.ecom import shop_environment
from controlplane.benchmarks.files import files_benchmark
from controlplane.benchmarks.folder import folder_benchmark
from controlplane.benchmarks.shop.declarations import FUNCTION_MODULES
from controlplane.sandbox import ForkServer
from tests.support.product_files import PACKAGES

CLASS_NAMES_OF_USERS = (
    "controlplane.lifecycle.resources.run_sandbox.ForkServer",
    "controlplane.replay.verification.ForkServer",
    "controlplane.replay.judged_submissions.ForkServer",
)
"""Where the product looks up the class `ForkServer`; these names are patched."""

SHAREABLE_PACKAGES = frozenset((*PACKAGES, *sys.stdlib_module_names, "yaml"))
"""The packages whose modules are the same for every test.

A module that a test wrote may differ from another test's module of the same name, so that a
server of its own imports it.
"""

EVERY_RUN = (
    *shop_environment.WORKER_MODULES,
    *files_benchmark.WORKER_MODULES,
    *folder_benchmark.WORKER_MODULES,
)
"""What the common server imports for all runs, replays and judgements; each needs a part of it."""


def _may_be_shared(module_names: Iterable[str]) -> bool:
    """Return True if these modules are the same for every test."""
    packages = {name.partition(".")[0] for name in module_names}
    return packages <= SHAREABLE_PACKAGES


assert _may_be_shared(EVERY_RUN), "all runs would start servers of their own"


def _fits_common_server(worker_modules: Iterable[str]) -> bool:
    """Return True if the server that imports `EVERY_RUN` has all these modules."""
    return set(worker_modules) <= set(EVERY_RUN)


def _with_every_function(function_modules: Iterable[str]) -> tuple[str, ...]:
    """Return the modules of all the shop's functions, and behind them those not among them."""
    modules = list(FUNCTION_MODULES)
    for module in function_modules:
        if module not in FUNCTION_MODULES:
            modules.append(module)
    return tuple(modules)


class _LastingServer(ForkServer):
    """A server that keeps running when a run that uses it closes it."""

    def close(self) -> None:
        """Do nothing: the next run uses this server, too."""

    def end(self) -> None:
        """End the server, as `close` of a `ForkServer` does."""
        super().close()


@contextmanager
def shared_fork_servers(
    class_names: Iterable[str] = CLASS_NAMES_OF_USERS,
) -> Iterator[None]:
    """Let all who start a `ForkServer` by these names share servers within the block.

    `class_names` are places such as "controlplane.replay.verification.ForkServer". A server is
    started when the first user needs it, and ends with the block.
    """
    servers: dict[tuple[tuple[str, ...], tuple[str, ...]], _LastingServer] = {}
    lock = threading.Lock()

    def fork_server(
        worker_modules: Iterable[str] = (), function_modules: Iterable[str] = ()
    ) -> ForkServer:
        workers = tuple(worker_modules)
        functions = tuple(function_modules)
        if not _may_be_shared((*workers, *functions)):
            return ForkServer(workers, functions)

        # Runs need different parts of `EVERY_RUN`. If each gets all of it, one server is enough.
        if _fits_common_server(workers):
            workers = EVERY_RUN
            functions = _with_every_function(functions)
        with lock:
            if (workers, functions) not in servers:
                servers[workers, functions] = _LastingServer(workers, functions)
            return servers[workers, functions]

    with ExitStack() as patches_and_servers:
        for class_name in class_names:
            patches_and_servers.enter_context(mock.patch(class_name, fork_server))
        try:
            yield
        finally:
            for server in servers.values():
                server.end()
