"""The messages of the wire: `.proto` files, written from the platform's public description, and protoc's output.

After a change of `NAME.proto`, run in the repository's root, with the folder of this module as P:
`python -m grpc_tools.protoc -I. --descriptor_set_out=$P/NAME.binpb --pyi_out=. $P/NAME.proto`.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, struct_pb2  # `harness.proto` imports the last one
from google.protobuf.internal import builder


def build_messages(name: str, module: dict[str, Any]) -> None:
    """Put the descriptor, messages and enums of `NAME.proto` into the globals of a module."""
    compiled = descriptor_pb2.FileDescriptorSet.FromString((files(__name__) / f"{name}.binpb").read_bytes())
    module["DESCRIPTOR"] = descriptor_pool.Default().AddSerializedFile(compiled.file[0].SerializeToString())
    builder.BuildMessageAndEnumDescriptors(module["DESCRIPTOR"], module)
    builder.BuildTopDescriptorsAndMessages(module["DESCRIPTOR"], module["__name__"], module)
