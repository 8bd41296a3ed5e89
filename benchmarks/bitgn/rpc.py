"""The methods of a remote trial's runtime, and the proto3 JSON form of their messages.

An operation is a function that scripts call, such as `read`. Its `Rpc` describes the
messages: the fields of its request and reply. For example, the operation
`find(root="/docs", kind="files")` is sent to the method Find as

    {"root": "/docs", "kind": "NODE_KIND_FILE"}
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pydantic.alias_generators import to_camel

from controlplane.benchmarks.bitgn.wire_types import (
    BOOLEAN,
    CHILDREN,
    INTEGER,
    TEXT,
    UNSPECIFIED,
    Field,
    MessageList,
    NamedValues,
    NodeList,
    TextList,
    from_wire,
    to_wire,
)
from controlplane.sandbox.interface import FILE_OPERATIONS, Operation, Plain

SERVICE: Final = "bitgn.vm.ecom.EcomRuntime"
FILE: Final = "NODE_KIND_FILE"
DIRECTORY: Final = "NODE_KIND_DIR"


@dataclass(frozen=True, slots=True)
class EffectCheck:
    """How to find out if a write or delete whose reply was lost has happened: read its path."""

    method: str
    """The method that reads the path."""
    content_parameter: str = ""
    """The parameter of a write that holds the file's new content; empty for a delete."""

    def has_happened(
        self, arguments: Mapping[str, Plain], file: Mapping[str, Plain] | None
    ) -> bool:
        """Return True if the path looks as it should after the write or delete.

        `file` is the reply of the method that reads the path; None if nothing is there.
        """
        is_delete = not self.content_parameter
        if is_delete:
            return file is None
        content = str(arguments.get(self.content_parameter, ""))
        return file is not None and _has_content(file, content)


def _has_content(reply: Mapping[str, Plain], content: str) -> bool:
    """Return True if the reply of Read shows that the file has this content.

    The reply has the file's hash, because a long file is cut. Should it have none, the
    content decides.
    """
    sha256 = hashlib.sha256(content.encode(errors="surrogatepass")).hexdigest()
    return reply.get("sha256") == sha256 or reply.get("content", "") == content


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
    """The field of the reply with the result: `root` in `{"root": {"name": "/"}}`.

    Empty if the reply itself is the result.
    """

    def request_to_wire(self, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Return the request of a call."""
        return to_wire(self.request, arguments)

    def request_from_wire(self, message: Plain) -> dict[str, Plain]:
        """Return the arguments of a request. Raises `ShapeError`."""
        return from_wire(self.request, message)

    def reply_to_wire(self, result: Mapping[str, Plain]) -> dict[str, Plain]:
        """Return the reply for a result."""
        reply = to_wire(self.reply, result)
        if self.result_field:
            return {self.result_field: reply}
        return reply

    def reply_from_wire(self, message: Mapping[str, Plain]) -> dict[str, Plain]:
        """Return the result fields of a reply. Raises `ShapeError`."""
        if self.result_field:
            return from_wire(self.reply, message.get(self.result_field, {}))
        return from_wire(self.reply, dict(message))


# Two uses of the field `kind` in messages, each with our value for a name of the protocol.
_IS_DIRECTORY: Final = NamedValues(
    {UNSPECIFIED: False, FILE: False, DIRECTORY: True},
)
_SEARCHED_NODES: Final = NamedValues(
    {UNSPECIFIED: "all", FILE: "files", DIRECTORY: "dirs"},
)
_SPECIAL_FIELDS: Final = (
    # Fields that are not texts
    Field("start_line", "startLine", INTEGER),
    Field("end_line", "endLine", INTEGER),
    Field("level", "level", INTEGER),
    Field("limit", "limit", INTEGER),
    Field("line", "line", INTEGER),
    Field("exit_code", "exitCode", INTEGER),
    Field("truncated", "truncated", BOOLEAN),
    Field("writable", "writable", BOOLEAN),
    Field("args", "args", TextList()),
    Field("paths", "paths", TextList()),
    # In a reply, the kind of a node says if it is a directory.
    Field("is_dir", "kind", _IS_DIRECTORY),
    # In the request of `find`, the kind says which nodes to find.
    Field("kind", "kind", _SEARCHED_NODES),
    # A line that a search has found
    Field("text", "lineText", TEXT),
)
"""The parameters and result fields whose form in messages does not follow from the name.

Each has our name, the name in messages and its type. A name has the same type in all
operations. The other fields are texts: `content_type` is the text `contentType`.
"""
_SPECIAL_FIELD_OF_NAME: Final = {field.name: field for field in _SPECIAL_FIELDS}
_EFFECT_CHECKS: Final = {
    "write": EffectCheck(method="Read", content_parameter="content"),
    "delete": EffectCheck(method="Stat"),
}
"""How a lost effect is found out: after a write, the file is read; after a delete, looked for."""


def _field(name: str) -> Field:
    """Return the proto3 form of a parameter or result field that is not a list of messages."""
    if name in _SPECIAL_FIELD_OF_NAME:
        return _SPECIAL_FIELD_OF_NAME[name]
    return Field(name, to_camel(name), TEXT)


def _list_field(name: str, item_fields: tuple[str, ...]) -> Field:
    """Return the proto3 form of a result field with a list of messages, which have these fields.

    A message with the field `children` is a node of a tree. A `NodeList` adds this field to
    the others, because the children are such a list again.
    """
    fields = tuple(_field(item) for item in item_fields if item != CHILDREN)
    if CHILDREN in item_fields:
        return Field(name, to_camel(name), NodeList(fields))
    return Field(name, to_camel(name), MessageList(fields))


def _rpc(operation: Operation) -> Rpc:
    """Return the proto3 form of an operation."""
    result_field_of_reply = ""
    if operation.name == "tree":
        result_field_of_reply = "root"  # The reply has the tree in `{"root": {...}}`.
    reply = []
    for result_field in operation.fields:
        if result_field.items:
            reply.append(_list_field(result_field.name, result_field.items))
        else:
            reply.append(_field(result_field.name))
    if operation.name == "read":
        # The protocol's message has this field, but our operation `read` does not.
        reply.append(_field("content_type"))
    return Rpc(
        operation.name,
        operation.name.capitalize(),
        request=tuple(_field(parameter.name) for parameter in operation.parameters),
        reply=tuple(reply),
        effect_check=_EFFECT_CHECKS.get(operation.name),
        result_field=result_field_of_reply,
    )


RPCS: Final = {operation.name: _rpc(operation) for operation in FILE_OPERATIONS}
"""The proto3 form of each operation, by name."""
