"""The ASGI application of the server: the Connect endpoints of all services.

The library `connectrpc` reads requests and writes replies, as JSON or binary protobuf.
This module finds the method for a call, runs it in a thread, and translates its errors
to Connect's. An error affects only the request that caused it. The size of a request
body, and the time to receive it, are limited.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from typing import Any, Final, NamedTuple, TypeAlias
from weakref import WeakValueDictionary

from connectrpc.code import Code
from connectrpc.errors import ConnectError
from connectrpc.method import IdempotencyLevel, MethodInfo, StreamType
from connectrpc.request import RequestContext
from connectrpc.server import ConnectASGIApplication, Endpoint
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.message_factory import GetMessageClass

from controlplane.benchmark import Benchmark, BenchmarkError
from controlplane.benchmarks.bitgn.proto import SERVICES
from controlplane.benchmarks.bitgn.remote_runtime import SERVICE
from controlplane.benchmarks.bitgn.server.call_work import Work, result_of
from controlplane.benchmarks.bitgn.server.harness_service import (
    ID_FIELDS,
    TRIAL_PREFIX,
    HarnessService,
)
from controlplane.benchmarks.bitgn.server.runtime_service import RuntimeService
from controlplane.benchmarks.bitgn.server.server_options import ServerOptions
from controlplane.benchmarks.bitgn.server.timely_body import Receive, TimelyBody
from controlplane.benchmarks.bitgn.server.wire_codecs import (
    JsonCodec,
    ProtobufCodec,
    Reply,
)
from controlplane.sandbox import ForkServer, SandboxBroken
from controlplane.sandbox.interface import CallError, Plain, error_codes

Scope: TypeAlias = MutableMapping[str, Any]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
CallEndpoint: TypeAlias = Any
"""An endpoint of the library, which does not export the type."""

HARNESS: Final = "bitgn.harness.HarnessService"
LIFECYCLE_THREADS: Final = 8
"""The most calls about runs and trials that are handled at the same time."""
RUNTIME_THREADS: Final = 16
"""The most calls to trials' runtimes at the same time. Each may keep a process busy."""
RUNTIME_THREADS_OF_RUN: Final = 8
"""The most calls to the runtimes of one run's trials, so that threads remain for other runs."""

_log = logging.getLogger(__name__)


class Target(NamedTuple):
    """What the URL of a call refers to."""

    address: str
    """The base URL that the client used for the server."""
    trial_id: str
    """The trial whose runtime is called; empty for calls about runs and trials."""


