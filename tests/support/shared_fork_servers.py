"""Fork servers that all runs, replays and judgements in the
process of the tests share: none imports anything again."""

import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from unittest import mock

from controlplane.agent.submission import judging_modules
from controlplane.benchmarks.ecom import shop_environment
from controlplane.benchmarks.files import files_benchmark
from controlplane.benchmarks.folder import folder_benchmark
from controlplane.benchmarks.shop.declarations import FUNCTION_MODULES
from controlplane.sandbox import ForkServer
from tests.support.product_files import PACKAGES

USERS = (
    "controlplane.lifecycle.resources.run_sandbox.ForkServer",
    "controlplane.replay.verification.ForkServer",
    "controlplane.replay.judged_submissions.ForkServer",
)
LASTING = frozenset((*PACKAGES, *sys.stdlib_module_names, "yaml"))
"""Where a module is the same for every test;
one that a test wrote is imported by a server of its own."""
EVERY_RUN = (
    *judging_modules(("ecom",)),
    *shop_environment.WORKER_MODULES,
    *files_benchmark.WORKER_MODULES,
    *folder_benchmark.WORKER_MODULES,
)
"""What one server imports for all runs, replays and judgements, though each needs a part of it."""
EVERY_FUNCTION = FUNCTION_MODULES
assert LASTING.issuperset(name.partition(".")[0] for name in EVERY_RUN), (
    "all runs start servers"
)


class _LastingServer(ForkServer):
    """A server that stays when a user closes it."""

    def close(self) -> None:
        """Leave it to the next user."""

    def end(self) -> None:
        super().close()


@contextmanager
def shared_fork_servers(users: Iterable[str] = USERS) -> Iterator[None]:
    """Have these users get a server that runs, and end all servers with the block."""
    running: dict[tuple[tuple[str, ...], ...], _LastingServer] = {}
    lock = threading.Lock()

    def fork_server(
        worker_modules: Iterable[str] = (), function_modules: Iterable[str] = ()
    ) -> ForkServer:
        modules, functions = tuple(worker_modules), tuple(function_modules)
        if not LASTING.issuperset(
            module.partition(".")[0] for module in (*modules, *functions)
        ):
            return ForkServer(modules, functions)
        if {*judging_modules(())} <= {*modules} <= {*EVERY_RUN}:
            modules, functions = (
                EVERY_RUN,
                (
                    *EVERY_FUNCTION,
                    *(
                        function
                        for function in functions
                        if function not in EVERY_FUNCTION
                    ),
                ),
            )
        with lock:
            if (modules, functions) not in running:
                running[modules, functions] = _LastingServer(modules, functions)
            return running[modules, functions]

    with ExitStack() as held:
        for user in users:
            held.enter_context(mock.patch(user, fork_server))
        held.callback(lambda: [server.end() for server in running.values()])
        yield
