"""The endpoints of the service for runs and trials, and the threads in which its methods run."""

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
    CallEndpoint,
    Context,
    RequestFields,
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

    def by_path(self) -> dict[str, CallEndpoint]:
        """Return the endpoints by path, such as `/bitgn.harness.HarnessService/StartRun`."""
        endpoints = {}
        for method in SERVICES[HARNESS].methods:
            endpoints[f"/{HARNESS}/{method.name}"] = self._endpoint(method)
        return endpoints

    def _endpoint(self, method: MethodDescriptor) -> CallEndpoint:
        """Return the endpoint of a method, which handles calls of the method."""
        message = GetMessageClass(method.output_type)

        async def call(fields: RequestFields, context: Context) -> Reply:
            reply = await self._reply_to(method.name, fields, context)
            # The message class rejects fields that the protocol does not have.
            checked = ParseDict(dict(reply), message())
            return Reply(MessageToDict(checked), message)

        return endpoint_of(method, call)

    async def _reply_to(
        self, method: str, fields: RequestFields, context: Context
    ) -> Fields:
        """Handle a call in a thread, and return the fields of its reply.

        Calls that change the same run or trial are handled one at a time. Other calls do
        not wait for each other.
        """
        id_field = ID_FIELDS.get(method, "")  # `runId` for SubmitRun
        changed_id = str(fields.get(id_field, ""))
        address = CURRENT_TARGET.get().address
        work = Work(
            partial(self._service.handle, method, fields, address),
            self.threads,
            semaphores=[self._limits.semaphore_of(changed_id, at_a_time=1)],
        )
        return await result_of(work, context)

    def close(self) -> None:
        """Release the threads."""
        self.threads.shutdown(wait=False, cancel_futures=True)
