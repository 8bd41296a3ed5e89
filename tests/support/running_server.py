"""A wire server that runs in a thread of this process."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from benchmarks.bitgn.server import ServerOptions
from benchmarks.bitgn.server.listening import App, listening, server_of
from benchmarks.bitgn.server.served_runs import ServedRuns
from controlplane import Benchmark


@dataclass(frozen=True, slots=True)
class RunningServer:
    """A server that accepts calls, and the runs that it serves."""

    url: str
    runs: ServedRuns


@contextmanager
def running_server(
    benchmark: Benchmark, options: ServerOptions, *, wrapped: Callable[[App], App] = lambda app: app
) -> Iterator[RunningServer]:
    """Serve for the length of the block. `wrapped` may put a layer in front of the application."""
    with listening(benchmark, options) as (listener, app, url):
        server = server_of(app, wrapped(app))
        thread = threading.Thread(target=server.run, args=([listener],), name="wire server", daemon=True)
        thread.start()
        try:
            yield RunningServer(url, app.runs)
        finally:
            server.should_exit = True
            thread.join()
