"""The Python classes of the protocol's messages are compiled from the `.proto` files beside them.

Both are in the repository, for each package of the platform (BitGN): `harness.proto` for runs and
trials, and `ecom.proto` for the files and tools of a trial. The test compiles the files again.
"""

from pathlib import Path

import pytest
from google.protobuf import descriptor_pb2
from grpc_tools import protoc

from controlplane.benchmarks.bitgn.proto import SERVICES
from tests.support.command import ROOT


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
