"""The runtime of one remote trial, to which the operations of scripts are sent.

What happens if a reply is lost depends on the operation. `read` is repeated. After `write`
and `delete`, the path is read first, and the call is repeated only if the change has not
happened. `exec` of a tool that changes something is never repeated: nothing would show
whether `/bin/checkout` has run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from controlplane.benchmarks.bitgn.client.calls.call_policy import CallPolicy
from controlplane.benchmarks.bitgn.client.calls.platform_call import Call
from controlplane.benchmarks.bitgn.client.calls.platform_request import PlatformRequest
from controlplane.benchmarks.bitgn.client.connection.platform_client import Service
from controlplane.benchmarks.bitgn.client.connection.wire_errors import (
    Message,
    WireError,
)
from controlplane.benchmarks.bitgn.client.trial.operation_call import (
    OperationCall,
    reply_parser,
    reports_missing_path,
)
from controlplane.benchmarks.bitgn.effect_check import EffectCheck
from controlplane.benchmarks.bitgn.remote_runtime import TOOL_SCHEMA
from controlplane.benchmarks.bitgn.rpcs import RPCS
from controlplane.sandbox.interface import (
    CallError,
    Plain,
    bound_arguments,
    error_codes,
)


class TrialRuntime:
    """Makes the calls of one trial. Created when the trial starts."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def make(self, method: str, request: Message, policy: CallPolicy) -> Message:
        """Make a call of a method and return its reply unchanged. Raises `WireError`."""
        platform_request = PlatformRequest(self._service, method, request)
        return Call(platform_request, policy, _unchanged).finish()

    def operation_call(
        self, operation: str, script_arguments: Mapping[str, Plain], policy: CallPolicy
    ) -> OperationCall:
        """Return the call of an operation. It has not been sent yet.

        Raises `CallError` if the operation does not exist.
        """
        rpc = RPCS.get(operation)
        declared = TOOL_SCHEMA.operation(operation)
        if rpc is None or declared is None:
            msg = f"this runtime has no {operation}"
            raise CallError(error_codes.UNIMPLEMENTED, msg)
        # Send the defaults that scripts see, because the protocol's can differ.
        arguments = bound_arguments(declared, (), script_arguments)
        is_change = TOOL_SCHEMA.may_change(operation, arguments)

        # After a lost reply, a call that only reads is repeated.
        call_policy = policy
        before_repeat = None
        if rpc.effect_check is not None:
            # A write or delete: look first whether it has happened.
            before_repeat = partial(
                self._lost_reply, rpc.effect_check, arguments, policy
            )
        elif is_change:
            # Nothing would show whether it has happened, so it is never repeated.
            call_policy = replace(policy, max_repeats_in_doubt=0)

        wire_arguments = rpc.request_to_wire(arguments)
        request = PlatformRequest(self._service, rpc.method, wire_arguments)
        parse_reply = reply_parser(rpc, arguments)
        call = Call(request, call_policy, parse_reply, before_repeat)
        return OperationCall(call, rpc.method, declared, arguments, is_change)

    def _lost_reply(
        self, check: EffectCheck, arguments: Mapping[str, Plain], policy: CallPolicy
    ) -> Message | None:
        """Return the reply of a write or delete that has happened; None if it has not.

        Looks for the file at the path. Raises `WireError` if that fails.
        """
        file: Message | None = None
        try:
            file = self.make(check.method, {"path": arguments.get("path", "")}, policy)
        except WireError as error:
            if not reports_missing_path(error):
                raise
        if not check.has_happened(arguments, file):
            return None
        empty_reply: Message = {}  # All writes and deletes have this reply.
        return empty_reply


def _unchanged(reply: Message) -> Message:
    return reply
