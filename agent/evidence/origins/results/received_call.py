"""A call of a trial that has returned, from which the origins of values are learnt.

The third call of a trial is `get_user(id="u17")` -> `{"name": "Ada", "iban": "GB33..."}`:

    call.place         -> "call 3 of get_user", as messages name the result
    call.passed_keys   -> ("u17",), the *key* that all spellings of `u17` share, such as `U17`

The result does not make `u17` trusted, as it may only repeat what was passed: `there is no u17`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.policy.provenance_policy import (
    ProvenancePolicy,
)
from controlplane.agent.evidence.origins.values.argument_keys import PassedKeys
from controlplane.agent.evidence.texts.call_arguments import CallArguments
from controlplane.agent.evidence.texts.echoes import echoable_inputs
from controlplane.agent.evidence.texts.returned_call import ReturnedCall
from controlplane.sandbox.interface import Operation, Plain


@dataclass(frozen=True)
class ReceivedCall:
    """One call of a trial, as it was recorded, and as its operation is declared."""

    number: int
    """The number of the call in its trial, from 1."""
    declared: Operation
    """The declaration of the operation that was called."""
    record: CallRecord
    """The arguments, and the result or the error."""
    policy: ProvenancePolicy
    """The user's setting `--provenance`."""
    may_change: bool
    """True if the call may have changed something. False if it has only read."""

    @cached_property
    def arguments(self) -> CallArguments:
        """The arguments, and which of them the script chose."""
        return CallArguments(self.declared, self.record.arguments)

    @property
    def result(self) -> Mapping[str, Plain]:
        """The fields of the result. Empty if the call failed."""
        return self.record.result or {}

    @cached_property
    def path(self) -> str:
        """The path of the file on which the call works. Empty if it works on none."""
        return ReturnedCall(self.arguments, self.result).requested_path

    @property
    def place(self) -> str:
        """How messages name the result: `/mail/7.md`, `call 3 of search`."""
        # A result that is not about a file may have a path of its own: `/calls/search/4`.
        path = self.result.get("call_path") or self.path
        return str(path or f"call {self.number} of {self.declared.name}")

    @property
    def origin(self) -> Origin | None:
        """`RECORD` if all results are trusted; None if this is decided for each text of them."""
        return Origin.RECORD if self.policy.trusts(self.declared) else None

    @property
    def passed_keys(self) -> tuple[str, ...]:
        """The keys of the values that the call has passed, and that its result may repeat."""
        return self._passed.keys

    @property
    def has_unknown_keys(self) -> bool:
        """True if the call has passed so many values that not all of their keys are known."""
        return not self._passed.are_all

    @cached_property
    def _passed(self) -> PassedKeys:
        return PassedKeys.of(echoable_inputs(self.arguments))
