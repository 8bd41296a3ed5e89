"""Fork servers that all runs, replays and judgements in the process of the tests share: none imports anything again.

Each user gets a copy of its own, which makes its own children and ends when it is closed.
"""

import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from unittest import mock

from agent.findings import FINDING_MODULE
from agent.submission import judging_modules
from benchmarks.ecom.runtime import shop_environment
from benchmarks.files import files_benchmark
from benchmarks.folder import folder_benchmark
from sandbox import ForkServer
from tests.support.import_graph import PACKAGES

USERS = (
    "controlplane.lifecycle.run_resources.ForkServer",
    "controlplane.replay.verification.ForkServer",
    "controlplane.replay.judged_submissions.ForkServer",
    "benchmarks.folder.task_file.ForkServer",
)
LASTING = frozenset((*PACKAGES, *sys.stdlib_module_names, "yaml"))
"""Where a module is the same for every test; one that a test wrote is imported by a server of its own."""
EVERY_RUN = (
    *judging_modules(("ecom",)),
    FINDING_MODULE,
    *shop_environment.AIDE_MODULES,
    *files_benchmark.AIDE_MODULES,
    *folder_benchmark.AIDE_MODULES,
)
"""What one server imports for all runs, replays and judgements, though each needs a part of it."""
assert LASTING.issuperset(each.partition(".")[0] for each in EVERY_RUN), "all runs start servers"
MOST_COPIES = 200
"""Of one server, which keeps an entry of every copy that has ended until it ends itself."""


class _CopiedServer:
    """A server that is replaced after so many copies, and closed when its successor is: no copy of it is left then."""

    def __init__(self, modules: tuple[str, ...]) -> None:
        self._servers = [ForkServer(modules)]
        self._copies = 0

    def copied(self) -> ForkServer:
        if self._copies == MOST_COPIES:
            self._servers.append(ForkServer(self._servers[-1].aide_modules))
            self._copies = 0
            if len(self._servers) > 2:
                self._servers.pop(0).close()
        self._copies += 1
        return self._servers[-1].copied()

    def close(self) -> None:
        for server in self._servers:
            server.close()


@contextmanager
def shared_fork_servers(users: Iterable[str] = USERS) -> Iterator[None]:
    """Have these users get a copy of a server that runs, and end all servers with the block."""
    running: dict[tuple[str, ...], _CopiedServer] = {}
    lock = threading.Lock()

    def fork_server(aide_modules: Iterable[str] = ()) -> ForkServer:
        modules = tuple(aide_modules)
        if not LASTING.issuperset(module.partition(".")[0] for module in modules):
            return ForkServer(modules)
        if {*judging_modules(())} <= {*modules} <= {*EVERY_RUN}:
            modules = EVERY_RUN
        with lock:
            if modules not in running:
                running[modules] = _CopiedServer(modules)
            return running[modules].copied()

    with ExitStack() as held:
        for user in users:
            held.enter_context(mock.patch(user, fork_server))
        held.callback(lambda: [each.close() for each in running.values()])
        yield
