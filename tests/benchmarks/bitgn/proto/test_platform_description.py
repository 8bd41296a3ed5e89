"""The `.proto` files have all that the platform's (BitGN's) own description of its protocol has.

The description is a Markdown file beside the repository, with tables of methods, values and fields
for each package of messages. A row `ReadRequest | 1 | path | string` is a field.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import descriptor_pb2
from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
)
from grpc_tools import protoc

from controlplane.benchmarks.bitgn.wire import RPCS, SERVICES, ShapeError
from tests.support.product_files import ROOT

# The platform's own description of its protocol: a Markdown file with tables, for each package of messages.
#
#     described_rows("bitgn.harness")
#     # ("service", ["HarnessService", "StartRun", "StartRunRequest", "StartRunResponse"]), ...
#
# The file is beside the repository, if this machine has it.

PLATFORM_DESCRIPTION = Path(__file__).parents[5] / "shared" / "ecom1" / "WIRE.md"
"""The platform's description of its protocol. For each package it has tables of the methods of
services, the values of enums, and the fields of messages."""


def described_rows(package: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each row of the tables of a package, after its kind.

    ("service", ["HarnessService", "StartRun", "StartRunRequest", "StartRunResponse"])
    ("enum", ["RunState", "RUN_STATE_RUNNING", "1"])
    ("message", ["ReadRequest", "1", "path", "string"])
    """
    description = PLATFORM_DESCRIPTION.read_text()
    section = description.split(f"## package `{package}`")[1].split("\n## ")[0]
    kind = ""
    for line in section.splitlines():
        if not line.startswith("|"):
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[0] in ("service", "enum", "message"):  # the head of a table
            kind = cells[0]
        elif set(cells[0]) != {"-"}:  # the line below the head
            yield kind, cells


# The compiled `.proto` files of the platform's (BitGN's) protocol, as rows of its description.
#
# `compiled_rows(file)` has a row for each method, value of an enum, and field:
# `("message", ["ReadRequest", "1", "path", "string"])`. So it can be compared with the platform's own
# description, a Markdown file with tables.

SCALAR_TYPES = {
    FieldDescriptorProto.TYPE_STRING: "string",
    FieldDescriptorProto.TYPE_BOOL: "bool",
    FieldDescriptorProto.TYPE_INT32: "int32",
    FieldDescriptorProto.TYPE_INT64: "int64",
    FieldDescriptorProto.TYPE_FLOAT: "float",
}
"""The words for types that are neither a message nor an enum."""


def compiled_rows(file: FileDescriptorProto) -> Iterator[tuple[str, list[str]]]:
    """Yield each row of a package, after its kind: `("enum", ["RunState", "RUN_STATE_RUNNING", "1"])`."""
    for service in file.service:
        for method in service.method:
            request = method.input_type.rpartition(".")[2]
            response = method.output_type.rpartition(".")[2]
            yield "service", [service.name, method.name, request, response]
    for enum in file.enum_type:
        for value in enum.value:
            yield "enum", [enum.name, value.name, str(value.number)]
    for message in file.message_type:
        yield from rows_of_message(message, message.name)


def rows_of_message(
    message: DescriptorProto, name: str
) -> Iterator[tuple[str, list[str]]]:
    """Yield the fields of a message, and of the messages in it, such as `TreeResponse.Entry`."""
    for field in message.field:
        yield "message", [name, str(field.number), field.name, type_words(field)]
    for nested_message in message.nested_type:
        yield from rows_of_message(nested_message, f"{name}.{nested_message.name}")


def type_words(field: FieldDescriptorProto) -> str:
    """Return the type of a field as the description has it: `repeated string (deprecated)`."""
    if field.type in SCALAR_TYPES:
        words = SCALAR_TYPES[field.type]
    elif field.type_name.startswith(".google."):
        words = field.type_name.removeprefix(".")
    else:
        words = field.type_name.rpartition(".")[2]

    if field.label == FieldDescriptorProto.LABEL_REPEATED:
        words = f"repeated {words}"
    if field.proto3_optional:
        words = f"optional {words}"
    if field.options.deprecated:
        words = f"{words} (deprecated)"
    return words


# The Python classes of the protocol's messages are compiled from the `.proto` files beside them.
#
# Both are in the repository, for each package of the platform (BitGN): `harness.proto` for runs and
# trials, and `ecom.proto` for the files and tools of a trial. The test compiles the files again.


def compiled_file(package: str, folder: Path) -> descriptor_pb2.FileDescriptorProto:
    """Compile the `.proto` file of a package now."""
    name = package.rpartition(".")[2]
    output = folder / "out.bin"
    standard_files = Path(protoc.__file__).parent / "_proto"
    exit_code = protoc.main(
        [
            "protoc",
            f"-I{ROOT}",
            f"-I{standard_files}",
            f"--descriptor_set_out={output}",
            f"benchmarks/bitgn/proto/{name}.proto",
        ]
    )
    assert exit_code == 0
    return descriptor_pb2.FileDescriptorSet.FromString(output.read_bytes()).file[0]


