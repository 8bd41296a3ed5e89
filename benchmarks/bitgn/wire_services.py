"""The services of the platform: `.proto` files from its public description, and compiled.

After a change of `proto/NAME.proto`, run this command in the root of the repository, where P is
`benchmarks/bitgn/proto`:
`python -m grpc_tools.protoc -I. --descriptor_set_out=$P/NAME.binpb $P/NAME.proto`.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Final

from google.protobuf import (
    descriptor_pb2,
    descriptor_pool,
    struct_pb2,  # noqa: F401 - `harness.proto` needs it loaded
)
from google.protobuf.descriptor import ServiceDescriptor


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
