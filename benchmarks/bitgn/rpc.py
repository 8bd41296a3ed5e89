"""How one operation of a remote trial's runtime is sent: as a method, a request and a reply.

An operation is a function that scripts call, such as `read`. Its `Rpc` describes the
messages: the fields of its request and reply. For example, the operation
`find(root="/docs", kind="files")` is sent to the method Find as

    {"root": "/docs", "kind": "NODE_KIND_FILE"}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from controlplane.benchmarks.bitgn.effect_check import EffectCheck
from controlplane.benchmarks.bitgn.wire_types import Field, from_wire, to_wire
from controlplane.sandbox.interface import Plain

SERVICE: Final = "bitgn.vm.ecom.EcomRuntime"


@dataclass(frozen=True, slots=True)
class Rpc:
    """How one operation is sent: its method, request and reply."""

    operation: str
    """The operation's name, such as `read`."""
    method: str
    """The method of the protocol, such as `Read`."""
    request: tuple[Field, ...]
    reply: tuple[Field, ...]
    effect_check: EffectCheck | None = None
    """How to find out, after a lost reply, whether the call took effect.

    None if there is no way. Then the call is repeated only if it changes nothing.
    """
    result_field: str = ""
    """The field of the reply that holds the result; empty if the reply is the result itself.

    It is `root` for `tree`, whose reply is `{"root": {"name": "/", ...}}`.
    """

    def request_to_wire(self, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Return the request of a call: `{"path": "/a.md"}` for `read("/a.md")`."""
        return to_wire(self.request, arguments)

    def request_from_wire(self, message: Plain) -> dict[str, Plain]:
        """Return the arguments of a received request. Raises `ShapeError` if it is malformed."""
        return from_wire(self.request, message)

    def reply_to_wire(self, result: Mapping[str, Plain]) -> dict[str, Plain]:
        """Return the reply for a result."""
        reply = to_wire(self.reply, result)
        if self.result_field:
            return {self.result_field: reply}
        return reply

    def reply_from_wire(self, message: Mapping[str, Plain]) -> dict[str, Plain]:
        """Return the result fields of a received reply. Raises `ShapeError` if it is malformed."""
        if self.result_field:
            return from_wire(self.reply, message.get(self.result_field, {}))
        return from_wire(self.reply, dict(message))