def remove_json_names(messages: list[descriptor_pb2.DescriptorProto]) -> None:
    """Remove the names of fields in JSON, which only one of the two compilers writes."""
    for message in messages:
        for field in message.field:
            field.ClearField("json_name")
        remove_json_names(list(message.nested_type))


@pytest.mark.parametrize("package", ["bitgn.harness", "bitgn.vm.ecom"])
def test_committed_classes_are_compiled_from_the_proto_file(
    package: str, tmp_path: Path
) -> None:
    """Whoever changes a `.proto` file has to compile it, and to commit the new classes."""
    compiled = compiled_file(package, tmp_path)
    committed = descriptor_pb2.FileDescriptorProto()
    for service in SERVICES.values():
        if service.file.package == package:
            service.file.CopyToProto(committed)

    remove_json_names(list(compiled.message_type))
    remove_json_names(list(committed.message_type))
    assert committed == compiled


# The values of received messages: one of a wrong type is refused.
#
# `RPCS["read"].request_from_wire({"startLine": 7})` returns `{"start_line": 7, ...}`: our names, and
# values of the types in the `.proto` files. A message from the network may have any: `{"path": 7}`.


@pytest.mark.parametrize(
    ("operation", "message", "expected_error"),
    [
        pytest.param("read", {"path": 7}, "path", id="number for text"),
        pytest.param(
            "read", {"startLine": "seven"}, "startLine", id="word for a number"
        ),
        pytest.param("read", {"startLine": 7.5}, "startLine", id="fraction"),
        pytest.param(
            "read", {"startLine": True}, "startLine", id="boolean for a number"
        ),
        pytest.param("exec", {"args": "one"}, "args", id="text for a list"),
        pytest.param(
            "exec", {"args": ["one", 2]}, "args", id="number in a list of texts"
        ),
        pytest.param("find", {"kind": "LINK"}, "kind", id="unknown name"),
        pytest.param("find", {"kind": 9}, "kind", id="unknown number of a name"),
        pytest.param("find", {"kind": -1}, "kind", id="negative number of a name"),
        pytest.param("find", {"kind": True}, "kind", id="boolean for a name"),
        pytest.param("read", ["path"], "is not a message", id="list for a message"),
    ],
)
def test_value_of_a_wrong_type_is_refused_with_the_name_of_its_field(
    operation: str, message: Any, expected_error: str
) -> None:
    """The error names the field as the protocol does: `startLine` and not `start_line`."""
    with pytest.raises(ShapeError, match=expected_error):
        RPCS[operation].request_from_wire(message)


@pytest.mark.parametrize(
    ("operation", "message", "expected_error"),
    [
        pytest.param("find", {"truncated": 1}, "truncated", id="number for a boolean"),
        pytest.param(
            "tree", {"root": {"children": {}}}, "children", id="object for a list"
        ),
        pytest.param(
            "tree",
            {"root": {"children": [{"children": ["x"]}]}},
            "children: children",
            id="text for a node of a tree",
        ),
    ],
)
def test_value_of_a_wrong_type_is_refused_in_a_reply(
    operation: str, message: dict[str, Any], expected_error: str
) -> None:
    with pytest.raises(ShapeError, match=expected_error):
        RPCS[operation].reply_from_wire(message)


@pytest.mark.parametrize("value", [7, "7", 7.0])
def test_whole_number_may_be_sent_as_text_or_with_a_decimal_point(
    value: object,
) -> None:
    """The protocol allows all three, and sends 64-bit numbers as text."""
    message: Any = {"startLine": value}

    assert RPCS["read"].request_from_wire(message)["start_line"] == 7


def test_text_that_is_the_name_of_a_default_is_sent() -> None:
    """Only a field with names for its values leaves out the name of the default."""
    content = "NODE_KIND_UNSPECIFIED"

    request = RPCS["write"].request_to_wire({"path": "/a.txt", "content": content})

    assert request["content"] == content


@pytest.mark.parametrize("package", ["bitgn.harness", "bitgn.vm.ecom"])
def test_every_method_value_and_field_of_the_platform_is_in_the_proto_file(
    package: str,
) -> None:
    """The names, numbers and types must be equal."""
    if not PLATFORM_DESCRIPTION.exists():
        pytest.skip("the platform's description is not on this machine")
    file = FileDescriptorProto()
    for service in SERVICES.values():
        if service.file.package == package:
            service.file.CopyToProto(file)
    compiled = list(compiled_rows(file))

    row_count = 0
    for kind, row in described_rows(package):
        row_count += 1
        if row[0] == "ContextResponse":
            continue  # One package describes this message, which its service does not use.
        assert (kind, row) in compiled

    assert row_count > 50  # The tables were found.
