"""The messages of the platform's protocol: their description, and the check of their values.

The `.proto` files in the repository are compiled to the Python classes of messages. The
tests show that the two agree with each other and with the platform's own description, and
that a received message with a wrong value, such as `{"path": 7}`, is refused.
"""

import re
from pathlib import Path

import pytest
from google.protobuf import descriptor_pb2
from google.protobuf.descriptor import FieldDescriptor, FileDescriptor
from grpc_tools import protoc

from controlplane.benchmarks.bitgn.proto import SERVICES
from controlplane.benchmarks.bitgn.wire_types import Field, NodeList, from_wire
from controlplane.benchmarks.bitgn.wire_values import (
    NamedValues,
    Scalar,
    ShapeError,
    TextList,
)
from tests.benchmarks.bitgn.proto.described_protocol import (
    PLATFORM_DESCRIPTION,
    described_rows,
)

REPOSITORY = Path(__file__).parents[4]
FILES_BY_PACKAGE = {service.file.package: service.file for service in SERVICES.values()}
"""The compiled `.proto` files: `bitgn.harness` for `harness.proto`."""

every_package = pytest.mark.parametrize("package", sorted(FILES_BY_PACKAGE))
"""Runs a test for each package of messages."""


def compiled_file(package: str, folder: Path) -> descriptor_pb2.FileDescriptorProto:
    """Compile the `.proto` file of a package now."""
    name = package.rpartition(".")[2]
    output = folder / "out.bin"
    standard_files = Path(protoc.__file__).parent / "_proto"
    exit_code = protoc.main(
        [
            "protoc",
            f"-I{REPOSITORY}",
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


class TestCompiledClasses:
    """The Python classes in the repository are compiled from the `.proto` files beside them."""

    @every_package
    def test_committed_classes_are_compiled_from_the_proto_file(
        self, package: str, tmp_path: Path
    ) -> None:
        """Whoever changes a `.proto` file has to compile it, and to commit the new classes."""
        compiled = compiled_file(package, tmp_path)
        committed = descriptor_pb2.FileDescriptorProto()
        FILES_BY_PACKAGE[package].CopyToProto(committed)

        remove_json_names(list(compiled.message_type))
        remove_json_names(list(committed.message_type))
        assert committed == compiled


def check_method(file: FileDescriptor, row: list[str]) -> None:
    """Check a method of a service: the messages that it takes and returns."""
    service, name, request, response = row
    method = file.services_by_name[service].methods_by_name[name]
    assert method.input_type.name == request
    assert method.output_type.name == response


def check_enum_value(file: FileDescriptor, row: list[str]) -> None:
    """Check the number of a value such as `RUN_STATE_RUNNING`."""
    enum, name, number = row
    value = file.enum_types_by_name[enum].values_by_name[name]
    assert value.number == int(number)


def check_field(file: FileDescriptor, row: list[str]) -> None:
    """Check a field whose described type is, for example, `repeated string` or `Node`."""
    message_name, number, field_name, described_type = row
    if message_name == "ContextResponse":
        # The description of one package has this message, and its service does not use it.
        if message_name not in file.message_types_by_name:
            return
    outer_name, *nested_names = message_name.split(".")
    message = file.message_types_by_name[outer_name]
    for nested_name in nested_names:
        message = message.nested_types_by_name[nested_name]

    field = message.fields_by_name[field_name]
    is_deprecated = "deprecated" in described_type
    type_words = re.sub(r" \(deprecated\)", "", described_type).split(" ")
    is_repeated = type_words[0] == "repeated"
    is_single_message = field.message_type is not None and not is_repeated
    assert field.number == int(number)
    assert field.is_repeated == is_repeated
    assert field.has_presence == (type_words[0] == "optional" or is_single_message)
    assert field.GetOptions().deprecated == is_deprecated
    check_field_type(field, type_words[-1])


FIELD_TYPES = descriptor_pb2.FieldDescriptorProto
SCALAR_TYPES = {
    "string": FIELD_TYPES.TYPE_STRING,
    "bool": FIELD_TYPES.TYPE_BOOL,
    "int32": FIELD_TYPES.TYPE_INT32,
    "int64": FIELD_TYPES.TYPE_INT64,
    "float": FIELD_TYPES.TYPE_FLOAT,
}
"""The types of protobuf by the words of the description."""


def check_field_type(field: FieldDescriptor, type_name: str) -> None:
    """Check a field's type: a scalar, or a message or enum with or without its package."""
    if type_name in SCALAR_TYPES:
        assert field.type == SCALAR_TYPES[type_name]
        return
    message_or_enum = field.message_type or field.enum_type
    full_name = message_or_enum.full_name
    assert full_name == type_name or full_name.endswith(f".{type_name}")


class TestPlatformsDescription:
    """The `.proto` files have all that the platform's own description of its protocol has.

    It is a Markdown file beside the repository, with tables of methods, values and fields for
    each package of messages.
    """

    @every_package
    def test_every_method_value_and_field_of_the_platform_is_in_the_proto_file(
        self, package: str
    ) -> None:
        """The names, numbers and types must be equal. The description is a Markdown file."""
        if not PLATFORM_DESCRIPTION.exists():
            pytest.skip("the platform's description is not on this machine")
        file = FILES_BY_PACKAGE[package]

        row_count = 0
        for kind, row in described_rows(package):
            row_count += 1
            match kind:
                case "service":
                    check_method(file, row)
                case "enum":
                    check_enum_value(file, row)
                case "message":
                    check_field(file, row)

        assert row_count > 50  # The tables were found.


# The fields of a message: our name, the protocol's name, and the type if it is not text
FIELDS = (
    Field("path", "path"),
    Field("start_line", "startLine", Scalar(0)),
    Field("truncated", "truncated", Scalar(False)),
    Field("args", "args", TextList()),
    Field("is_dir", "kind", NamedValues({"FILE": False, "DIR": True})),
    Field("children", "children", NodeList((Field("name", "name"),))),
)


class TestReceivedValues:
    """A received message may have values of any type, and a wrong one is refused.

    `from_wire(FIELDS, {"startLine": 7})` returns `{"start_line": 7, ...}`: our names, and
    values of the right types.
    """

    @pytest.mark.parametrize(
        ("message", "expected_error"),
        [
            pytest.param({"path": 7}, "path", id="number for text"),
            pytest.param({"startLine": "seven"}, "startLine", id="word for a number"),
            pytest.param({"startLine": 7.5}, "startLine", id="fraction"),
            pytest.param({"startLine": True}, "startLine", id="boolean for a number"),
            pytest.param({"truncated": 1}, "truncated", id="number for a boolean"),
            pytest.param({"args": "one"}, "args", id="text for a list"),
            pytest.param({"args": ["one", 2]}, "args", id="number in a list of texts"),
            pytest.param({"kind": "LINK"}, "kind", id="unknown name"),
            pytest.param({"kind": 9}, "kind", id="unknown number of a name"),
            pytest.param({"kind": -1}, "kind", id="negative number of a name"),
            pytest.param({"kind": True}, "kind", id="boolean for a name"),
            pytest.param({"children": {}}, "children", id="object for a list"),
            pytest.param(
                {"children": [{"children": ["x"]}]},
                "children: children",
                id="text for a node of a tree",
            ),
            pytest.param(["path"], "is not a message", id="list for a message"),
        ],
    )
    def test_value_of_a_wrong_type_is_refused_with_the_name_of_its_field(
        self, message: object, expected_error: str
    ) -> None:
        """The error names the field as the protocol does: `startLine` and not `start_line`."""
        with pytest.raises(ShapeError, match=expected_error):
            from_wire(FIELDS, message)

    @pytest.mark.parametrize("value", [7, "7", 7.0])
    def test_whole_number_may_be_sent_as_text_or_with_a_decimal_point(
        self, value: object
    ) -> None:
        """The protocol allows all three, and sends 64-bit numbers as text."""
        result = from_wire(FIELDS, {"startLine": value})

        assert result["start_line"] == 7
