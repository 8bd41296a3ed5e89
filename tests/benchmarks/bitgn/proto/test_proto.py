"""The committed messages are what the `.proto` files say,
and those are what the platform's description says."""

import re
from pathlib import Path

import pytest
from google.protobuf import descriptor_pb2
from grpc_tools import protoc

import controlplane.benchmarks.bitgn.proto as package
from controlplane.benchmarks.bitgn.proto import SERVICES
from controlplane.benchmarks.bitgn.wire_types import (
    Field,
    NamedValues,
    NodeList,
    Scalar,
    ShapeError,
    TextList,
    from_wire,
)

FOLDER = Path(package.__file__).parent
ROOT = FOLDER.parents[2]
WIRE = ROOT.parent / "shared" / "ecom1" / "WIRE.md"
FILES = {service.file.package: service.file for service in SERVICES.values()}
FIELD = descriptor_pb2.FieldDescriptorProto
SCALARS = {
    "string": FIELD.TYPE_STRING,
    "bool": FIELD.TYPE_BOOL,
    "int32": FIELD.TYPE_INT32,
    "int64": FIELD.TYPE_INT64,
    "float": FIELD.TYPE_FLOAT,
}


@pytest.mark.parametrize("package_name", sorted(FILES))
def test_the_committed_description_is_what_its_proto_file_compiles_to(
    package_name, tmp_path
):
    proto = f"benchmarks/bitgn/proto/{package_name.rpartition('.')[2]}.proto"
    out = tmp_path / "out.bin"
    include = Path(protoc.__file__).parent / "_proto"

    assert (
        protoc.main(
            ["", f"-I{ROOT}", f"-I{include}", f"--descriptor_set_out={out}", proto]
        )
        == 0
    )
    compiled = descriptor_pb2.FileDescriptorSet.FromString(out.read_bytes()).file[0]
    for field in (
        field for message in compiled.message_type for field in every_field(message)
    ):
        field.ClearField("json_name")
    generated = descriptor_pb2.FileDescriptorProto()
    FILES[package_name].CopyToProto(generated)
    for field in (
        field for message in generated.message_type for field in every_field(message)
    ):
        field.ClearField("json_name")
    assert generated == compiled


def every_field(message):
    yield from message.field
    for nested in message.nested_type:
        yield from every_field(nested)


def described(package_name: str) -> list[list[str]]:
    section = (
        WIRE.read_text().split(f"## package `{package_name}`")[1].split("\n## ")[0]
    )
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in section.splitlines()
        if line[:1] == "|"
    ]
    return [row for row in rows if set(row[0]) != {"-"}]


@pytest.mark.parametrize("package_name", sorted(FILES))
def test_every_method_value_and_field_of_the_description_is_there(package_name):
    if not WIRE.exists():
        pytest.skip("the platform's description is not beside the repository")
    described_file = FILES[package_name]
    checked = 0
    kind = ""
    for row in described(package_name):
        if row[0] in ("service", "enum", "message"):
            kind = row[0]
            continue
        if kind == "service":
            method = described_file.services_by_name[row[0]].methods_by_name[row[1]]
            assert [method.input_type.name, method.output_type.name] == row[2:]
        elif kind == "enum":
            assert described_file.enum_types_by_name[row[0]].values_by_name[
                row[1]
            ].number == int(row[2])
        elif (
            row[0] != "ContextResponse"
            or "ContextResponse" in described_file.message_types_by_name
        ):
            check_field(described_file, row)
        checked += 1

    assert checked > 50


def check_field(described_file, row: list[str]) -> None:
    message = described_file.message_types_by_name[row[0].split(".")[0]]
    for part in row[0].split(".")[1:]:
        message = message.nested_types_by_name[part]
    field = message.fields_by_name[row[2]]
    wanted = re.sub(r" \(deprecated\)", "", row[3])
    assert field.number == int(row[1])
    assert field.is_repeated == wanted.startswith("repeated ")
    assert field.has_presence == (
        wanted.startswith("optional ")
        or (field.message_type is not None and not field.is_repeated)
    )
    assert field.GetOptions().deprecated == ("deprecated" in row[3])
    name = wanted.split(" ")[-1]
    if name in SCALARS:
        assert field.type == SCALARS[name]
    else:
        type_of = field.message_type or field.enum_type
        assert type_of.full_name.endswith(f".{name}") or type_of.full_name == name


FIELDS = (
    Field("path", "path"),
    Field("start_line", "startLine", Scalar(0)),
    Field("truncated", "truncated", Scalar(False)),
    Field("args", "args", TextList()),
    Field("is_dir", "kind", NamedValues({"FILE": False, "DIR": True})),
    Field(
        "children",
        "children",
        NodeList((Field("name", "name"),)),
    ),
)


@pytest.mark.parametrize(
    ("message", "named"),
    [
        ({"path": 7}, "path"),
        ({"startLine": "seven"}, "startLine"),
        ({"startLine": 7.5}, "startLine"),
        ({"startLine": True}, "startLine"),
        ({"truncated": 1}, "truncated"),
        ({"args": "one"}, "args"),
        ({"args": ["one", 2]}, "args"),
        ({"kind": "LINK"}, "kind"),
        ({"kind": 9}, "kind"),
        ({"kind": -1}, "kind"),
        ({"kind": True}, "kind"),
        ({"children": {}}, "children"),
        ({"children": [{"children": ["x"]}]}, "children: children"),
        (["path"], "is not a message"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_by_name(message, named):
    with pytest.raises(ShapeError, match=named):
        from_wire(FIELDS, message)


@pytest.mark.parametrize("sent", [7, "7", 7.0])
def test_a_whole_number_may_be_sent_as_text_or_with_a_point(sent):
    assert from_wire(FIELDS, {"startLine": sent})["start_line"] == 7
