"""A declared call that was sent, and whether it has failed.

The environment declares `exec /bin/whoami` for the first message of a trial. The call is sent
before the model is asked. Its result is `{"stdout": "ada", "exit_code": 0}`, or it fails: with an
error of the environment, or because the program exits with another code than 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from controlplane.agent.evidence.calls.call_under_way import CallUnderWay
from controlplane.agent.initial_calls.declared_call import DeclaredCall
from controlplane.sandbox.interface import Operation, Plain


@dataclass(frozen=True, slots=True)
class SentCall:
    """A declared call that was sent. It may still run, beside others."""

    declared: DeclaredCall
    """The call as the environment declares it."""
    call: CallUnderWay
    """The call as it was sent."""

    def has_error_code(self) -> bool:
        """Wait for the call. Return True if it ran a program whose exit code is not 0."""
        return has_error_code(self.declared.operation, self.call.result())

    def has_failed(self) -> bool:
        """Wait for the call. Return True if it failed, or ran a program that did."""
        return not self.call.result() or self.has_error_code()


def has_error_code(operation: Operation, result: Mapping[str, Plain]) -> bool:
    """Return True if a result is that of a program whose exit code is not 0."""
    return bool(operation.exit_field and result.get(operation.exit_field))
