"""The ASGI application of the server: it passes each request to the endpoint of its method.

The library `connectrpc` reads requests and writes replies, as JSON or binary protobuf.
An error affects only the request that caused it. The size of a request body, and the
time to receive it, are limited.
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
    """The library's application, with the endpoints of all services.

    The library requires a `path` of each application.
    """

    path = "/"


class WireApp:
    """The ASGI application that serves one benchmark. Created once, before the server starts."""

    def __init__(self, benchmark: Benchmark, options: ServerOptions) -> None:
        self._options = options
        self._workers = (
            ForkServer(options.worker_modules) if options.worker_modules else None
        )
        harness = HarnessService(benchmark, options, self._workers)
        self.runs = harness.runs
        self._run_limits = harness.limits
        runtime = RuntimeService(harness.runs, harness.limits)
        call_limits = CallLimits()
        self._harness = HarnessEndpoints(harness, call_limits)
        self._runtime = RuntimeEndpoints(runtime, harness.runs, call_limits)
        endpoints_by_path = {**self._harness.by_path(), **self._runtime.by_path()}
        self._connect = ConnectApp(
            service=None,
            endpoints=lambda _: endpoints_by_path,
            read_max_bytes=options.body_bytes,
            codecs=(JsonCodec(), ProtobufCodec()),
        )
        self._ending: asyncio.Task[None] | None = None

    def warm_up(self) -> None:
        """Start the process from which trials' processes are forked, and wait for its imports.

        Then the first trial does not wait for them. Raises `BenchmarkError`.
        """
        if self._workers is None:
            return
        try:
            first_process = self._workers.spawn(for_workers=True)
            first_process.end()
        except SandboxBroken as error:
            raise BenchmarkError(error_codes.UNAVAILABLE, str(error)) from None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        own_host = f"{self._options.host}:{self._options.port}"
        target = target_of(scope, own_host)
        CURRENT_TARGET.set(target)

        # Do not compress replies: most are short, so compression costs more than it saves.
        headers = []
        for name, value in scope["headers"]:
            if name != b"accept-encoding" and value.isascii():
                headers.append((name, value))
        request = {**scope, "root_path": target.path_prefix, "headers": headers}

        body = TimelyBody(receive)  # It refuses a body that takes too long to arrive.
        await self._connect(request, body.receive, send)

    async def end_idle_runs(self) -> None:
        """Start a task that ends the runs without recent calls, unless one is in progress."""
        if self._ending is None or self._ending.done():
            self._ending = asyncio.create_task(self._end_idle_runs())

    async def _end_idle_runs(self) -> None:
        try:
            await asyncio.get_running_loop().run_in_executor(
                self._harness.threads,
                self._run_limits.end_idle,
                self._options.idle_s,
            )
        except Exception:  # noqa: BLE001 - the server must survive any failure of the benchmark
            _log.exception("idle runs could not be ended; the server tries again")

    def close(self) -> None:
        """Release the threads, and the processes of trials."""
        self._harness.close()
        self._runtime.close()
        self.runs.close()
        if self._workers is not None:
            self._workers.close()
