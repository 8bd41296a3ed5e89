"""The compiled `.proto` files of the platform's (BitGN's) protocol, as rows of its description.

`compiled_rows(file)` has a row for each method, value of an enum, and field:
`("message", ["ReadRequest", "1", "path", "string"])`. So it can be compared with the platform's own
description, a Markdown file with tables.
"""

from collections.abc import Iterator

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
)

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
