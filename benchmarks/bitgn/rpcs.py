"""The calls of the remote platform's protocol, as both sides send them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pydantic.alias_generators import to_camel

from controlplane.benchmarks.bitgn.wire import (
    BOOLEAN,
    CHILDREN,
    INTEGER,
    TEXT,
    UNSPECIFIED,
    Field,
    FieldType,
    MessageList,
    NamedValues,
    TextList,
    from_wire,
    to_wire,
)
from controlplane.sandbox.interface import FILE_OPERATIONS, Operation, Plain

# How one operation of a remote trial's runtime is sent: as a method, a request and a reply.
#
# An operation is a function that scripts call, such as `read`. Its `Rpc` describes the
# messages: the fields of its request and reply. For example, the operation
# `find(root="/docs", kind="files")` is sent to the method Find as
#
#     {"root": "/docs", "kind": "NODE_KIND_FILE"}

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


# The proto3 form of all operations of a remote trial's runtime, derived from their declarations.
#
# Most fields are texts whose name in messages follows from ours: `content_type` is
# `contentType`. Tables list the fields with another type or name:
#
#     our result    {"path": "/docs", "is_dir": True}
#     in a message  {"path": "/docs", "kind": "NODE_KIND_DIR"}

FILE: Final = "NODE_KIND_FILE"
_DIRECTORY: Final = "NODE_KIND_DIR"
_NODE_IS_DIRECTORY: Final = NamedValues(
    {UNSPECIFIED: False, FILE: False, _DIRECTORY: True},
)
_NODES_TO_FIND: Final = NamedValues(
    {UNSPECIFIED: "all", FILE: "files", _DIRECTORY: "dirs"},
)
_TYPE_OF_FIELD: Final[dict[str, FieldType]] = {
    "start_line": INTEGER,
    "end_line": INTEGER,
    "level": INTEGER,
    "limit": INTEGER,
    "line": INTEGER,
    "exit_code": INTEGER,
    "truncated": BOOLEAN,
    "writable": BOOLEAN,
    "args": TextList(),
    "paths": TextList(),
    "is_dir": _NODE_IS_DIRECTORY,
    "kind": _NODES_TO_FIND,  # The parameter of `find`
}
"""The types of fields, by our names. Fields that are not listed are texts.

A name has the same type in all operations.
"""
_WIRE_NAMES: Final = {
    "is_dir": "kind",  # `NODE_KIND_DIR` for a directory
    "text": "lineText",  # A line that `search` has found
}
"""The names in messages that do not follow from ours, as `contentType` does."""


def _field(name: str) -> Field:
    """Return the proto3 form of a parameter or result field.

    `content_type` -> `Field("content_type", "contentType", TEXT)`
    """
    wire_name = _WIRE_NAMES.get(name, to_camel(name))
    return Field(name, wire_name, _TYPE_OF_FIELD.get(name, TEXT))


def _list_field(name: str, item_names: tuple[str, ...]) -> Field:
    """Return the proto3 form of a result field that holds a list of messages.

    `item_names` are our names for the fields of each message: `("name", "path")` for the
    `entries` of a folder. In a tree, they include `children`, which are such messages again.
    """
    fields = tuple(_field(item) for item in item_names if item != CHILDREN)
    messages = MessageList(fields, is_tree=CHILDREN in item_names)
    return Field(name, to_camel(name), messages)


def _rpc(operation: Operation) -> Rpc:
    """Return the proto3 form of an operation.

    `find(name, root, kind, limit)` with the results `paths` and `truncated` ->

        Rpc(
            "find",
            "Find",
            request=(Field("name", "name", TEXT), Field("root", "root", TEXT), ...),
            reply=(Field("paths", "paths", TextList()), Field("truncated", ...)),
        )
    """
    request = tuple(_field(parameter.name) for parameter in operation.parameters)

    reply = []
    for result_field in operation.fields:
        if result_field.items:
            reply.append(_list_field(result_field.name, result_field.items))
        else:
            reply.append(_field(result_field.name))
    if operation.name == "read":
        reply.append(_field("content_type"))  # Our operation has no such result.

    # A tree is sent within a field: `{"root": {"name": "/"}}`. Other results are the reply.
    field_with_result = "root" if operation.name == "tree" else ""
    return Rpc(
        operation.name,
        operation.name.capitalize(),
        request=request,
        reply=tuple(reply),
        result_field=field_with_result,
    )


RPCS: Final = {operation.name: _rpc(operation) for operation in FILE_OPERATIONS}
"""The proto3 form of each operation, by name."""
