"""Makes the calls of a trial's solver, as long as the trial may make more of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.limits.call_limit import CallLimit
from controlplane.sandbox.interface import Plain, error_codes


@dataclass(frozen=True, slots=True)
class LimitedCalls:
    """Makes and records calls, or refuses them."""

    recorder: Recorder
    limit: CallLimit

    def make(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        *,
        in_verify: bool,
        origins: Mapping[str, str],
    ) -> dict[str, Plain]:
        """Make a call, if the trial has one left. Raises `CallError`.

        `origins` says where each argument of a changing call comes from. With
        `in_verify`, a script's own check of its answer makes the call.
        """
        refusal = self.limit.refusal(self.recorder.trace)
        if not refusal:
            return self.recorder.calls.make(
                operation, arguments, in_verify=in_verify, origins=origins
            )
        # The refused call is recorded. If an earlier attempt with a higher limit has made
        # the call, this returns the recorded result.
        return self.recorder.calls.refuse(
            operation,
            arguments,
            error_codes.RESOURCE_EXHAUSTED,
            refusal,
            in_verify=in_verify,
        )
