"""The endpoints: the functions that handle the methods of all services.

`connectrpc` calls an endpoint with the fields of a request and sends the reply that it
returns. An endpoint runs the method in a thread.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, TypeAlias

from connectrpc.code import Code
from connectrpc.errors import ConnectError
from connectrpc.method import IdempotencyLevel, MethodInfo, StreamType
from connectrpc.request import RequestContext
from connectrpc.server import Endpoint
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.message_factory import GetMessageClass

from controlplane.benchmarks.bitgn.proto import SERVICES
from controlplane.benchmarks.bitgn.rpc import SERVICE
from controlplane.benchmarks.bitgn.server.call_limits import CallLimits
from controlplane.benchmarks.bitgn.server.call_target import CURRENT_TARGET
from controlplane.benchmarks.bitgn.server.call_work import Work, result_of
from controlplane.benchmarks.bitgn.server.harness_service import (
    ID_FIELDS,
    HarnessService,
)
from controlplane.benchmarks.bitgn.server.runtime_service import RuntimeService
from controlplane.benchmarks.bitgn.server.wire_codecs import Reply
from controlplane.sandbox.interface import CallError, Plain

HARNESS: Final = "bitgn.harness.HarnessService"
LIFECYCLE_THREADS: Final = 8
"""The most calls about runs and trials that are handled at the same time."""
RUNTIME_THREADS: Final = 16
"""The most calls to trials' runtimes at the same time. Each may keep a process busy."""
RUNTIME_THREADS_OF_RUN: Final = 8
"""The most calls to the runtimes of one run's trials, so that threads remain for other runs."""

Fields: TypeAlias = dict[str, Plain]
"""The fields of a request by name, such as `{"path": "/a.md"}`."""
Context: TypeAlias = RequestContext[Any, Any]
CallEndpoint: TypeAlias = Any
"""An endpoint of the library, which does not export the type."""


class Endpoints:
    """The endpoints of all services, and the threads in which their methods run."""

    def __init__(self, harness: HarnessService) -> None:
        self._harness = harness
        self._runs = harness.runs
        self._runtime = RuntimeService(harness.runs, harness.limits)
        self._limits = CallLimits()
        self.lifecycle_threads = ThreadPoolExecutor(LIFECYCLE_THREADS, "wire lifecycle")
        self._runtime_threads = ThreadPoolExecutor(RUNTIME_THREADS, "wire runtime")

    def by_path(self) -> dict[str, CallEndpoint]:
        """Return all endpoints by path, such as `/bitgn.harness.HarnessService/StartRun`."""
        endpoints = {}
        for method in SERVICES[HARNESS].methods:
            endpoints[f"/{HARNESS}/{method.name}"] = self._harness_endpoint(method)
        for method in SERVICES[SERVICE].methods:
            endpoints[f"/{SERVICE}/{method.name}"] = self._runtime_endpoint(method)
        return endpoints

    def close(self) -> None:
        """Release the threads."""
        for threads in (self.lifecycle_threads, self._runtime_threads):
            threads.shutdown(wait=False, cancel_futures=True)

    def _harness_endpoint(self, method: MethodDescriptor) -> CallEndpoint:
        """Return the endpoint of a method about runs and trials, such as SubmitRun.

        Calls about the same run or trial run one at a time.
        """
        message = GetMessageClass(method.output_type)
        # The request's field with the id of the run or trial: `runId` for SubmitRun.
        id_field = ID_FIELDS.get(method.name, "")

        async def call(fields: Fields, context: Context) -> Reply:
            address = CURRENT_TARGET.get().address
            subject_id = str(fields.get(id_field, ""))
            semaphores = [self._limits.semaphore_of(subject_id, at_a_time=1)]
            work = Work(
                lambda: self._harness.handle(method.name, fields, address),
                self.lifecycle_threads,
                semaphores,
            )
            reply_fields = await result_of(work, context)
            # Convert through the message class, which rejects fields that the protocol
            # does not have.
            reply = ParseDict(dict(reply_fields), message())
            return Reply(MessageToDict(reply), message)

        return _endpoint(method, call)

    def _runtime_endpoint(self, method: MethodDescriptor) -> CallEndpoint:
        """Return the endpoint of a method of trials' runtimes, such as Read.

        Calls of the same trial run one at a time; those of a run, a few at a time.
        """
        message = GetMessageClass(method.output_type)

        async def call(fields: Fields, context: Context) -> Reply:
            trial_id = CURRENT_TARGET.get().trial_id
            try:
                run_id = self._runs.trial(trial_id).run.run_id
            except CallError as error:
                raise ConnectError(Code(error.code), error.message) from None
            semaphores = [
                self._limits.semaphore_of(trial_id, at_a_time=1),
                self._limits.semaphore_of(run_id, at_a_time=RUNTIME_THREADS_OF_RUN),
            ]
            work = Work(
                lambda: self._runtime.handle(method.name, trial_id, fields),
                self._runtime_threads,
                semaphores,
            )
            return Reply(await result_of(work, context), message)

        return _endpoint(method, call)


def _endpoint(
    method: MethodDescriptor, call: Callable[[Fields, Context], Awaitable[Reply]]
) -> CallEndpoint:
    """Return the library's endpoint for a method, which `call` handles."""
    info: MethodInfo[Any, Any] = MethodInfo(
        name=method.name,
        service_name=method.containing_service.full_name,
        input=GetMessageClass(method.input_type),
        output=GetMessageClass(method.output_type),
        idempotency_level=IdempotencyLevel.UNKNOWN,
        stream_type=StreamType.UNARY,
    )
    return Endpoint.unary(method=info, function=call)
