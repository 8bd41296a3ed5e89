"""The endpoints of the service for runs and trials, and the threads in which its methods run.

An endpoint is an asynchronous function that the server library calls for a method, such as
SubmitRun. The methods themselves block, because they start processes and grade, so each
call runs in a thread.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final

from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.message_factory import GetMessageClass

from controlplane.benchmarks.bitgn.proto import SERVICES
from controlplane.benchmarks.bitgn.server.call_limits import CallLimits
from controlplane.benchmarks.bitgn.server.call_target import CURRENT_TARGET
from controlplane.benchmarks.bitgn.server.call_work import Work, result_of
from controlplane.benchmarks.bitgn.server.harness.harness_service import (
    ID_FIELDS,
    HarnessService,
)
from controlplane.benchmarks.bitgn.server.message_fields import Fields
from controlplane.benchmarks.bitgn.server.wire_codecs import Reply
from controlplane.benchmarks.bitgn.server.wire_endpoint import (
    Context,
    LibraryEndpoint,
    endpoint_of,
)

HARNESS: Final = "bitgn.harness.HarnessService"
LIFECYCLE_THREADS: Final = 8
"""The most calls about runs and trials that are handled at the same time."""


class HarnessEndpoints:
    """The endpoints of methods about runs and trials, such as SubmitRun."""

    def __init__(self, service: HarnessService, limits: CallLimits) -> None:
        self._service = service
        self._limits = limits
        self.threads = ThreadPoolExecutor(LIFECYCLE_THREADS, "wire lifecycle")
        """The threads in which runs and trials are started, ended and looked up."""

    def by_path(self) -> dict[str, LibraryEndpoint]:
        """Return the endpoints by path, such as `/bitgn.harness.HarnessService/StartRun`."""
        endpoints = {}
        for method in SERVICES[HARNESS].methods:
            endpoints[f"/{HARNESS}/{method.name}"] = self._endpoint(method)
        return endpoints

    def _endpoint(self, method: MethodDescriptor) -> LibraryEndpoint:
        """Return the endpoint that handles the calls of a method."""
        message_class = GetMessageClass(method.output_type)

        async def call(fields: Fields, context: Context) -> Reply:
            reply_fields = await self._reply_to(method.name, fields, context)
            # Make a message of the fields, which fails for one that the protocol does not
            # have. The message as fields again has the form that all clients expect: 64-bit
            # numbers as texts, and no values that are the protocol's defaults.
            message = ParseDict(reply_fields, message_class())
            return Reply(MessageToDict(message), message_class)

        return endpoint_of(method, call)

    async def _reply_to(self, method: str, fields: Fields, context: Context) -> Fields:
        """Handle a call in a thread, and return the fields of its reply.

        Calls that change the same run or trial are handled one at a time. Other calls do
        not wait for each other.
        """
        semaphores = []
        # `runId` for SubmitRun, because it changes a run; empty for a method that changes none
        id_field = ID_FIELDS.get(method, "")
        changed_id = str(fields.get(id_field, ""))
        if changed_id:
            semaphores.append(self._limits.semaphore_of(changed_id, at_a_time=1))
        # The URL by which the client reached the server. The application sets it for each
        # request, because the library does not pass it on.
        address = CURRENT_TARGET.get().address
        handle = partial(self._service.handle, method, fields, address)
        work = Work(handle, self.threads, semaphores)
        return await result_of(work, context)

    def close(self) -> None:
        """Release the threads."""
        self.threads.shutdown(wait=False, cancel_futures=True)