_target: ContextVar[Target] = ContextVar("target")
"""The target of the request that the current asyncio task handles.

`WireApp.__call__` sets it for the endpoints (the functions that handle the methods),
because the library does not pass them the URL.
"""


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
        self._harness = HarnessService(benchmark, options, self._workers)
        self.runs = self._harness.runs
        self._lifecycle_threads = ThreadPoolExecutor(
            LIFECYCLE_THREADS, "wire lifecycle"
        )
        self._runtime_threads = ThreadPoolExecutor(RUNTIME_THREADS, "wire runtime")
        self._semaphores: WeakValueDictionary[str, asyncio.Semaphore] = (
            WeakValueDictionary()
        )
        """The semaphores that limit the concurrent calls of a run or trial, by its id.

        A semaphore is removed when no call waits for it or holds it.
        """
        self._ending: asyncio.Task[None] | None = None
        endpoints = {**self._harness_endpoints(), **self._runtime_endpoints()}
        self._connect = ConnectApp(
            service=None,
            endpoints=lambda _: endpoints,
            read_max_bytes=options.body_bytes,
            codecs=(JsonCodec(), ProtobufCodec()),
        )

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

    async def end_idle_runs(self) -> None:
        """Start a task that ends the runs without recent calls, unless one is in progress."""
        if self._ending is None or self._ending.done():
            self._ending = asyncio.create_task(self._end_idle_runs())

    async def _end_idle_runs(self) -> None:
        try:
            await asyncio.get_running_loop().run_in_executor(
                self._lifecycle_threads, self.runs.end_idle, self._options.idle_s
            )
        except Exception:  # noqa: BLE001 - the server must survive any failure of the benchmark
            _log.exception("idle runs could not be ended; the server tries again")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        # The path of a call to a trial's runtime is `/trials/ID/SERVICE/METHOD`, so the
        # prefix is `/trials/ID`. That of a call about runs or trials is empty.
        prefix = scope["path"].rsplit("/", 2)[0]
        trial_id = ""
        if prefix.startswith(TRIAL_PREFIX):
            trial_id = prefix.removeprefix(TRIAL_PREFIX)
        _target.set(Target(self._address_in(scope), trial_id))

        # Do not compress replies: most are short, so compression costs more than it saves.
        headers = []
        for name, value in scope["headers"]:
            if name != b"accept-encoding" and value.isascii():
                headers.append((name, value))
        timely = TimelyBody(receive)  # It refuses a body that takes too long to arrive.
        await self._connect(
            {**scope, "root_path": prefix, "headers": headers}, timely.receive, send
        )

    def _address_in(self, scope: Scope) -> str:
        """Return the base URL that the client used for the server."""
        host = f"{self._options.host}:{self._options.port}"
        for name, value in scope["headers"]:
            if name == b"host" and value:
                host = value.decode("latin-1")
                break
        return f"{scope.get('scheme', 'http')}://{host}"

    def close(self) -> None:
        """Release the threads, and the processes of trials."""
        for threads in (self._lifecycle_threads, self._runtime_threads):
            threads.shutdown(wait=False, cancel_futures=True)
        self.runs.close()
        if self._workers is not None:
            self._workers.close()

    # --- Endpoints ---

    def _harness_endpoints(self) -> dict[str, CallEndpoint]:
        """Return the endpoints for calls about runs and trials, by path."""
        endpoints = {}
        for descriptor in SERVICES[HARNESS].methods:
            endpoints[f"/{HARNESS}/{descriptor.name}"] = self._harness_endpoint(
                descriptor
            )
        return endpoints

    def _harness_endpoint(self, descriptor: MethodDescriptor) -> CallEndpoint:
        """Return the endpoint of one method, such as SubmitRun.

        Calls about the same run or trial run one at a time.
        """
        message = GetMessageClass(descriptor.output_type)
        # The request's field with the id of the run or trial: `runId` for SubmitRun.
        id_field = ID_FIELDS.get(descriptor.name, "")

        async def call(
            fields: dict[str, Plain], context: RequestContext[Any, Any]
        ) -> Reply:
            method = self._harness.methods(_target.get().address)[descriptor.name]
            subject_id = str(fields.get(id_field, ""))
            semaphores = [self._semaphore_of(subject_id, at_a_time=1)]
            work = Work(lambda: method(fields), self._lifecycle_threads, semaphores)
            reply_fields = await result_of(work, context)
            # Convert through the message class, which rejects fields that the protocol
            # does not have.
            reply = ParseDict(dict(reply_fields), message())
            return Reply(MessageToDict(reply), message)

        return _endpoint(descriptor, call)

    def _runtime_endpoints(self) -> dict[str, CallEndpoint]:
        """Return the endpoints for calls to trials' runtimes, by path."""
        service = RuntimeService(self.runs)
        endpoints = {}
        for descriptor in SERVICES[SERVICE].methods:
            endpoint = self._runtime_endpoint(descriptor, service)
            endpoints[f"/{SERVICE}/{descriptor.name}"] = endpoint
        return endpoints

    def _runtime_endpoint(
        self, descriptor: MethodDescriptor, service: RuntimeService
    ) -> CallEndpoint:
        """Return the endpoint of one method, such as Read.

        Calls of the same trial run one at a time; those of a run, a few at a time.
        """
        message = GetMessageClass(descriptor.output_type)

        async def call(
            fields: dict[str, Plain], context: RequestContext[Any, Any]
        ) -> Reply:
            trial_id = _target.get().trial_id
            try:
                run_id = self.runs.trial(trial_id).run.run_id
            except CallError as error:
                raise ConnectError(Code(error.code), error.message) from None
            semaphores = [
                self._semaphore_of(trial_id, at_a_time=1),
                self._semaphore_of(run_id, at_a_time=RUNTIME_THREADS_OF_RUN),
            ]
            work = Work(
                lambda: service.handle(descriptor.name, trial_id, fields),
                self._runtime_threads,
                semaphores,
            )
            return Reply(await result_of(work, context), message)

        return _endpoint(descriptor, call)

    def _semaphore_of(self, subject_id: str, *, at_a_time: int) -> asyncio.Semaphore:
        """Return the semaphore that limits the concurrent calls of a run or trial to `at_a_time`.

        A call without an id gets a semaphore of its own, so it does not wait for others.
        """
        if not subject_id:
            return asyncio.Semaphore(at_a_time)
        semaphore = self._semaphores.get(subject_id)
        if semaphore is None:
            semaphore = asyncio.Semaphore(at_a_time)
            self._semaphores[subject_id] = semaphore
        return semaphore


def _endpoint(
    descriptor: MethodDescriptor,
    call: Callable[[dict[str, Plain], RequestContext[Any, Any]], Awaitable[Reply]],
) -> CallEndpoint:
    """Return the library's endpoint for a method."""
    method: MethodInfo[Any, Any] = MethodInfo(
        name=descriptor.name,
        service_name=descriptor.containing_service.full_name,
        input=GetMessageClass(descriptor.input_type),
        output=GetMessageClass(descriptor.output_type),
        idempotency_level=IdempotencyLevel.UNKNOWN,
        stream_type=StreamType.UNARY,
    )
    return Endpoint.unary(method=method, function=call)
