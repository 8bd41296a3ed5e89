"""The endpoints of trials' runtimes, and the threads in which their methods run.

A runtime has the files and tools of one trial. An endpoint is an asynchronous function that
the server library calls for a method, such as Read. The methods block while a tool runs, so
each call runs in a thread.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final

from connectrpc.code import Code
from connectrpc.errors import ConnectError
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message_factory import GetMessageClass

from controlplane.benchmarks.bitgn.proto import SERVICES
from controlplane.benchmarks.bitgn.rpc import SERVICE
from controlplane.benchmarks.bitgn.server.call_limits import CallLimits
from controlplane.benchmarks.bitgn.server.call_target import CURRENT_TARGET
from controlplane.benchmarks.bitgn.server.call_work import Work, result_of
from controlplane.benchmarks.bitgn.server.message_fields import Fields
from controlplane.benchmarks.bitgn.server.runtime.runtime_service import RuntimeService
from controlplane.benchmarks.bitgn.server.wire_codecs import Reply
from controlplane.benchmarks.bitgn.server.wire_endpoint import (
    Context,
    LibraryEndpoint,
    endpoint_of,
)
from controlplane.sandbox.interface import CallError

RUNTIME_THREADS: Final = 16
"""The most calls to trials' runtimes at the same time. Each may keep a process busy."""
RUNTIME_THREADS_OF_RUN: Final = 8
"""The most calls to the runtimes of one run's trials, so that threads remain for other runs."""


class RuntimeEndpoints:
    """The endpoints of methods of trials' runtimes, such as Read."""

    def __init__(self, service: RuntimeService, limits: CallLimits) -> None:
        self._service = service
        self._limits = limits
        self._threads = ThreadPoolExecutor(RUNTIME_THREADS, "wire runtime")

    def by_path(self) -> dict[str, LibraryEndpoint]:
        """Return the endpoints by path, such as `/bitgn.vm.ecom.EcomRuntime/Read`."""
        endpoints = {}
        for method in SERVICES[SERVICE].methods:
            endpoints[f"/{SERVICE}/{method.name}"] = self._endpoint(method)
        return endpoints

    def _endpoint(self, method: MethodDescriptor) -> LibraryEndpoint:
        """Return the endpoint that handles the calls of a method."""
        message_class = GetMessageClass(method.output_type)

        async def call(fields: Fields, context: Context) -> Reply:
            reply_fields = await self._reply_to(method.name, fields, context)
            return Reply(reply_fields, message_class)

        return endpoint_of(method, call)

    async def _reply_to(self, method: str, fields: Fields, context: Context) -> Fields:
        """Handle a call in a thread, and return the fields of its reply.

        Calls of the same trial are handled one at a time; those of a run, a few at a time.
        """
        # The trial is named in the URL: `/trials/ID/SERVICE/METHOD`. The application sets the
        # target for each request, because the library does not pass the URL on.
        trial_id = CURRENT_TARGET.get().trial_id
        try:
            run_id = self._service.run_id_of(trial_id)
        except CallError as error:
            raise ConnectError(Code(error.code), error.message) from None
        # All calls of a trial share its semaphore, and all calls of a run share the run's.
        semaphores = [
            self._limits.semaphore_of(trial_id, at_a_time=1),
            self._limits.semaphore_of(run_id, at_a_time=RUNTIME_THREADS_OF_RUN),
        ]
        handle = partial(self._service.handle, method, trial_id, fields)
        work = Work(handle, self._threads, semaphores)
        return await result_of(work, context)

    def close(self) -> None:
        """Release the threads."""
        self._threads.shutdown(wait=False, cancel_futures=True)
