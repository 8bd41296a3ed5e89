"""The ASGI application of the server: it passes each request to the endpoint of its method.

It serves a benchmark to the clients of a platform (BitGN): agents start runs and trials,
and call the runtimes of their trials. The library `connectrpc` reads requests and writes
replies, as JSON or binary protobuf. An error affects only the request that caused it. The
size of a request body, and the time to receive it, are limited.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias

from connectrpc.server import ConnectASGIApplication

from controlplane.benchmark import Benchmark, BenchmarkError
from controlplane.benchmarks.bitgn.server.call_limits import CallLimits
from controlplane.benchmarks.bitgn.server.call_target import (
    CURRENT_TARGET,
    Scope,
    target_of,
)
from controlplane.benchmarks.bitgn.server.harness.harness_endpoints import (
    HarnessEndpoints,
)
from controlplane.benchmarks.bitgn.server.harness.harness_service import HarnessService
from controlplane.benchmarks.bitgn.server.runtime.runtime_endpoints import (
    RuntimeEndpoints,
)
from controlplane.benchmarks.bitgn.server.runtime.runtime_service import RuntimeService
from controlplane.benchmarks.bitgn.server.server_options import ServerOptions
from controlplane.benchmarks.bitgn.server.timely_body import Receive, TimelyBody
from controlplane.benchmarks.bitgn.server.wire_codecs import JsonCodec, ProtobufCodec
from controlplane.sandbox import ForkServer, SandboxBroken
from controlplane.sandbox.interface import error_codes

Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]

_log = logging.getLogger(__name__)


class ConnectApp(ConnectASGIApplication[None]):
    """The library's application, with the endpoints of all services."""

    path = "/"
    """Below which URL path the endpoints are. The library requires it."""


class WireApp:
    """The ASGI application that serves one benchmark. Created once, before the server starts."""

    def __init__(self, benchmark: Benchmark, options: ServerOptions) -> None:
        self._options = options
        self._fork_server: ForkServer | None = None
        """Starts the processes of trials; None if trials have none of their own."""
        if options.worker_modules:
            self._fork_server = ForkServer(options.worker_modules)

        # A service has the methods; its endpoints pass on the library's calls to it.
        harness_service = HarnessService(benchmark, options, self._fork_server)
        self.runs = harness_service.runs
        self._run_limits = harness_service.limits
        runtime_service = RuntimeService(self.runs, self._run_limits)
        call_limits = CallLimits()
        self._harness_endpoints = HarnessEndpoints(harness_service, call_limits)
        self._runtime_endpoints = RuntimeEndpoints(runtime_service, call_limits)
        endpoints_by_path = {
            **self._harness_endpoints.by_path(),
            **self._runtime_endpoints.by_path(),
        }
        self._connect = ConnectApp(
            service=None,
            endpoints=lambda _: endpoints_by_path,  # The argument is the service: None.
            read_max_bytes=options.body_bytes,
            codecs=(JsonCodec(), ProtobufCodec()),
        )
        self._ending_idle_runs: asyncio.Task[None] | None = None

    def warm_up(self) -> None:
        """Start the process from which trials' processes are forked, and wait for its imports.

        Then the first trial does not wait for them. Raises `BenchmarkError`.
        """
        if self._fork_server is None:
            return
        try:
            # The first fork waits for the imports. Its process is not needed.
            first_process = self._fork_server.spawn(for_workers=True)
            first_process.end()
        except SandboxBroken as error:
            raise BenchmarkError(error_codes.UNAVAILABLE, str(error)) from None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        own_host = f"{self._options.host}:{self._options.port}"
        target = target_of(scope, own_host)
        # The endpoints read it, because the library does not pass the URL on.
        CURRENT_TARGET.set(target)

        headers = []
        for name, value in scope["headers"]:
            # Do not compress replies: most are short, so compression costs more than it saves.
            if name == b"accept-encoding":
                continue
            # The library fails for a value that is not UTF-8. All that it needs is ASCII.
            if value.isascii():
                headers.append((name, value))
        request = {**scope, "root_path": target.path_prefix, "headers": headers}
        body = TimelyBody(receive)  # It refuses a body that takes too long to arrive.
        await self._connect(request, body.receive, send)

    async def end_idle_runs(self) -> None:
        """Begin to end the runs without recent calls. The server calls this every second.

        Their benchmark grades them, which may take longer than a second. Until that is
        done, further calls do nothing.
        """
        earlier_task = self._ending_idle_runs
        if earlier_task is None or earlier_task.done():
            self._ending_idle_runs = asyncio.create_task(self._grade_idle_runs())

    async def _grade_idle_runs(self) -> None:
        """End the runs without recent calls, in a thread. Errors are only logged."""
        loop = asyncio.get_running_loop()
        threads = self._harness_endpoints.threads
        end_idle = self._run_limits.end_idle
        try:
            await loop.run_in_executor(threads, end_idle, self._options.idle_s)
        except Exception:  # noqa: BLE001 - the server must survive any failure of the benchmark
            _log.exception("idle runs could not be ended; the server tries again")

    def close(self) -> None:
        """Release the threads, and the processes of trials."""
        self._harness_endpoints.close()
        self._runtime_endpoints.close()
        self.runs.close()
        if self._fork_server is not None:
            self._fork_server.close()
