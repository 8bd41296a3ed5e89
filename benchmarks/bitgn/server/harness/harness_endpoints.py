"""The endpoints of the service for runs and trials, and the threads in which its methods run."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
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
        """Return a method's endpoint. Calls about the same run or trial run one at a time."""
        message = GetMessageClass(method.output_type)
        # The request's field with the id of the run or trial: `runId` for SubmitRun.
        id_field = ID_FIELDS.get(method.name, "")

        async def call(fields: RequestFields, context: Context) -> Reply:
            address = CURRENT_TARGET.get().address
            subject_id = str(fields.get(id_field, ""))
            work = Work(
                lambda: self._service.handle(method.name, fields, address),
                self.threads,
                [self._limits.semaphore_of(subject_id, at_a_time=1)],
            )
            reply_fields = await result_of(work, context)
            # Convert through the message class, which rejects fields that the protocol
            # does not have.
            reply = ParseDict(dict(reply_fields), message())
            return Reply(MessageToDict(reply), message)

        return endpoint_of(method, call)

    def close(self) -> None:
        """Release the threads."""
        self.threads.shutdown(wait=False, cancel_futures=True)
