"""How one operation of a remote trial's runtime is sent: as a method, a request and a reply.

An operation is a function that scripts call, such as `read`. Its `Rpc` describes the
messages: the fields of its request and reply. For example, the operation
`find(root="/docs", kind="files")` is sent to the method Find as

    {"root": "/docs", "kind": "NODE_KIND_FILE"}
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from controlplane.benchmarks.bitgn.wire_types import Field, from_wire, to_wire
from controlplane.sandbox.interface import Plain

# How to find out if a write or delete happened whose reply was lost.
#
# After a lost reply of `write("/a.md", "text")`, the file is read: if it has this text, the
# write has happened. After a lost `delete`, the path is looked for: if nothing is there, the
# delete has happened.

Fields: TypeAlias = Mapping[str, Plain]


@dataclass(frozen=True, slots=True)
class EffectCheck:
    """How to find out if a write or delete whose reply was lost has happened."""

    method: str
    """The method of the protocol that looks at the path."""
    has_happened: Callable[[Fields, Fields | None], bool]
    """Returns True if the path looks as it should after the call.

    Its parameters are the arguments of the call, and the reply of `method`, which is None
    if nothing is at the path.
    """


def _is_written(arguments: Fields, file: Fields | None) -> bool:
    """Return True if the file has the content that was to be written.

    Its hash decides, because a long file is cut. Should the reply have none, the content does.
    """
    if file is None:
        return False
    content = str(arguments.get("content", ""))
    sha256 = hashlib.sha256(content.encode(errors="surrogatepass")).hexdigest()
    return file.get("sha256") == sha256 or file.get("content", "") == content


def _is_deleted(arguments: Fields, file: Fields | None) -> bool:
    """Return True if nothing is at the path any more."""
    return file is None


EFFECT_CHECKS: Final = {
    "write": EffectCheck("Read", _is_written),
    "delete": EffectCheck("Stat", _is_deleted),
}
"""How the effect of an operation is found out. Others have none, or nothing shows it."""


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
