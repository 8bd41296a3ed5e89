"""The proto3 form of all operations of a remote trial's runtime, derived from their declarations.

Most fields are texts whose name in messages follows from ours: `content_type` is
`contentType`. Tables list the fields with another type or name:

    our result    {"path": "/docs", "is_dir": True}
    in a message  {"path": "/docs", "kind": "NODE_KIND_DIR"}
"""

from __future__ import annotations

from typing import Final

from pydantic.alias_generators import to_camel

from controlplane.benchmarks.bitgn.rpc import EFFECT_CHECKS, Rpc
from controlplane.benchmarks.bitgn.wire_types import (
    CHILDREN,
    Field,
    FieldType,
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
    if CHILDREN in item_names:
        return Field(name, to_camel(name), NodeList(fields))
    return Field(name, to_camel(name), MessageList(fields))


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
