"""The remote platform's protocol: its services, and its messages as values of our operations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

from google.protobuf import (
    descriptor_pb2,
    descriptor_pool,
    struct_pb2,  # noqa: F401 - `harness.proto` needs it loaded
)
from google.protobuf.descriptor import Descriptor, FieldDescriptor, ServiceDescriptor

from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    Operation,
    Plain,
    ResultField,
)

# The services of the platform: `.proto` files from its public description, and compiled.
#
# After a change of `proto/NAME.proto`, run this command in the root of the repository, where P is
# `benchmarks/bitgn/proto`:
# `python -m grpc_tools.protoc -I. --descriptor_set_out=$P/NAME.binpb $P/NAME.proto`.


def _services(name: str) -> Mapping[str, ServiceDescriptor]:
    compiled = descriptor_pb2.FileDescriptorSet.FromString(
        (files(__package__) / "proto" / f"{name}.binpb").read_bytes()
    )
    described = descriptor_pool.Default().AddSerializedFile(
        compiled.file[0].SerializeToString()
    )
    return {
        service.full_name: service for service in described.services_by_name.values()
    }


SERVICES: Final = {**_services("harness"), **_services("ecom")}
"""The services by their full names."""
HARNESS: Final = "bitgn.harness.HarnessService"
"""The service for runs and trials."""
SERVICE: Final = "bitgn.vm.ecom.EcomRuntime"
"""The service of a trial's runtime: its files and tools."""

# The fields of messages in proto3 JSON, and messages within messages.
#
# A field has a name in our operation (a function that scripts call), a name in messages, and
# a type, which the `.proto` files declare. For example, the operation's result
#
#     {"entries": [{"name": "a.md", "path": "/a.md", "is_dir": False}]}
#
# is sent as
#
#     {"entries": [{"name": "a.md", "path": "/a.md", "kind": "NODE_KIND_FILE"}]}
#
# proto3 JSON omits default values, so a missing field has its default. Received values are
# checked, because a proxy may have sent anything. Integers may arrive as text: `"7"`.

FILE: Final = "NODE_KIND_FILE"
_UNSPECIFIED: Final = "NODE_KIND_UNSPECIFIED"
_DIRECTORY: Final = "NODE_KIND_DIR"
_CHILDREN: Final = "children"
"""The field of a tree's node with the nodes below it, which have the same fields."""
_NAMES_IN_PROTOCOL: Final = {
    "is_dir": "kind",  # `NODE_KIND_DIR` for a directory
    "text": "line_text",  # A line that `search` has found
}
"""The fields that we call otherwise than the `.proto` files."""
_VALUES_BY_NAME: Final[Mapping[str, Mapping[str, str | bool]]] = {
    "is_dir": {_UNSPECIFIED: False, FILE: False, _DIRECTORY: True},
    # The parameter of `find`
    "kind": {_UNSPECIFIED: "all", FILE: "files", _DIRECTORY: "dirs"},
}
"""Our value for each name of an enum, by our name of the field.

The first name is the default. The order matters, because a sender may send the number of a
name instead: 0 for the first one.
"""
_DEFAULTS: Final[tuple[Plain, ...]] = ("", 0, False, [], None)
"""The default values of all fields, which messages omit."""
_INT64: Final = re.compile(r"-?[0-9]{1,19}")
"""A 64-bit integer, which proto3 JSON sends as text."""


class ShapeError(ValueError):
    """A message does not have the form that the platform describes."""


class _Messages:
    """The messages of one kind: their fields, as far as our operation has them."""

    def __init__(self, message: Descriptor, fields: Iterable[ResultField]) -> None:
        """Find the fields by our names: `content_type` is sent as `contentType`."""
        self.fields: list[tuple[str, str, FieldDescriptor | None]] = []
        """Our name of each field, its name in messages, and its declaration.

        None if the protocol does not have it: the result of `delete` has a path, and its reply none.
        """
        self.items: dict[str, _Messages] = {}
        """The messages in fields that are lists of messages, by our name of the field."""
        for name, item_names in fields:
            declared = message.fields_by_name.get(_NAMES_IN_PROTOCOL.get(name, name))
            self.fields.append(
                (name, declared.json_name if declared else name, declared)
            )
            if name == _CHILDREN:
                self.items[name] = self
            elif declared is not None and declared.message_type is not None:
                items = [ResultField(item_name) for item_name in item_names]
                self.items[name] = _Messages(declared.message_type, items)

    def to_wire(self, values: Mapping[str, Plain]) -> dict[str, Plain]:
        """Return a message in proto3 JSON, without fields that have their default value.

        `{"path": "/a.md", "limit": 0}` -> `{"path": "/a.md"}`
        """
        message: dict[str, Plain] = {}
        for name, wire_name, _ in self.fields:
            value = values.get(name)
            if name in _VALUES_BY_NAME:
                value = _name_of(value, _VALUES_BY_NAME[name])
            elif name in self.items:
                # What is not a message is left out: our own results are trusted, unlike received ones.
                items = value if isinstance(value, list) else []
                to_wire = self.items[name].to_wire
                value = [to_wire(item) for item in items if isinstance(item, dict)]
            if value not in _DEFAULTS:
                message[wire_name] = value
        return message

    def from_wire(self, message: Plain) -> dict[str, Plain]:
        """Return the values of a message by our names. Missing fields get their defaults.

        Raises `ShapeError` that names the field.
        """
        if not isinstance(message, dict):
            msg = f"{message!r} is not a message"
            raise ShapeError(msg)
        values: dict[str, Plain] = {}
        for name, wire_name, declared in self.fields:
            value = message.get(wire_name)
            try:
                if name in _VALUES_BY_NAME:
                    value = _named_value(_VALUES_BY_NAME[name], value)
                elif declared is not None and declared.is_repeated:
                    value = self._list_from_wire(name, value)
                else:
                    value = _value_from_wire(declared, value)
            except ShapeError as error:
                msg = f"{wire_name}: {error}"
                raise ShapeError(msg) from None
            values[name] = value
        return values

    def _list_from_wire(self, name: str, items: Plain) -> list[Plain]:
        """Return our list for a received one: an empty one for None. Raises `ShapeError`."""
        if items is None:
            return []
        if not isinstance(items, list):
            msg = f"{items!r} is not of the type list"
            raise ShapeError(msg)
        if name in self.items:
            return [self.items[name].from_wire(item) for item in items]
        if not all(isinstance(item, str) for item in items):
            msg = f"{items!r} is not a list of strings"
            raise ShapeError(msg)
        return items


