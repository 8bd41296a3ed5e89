"""The proto3 form of all operations of a remote trial's runtime, derived from their declarations.

Most fields are texts whose name in messages follows from ours: `content_type` is
`contentType`. The others are listed here with their types.
"""

from __future__ import annotations

from typing import Final

from pydantic.alias_generators import to_camel

from controlplane.benchmarks.bitgn.effect_check import EFFECT_CHECKS
from controlplane.benchmarks.bitgn.rpc import Rpc
from controlplane.benchmarks.bitgn.wire_types import (
    CHILDREN,
    Field,
    MessageList,
    NodeList,
)
from controlplane.benchmarks.bitgn.wire_values import (
    BOOLEAN,
    INTEGER,
    TEXT,
    UNSPECIFIED,
    NamedValues,
    TextList,
)
from controlplane.sandbox.interface import FILE_OPERATIONS, Operation

FILE: Final = "NODE_KIND_FILE"
DIRECTORY: Final = "NODE_KIND_DIR"
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


def _field(name: str) -> Field:
    """Return the proto3 form of a parameter or result field, unless it holds a list of messages.

    `content_type` -> `Field("content_type", "contentType", TEXT)`
    """
    if name in _SPECIAL_FIELD_OF_NAME:
        return _SPECIAL_FIELD_OF_NAME[name]
    return Field(name, to_camel(name), TEXT)


def _list_field(name: str, item_fields: tuple[str, ...]) -> Field:
    """Return the proto3 form of a result field that holds a list of messages.

    `item_fields` are our names for the fields of each message. For the entries of a folder:
    `"entries", ("name", "path")` -> `Field("entries", "entries", MessageList(name, path))`.

    A message with the field `children` is a node of a tree. Its children are nodes with
    the same fields. So the type is a `NodeList`, which adds `children` to each node itself.
    """
    wire_name = to_camel(name)
    if CHILDREN in item_fields:
        other_fields = tuple(_field(item) for item in item_fields if item != CHILDREN)
        return Field(name, wire_name, NodeList(other_fields))
    all_fields = tuple(_field(item) for item in item_fields)
    return Field(name, wire_name, MessageList(all_fields))


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
        effect_check=EFFECT_CHECKS.get(operation.name),
        result_field=field_with_result,
    )


RPCS: Final = {operation.name: _rpc(operation) for operation in FILE_OPERATIONS}
"""The proto3 form of each operation, by name."""
