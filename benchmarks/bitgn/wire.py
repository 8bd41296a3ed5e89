"""The remote platform's protocol: its services, and its messages as values of our operations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

from google.protobuf import (
    descriptor_pb2,
    descriptor_pool,
    struct_pb2,  # noqa: F401 - `harness.proto` needs it loaded
)
from google.protobuf.descriptor import Descriptor, ServiceDescriptor

from controlplane.sandbox.interface import FILE_OPERATIONS, Operation, Plain

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
_DEFAULTS: Final[tuple[Plain, ...]] = ("", 0, False, [])
"""The default values of all fields, which messages omit."""
_MAX_INT64_DIGITS: Final = 19
"""The most digits of a 64-bit integer, which proto3 JSON sends as text."""


class ShapeError(ValueError):
    """A message does not have the form that the platform describes."""


@dataclass(frozen=True, slots=True)
class _Field:
    """One field of a message."""

    name: str
    """The name of the parameter or result field in the operation."""
    wire: str
    """The name in messages."""
    default: str | int | bool = ""
    """The value of a missing field that is no list. It also sets the type: 0 for integers only."""
    is_list: bool = False
    message: Descriptor | None = None
    """The messages of a list; None for a list of texts."""
    item_names: tuple[str, ...] = ()
    """Our names for the fields of each message in a list."""

    def to_wire(self, value: Plain) -> Plain:
        """Return the value to send for ours: a default for None, and for an unknown name."""
        if self.name in _VALUES_BY_NAME:
            _, *explicit_names = _VALUES_BY_NAME[self.name].items()
            for name, own_value in explicit_names:
                if own_value == value:
                    return name
            return ""
        if value is None:
            return self.default
        if self.message is None:
            return value
        fields = _fields_of_items(self.message, self.item_names)
        # What is not a mapping is left out: our own results are trusted, unlike received ones.
        items = value if isinstance(value, list) else []
        return [_to_wire(fields, item) for item in items if isinstance(item, dict)]

    def from_wire(self, value: Plain) -> Plain:
        """Return our value for a received one: the default for None. Raises `ShapeError`."""
        if self.name in _VALUES_BY_NAME:
            return _named_value(_VALUES_BY_NAME[self.name], value)
        if self.is_list:
            return self._items_from_wire(value)
        if value is None:
            return self.default
        expected_type = type(self.default)
        if expected_type is int:
            value = _whole_number(value)
        _check_type(value, expected_type)
        return value

    def _items_from_wire(self, value: Plain) -> list[Plain]:
        """Return our list for a received one: an empty one for None. Raises `ShapeError`."""
        if value is None:
            return []
        _check_type(value, list)
        assert isinstance(value, list)  # For the type checker
        if self.message is not None:
            fields = _fields_of_items(self.message, self.item_names)
            return [_from_wire(fields, item) for item in value]
        if not all(isinstance(item, str) for item in value):
            msg = f"{value!r} is not a list of strings"
            raise ShapeError(msg)
        return value


def _field(message: Descriptor, name: str, item_names: tuple[str, ...] = ()) -> _Field:
    """Return the field of a message that we call `name`.

    `content_type` -> `_Field("content_type", "contentType")`
    """
    declared = message.fields_by_name.get(_NAMES_IN_PROTOCOL.get(name, name))
    if declared is None:  # The result of `delete` has a path, and the protocol's none.
        return _Field(name, name)
    return _Field(
        name,
        declared.json_name,
        default="" if declared.is_repeated else declared.default_value,
        is_list=declared.is_repeated,
        message=declared.message_type,
        item_names=item_names,
    )


@cache
def _fields_of_items(
    message: Descriptor, item_names: tuple[str, ...]
) -> tuple[_Field, ...]:
    """Return the fields of the messages in a list: `name` and `path` of the entries of a folder."""
    fields = []
    for name in item_names:
        names_below = item_names if name == _CHILDREN else ()
        fields.append(_field(message, name, names_below))
    return tuple(fields)


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


def _check_type(value: Plain, expected: type) -> None:
    """Raise `ShapeError` if a value has another type. True is not an integer here."""
    if type(value) is not expected:
        msg = f"{value!r} is not of the type {expected.__name__}"
        raise ShapeError(msg)


def _whole_number(value: Plain) -> Plain:
    """Return an integer for `7`, `7.0` or `"7"`, which proto3 JSON allows for an integer.

    Return any other value unchanged.
    """
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str):
        digits = value.removeprefix("-")
        if digits.isascii() and digits.isdecimal() and len(digits) <= _MAX_INT64_DIGITS:
            return int(value)
    return value


def _to_wire(fields: Iterable[_Field], values: Mapping[str, Plain]) -> dict[str, Plain]:
    """Return a message in proto3 JSON, without fields that have their default value.

    `{"path": "/a.md", "limit": 0}` -> `{"path": "/a.md"}`
    """
    message: dict[str, Plain] = {}
    for field in fields:
        value = field.to_wire(values.get(field.name))
        if value not in _DEFAULTS:
            message[field.wire] = value
    return message


def _from_wire(fields: Iterable[_Field], message: Plain) -> dict[str, Plain]:
    """Return the values of a message by our names. Missing fields get their defaults.

    Raises `ShapeError` that names the field.
    """
    if not isinstance(message, dict):
        msg = f"{message!r} is not a message"
        raise ShapeError(msg)
    values: dict[str, Plain] = {}
    for field in fields:
        try:
            values[field.name] = field.from_wire(message.get(field.wire))
        except ShapeError as error:
            msg = f"{field.wire}: {error}"
            raise ShapeError(msg) from None
    return values


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
    request: tuple[_Field, ...]
    reply: tuple[_Field, ...]
    result_field: str = ""
    """The field of the reply that holds the result; empty if the reply is the result itself.

    It is `root` for `tree`, whose reply is `{"root": {"name": "/", ...}}`.
    """

    def request_to_wire(self, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Return the request of a call: `{"path": "/a.md"}` for `read("/a.md")`."""
        return _to_wire(self.request, arguments)

    def request_from_wire(self, message: Plain) -> dict[str, Plain]:
        """Return the arguments of a received request. Raises `ShapeError` if it is malformed."""
        return _from_wire(self.request, message)

    def reply_to_wire(self, result: Mapping[str, Plain]) -> dict[str, Plain]:
        """Return the reply for a result."""
        reply = _to_wire(self.reply, result)
        if self.result_field:
            return {self.result_field: reply}
        return reply

    def reply_from_wire(self, message: Mapping[str, Plain]) -> dict[str, Plain]:
        """Return the result fields of a received reply. Raises `ShapeError` if it is malformed."""
        if self.result_field:
            return _from_wire(self.reply, message.get(self.result_field, {}))
        return _from_wire(self.reply, dict(message))


def _rpc(operation: Operation) -> Rpc:
    """Return how an operation is sent, by its declaration and that of the method of its name."""
    method = SERVICES[SERVICE].methods_by_name[operation.name.capitalize()]
    reply_type = method.output_type
    result_field = ""
    if operation.name == "tree":
        # A tree is sent within a field: `{"root": {"name": "/"}}`. Other results are the reply.
        result_field = "root"
        reply_type = reply_type.nested_types_by_name["Entry"]
    reply = [_field(reply_type, field.name, field.items) for field in operation.fields]
    if operation.name == "read":
        # Our operation has no such result.
        reply.append(_field(reply_type, "content_type"))
    request = [
        _field(method.input_type, parameter.name) for parameter in operation.parameters
    ]
    return Rpc(operation.name, method.name, tuple(request), tuple(reply), result_field)


RPCS: Final = {operation.name: _rpc(operation) for operation in FILE_OPERATIONS}
"""How each operation is sent, by its name."""