def _name_of(value: Plain, value_of_name: Mapping[str, str | bool]) -> str:
    """Return the name of an enum to send for our value; empty for the default or no value."""
    _, *explicit_names = value_of_name.items()
    for name, own_value in explicit_names:
        if own_value == value:
            return name
    return ""


def _named_value(value_of_name: Mapping[str, str | bool], value: Plain) -> str | bool:
    """Return our value for a received name or number of an enum. Raises `ShapeError`."""
    if isinstance(value, str) and value in value_of_name:
        return value_of_name[value]
    values = list(value_of_name.values())
    if value is None:
        return values[0]
    if type(value) is int and 0 <= value < len(values):
        return values[value]
    names = ", ".join(value_of_name)
    msg = f"{value!r} is not one of {names}"
    raise ShapeError(msg)


def _value_from_wire(declared: FieldDescriptor | None, value: Plain) -> Plain:
    """Return our value for a received one: the default for None. Raises `ShapeError`.

    An integer may be sent as `7`, `7.0` or `"7"` in proto3 JSON. True is not an integer here.
    """
    default: Plain = declared.default_value if declared is not None else ""
    if value is None:
        return default
    expected_type = type(default)
    if expected_type is int:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        elif isinstance(value, str) and _INT64.fullmatch(value):
            value = int(value)
    if type(value) is not expected_type:
        msg = f"{value!r} is not of the type {expected_type.__name__}"
        raise ShapeError(msg)
    return value


# How one operation of a remote trial's runtime is sent: as a method, a request and a reply.
#
# An operation is a function that scripts call, such as `read`. For example, the operation
# `find(root="/docs", kind="files")` is sent to the method Find as
#
#     {"root": "/docs", "kind": "NODE_KIND_FILE"}


@dataclass(frozen=True, slots=True)
class Rpc:
    """How one operation is sent: its method, request and reply."""

    operation: str
    """The operation's name, such as `read`."""
    method: str
    """The method of the protocol, such as `Read`."""
    request: _Messages
    reply: _Messages
    result_field: str = ""
    """The field of the reply that holds the result; empty if the reply is the result itself.

    It is `root` for `tree`, whose reply is `{"root": {"name": "/", ...}}`.
    """

    def request_to_wire(self, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Return the request of a call: `{"path": "/a.md"}` for `read("/a.md")`."""
        return self.request.to_wire(arguments)

    def request_from_wire(self, message: Plain) -> dict[str, Plain]:
        """Return the arguments of a received request. Raises `ShapeError` if it is malformed."""
        return self.request.from_wire(message)

    def reply_to_wire(self, result: Mapping[str, Plain]) -> dict[str, Plain]:
        """Return the reply for a result."""
        reply = self.reply.to_wire(result)
        if self.result_field:
            return {self.result_field: reply}
        return reply

    def reply_from_wire(self, message: Mapping[str, Plain]) -> dict[str, Plain]:
        """Return the result fields of a received reply. Raises `ShapeError` if it is malformed."""
        if self.result_field:
            return self.reply.from_wire(message.get(self.result_field, {}))
        return self.reply.from_wire(dict(message))


def _rpc(operation: Operation) -> Rpc:
    """Return how an operation is sent, by its declaration and that of the method of its name."""
    method = SERVICES[SERVICE].methods_by_name[operation.name.capitalize()]
    reply_type = method.output_type
    result_field = ""
    if operation.name == "tree":
        # A tree is sent within a field: `{"root": {"name": "/"}}`. Other results are the reply.
        result_field = "root"
        reply_type = reply_type.nested_types_by_name["Entry"]
    result_fields = list(operation.fields)
    if operation.name == "read":
        # Our operation has no such result.
        result_fields.append(ResultField("content_type"))
    parameters = [ResultField(parameter.name) for parameter in operation.parameters]
    request = _Messages(method.input_type, parameters)
    reply = _Messages(reply_type, result_fields)
    return Rpc(operation.name, method.name, request, reply, result_field)


RPCS: Final = {operation.name: _rpc(operation) for operation in FILE_OPERATIONS}
"""How each operation is sent, by its name."""
