"""The `.proto` files have all that the platform's (BitGN's) own description of its protocol has.

The description is a Markdown file beside the repository, with tables of methods, values and fields
for each package of messages. A row `ReadRequest | 1 | path | string` is a field.
"""

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto

from controlplane.benchmarks.bitgn.proto import SERVICES
from tests.benchmarks.bitgn.proto.compiled_rows import compiled_rows
from tests.benchmarks.bitgn.proto.described_protocol import (
    PLATFORM_DESCRIPTION,
    described_rows,
)


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
