"""Endpoints: the functions that handle the methods of services.

The library `connectrpc` works with protobuf messages; the services here work with fields,
as `{"path": "/a.md"}`. Our codecs (`wire_codecs`) convert between bodies and fields, so the
library calls an endpoint with the fields of a request, and sends the `Reply` that it returns.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from connectrpc.method import IdempotencyLevel, MethodInfo, StreamType
from connectrpc.request import RequestContext
from connectrpc.server import Endpoint
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message_factory import GetMessageClass

from controlplane.benchmarks.bitgn.server.message_fields import Fields
from controlplane.benchmarks.bitgn.server.wire_codecs import Reply

Context: TypeAlias = RequestContext[Any, Any]
LibraryEndpoint: TypeAlias = Any
"""The library's endpoint for a method. The library does not export its type."""


def endpoint_of(
    method: MethodDescriptor,
    call: Callable[[Fields, Context], Awaitable[Reply]],
) -> LibraryEndpoint:
    """Return the library's endpoint for a method, whose calls `call` handles."""
    # The library names the message classes to the codecs, which know the fields by them.
    info: MethodInfo[Any, Any] = MethodInfo(
        name=method.name,
        service_name=method.containing_service.full_name,
        input=GetMessageClass(method.input_type),
        output=GetMessageClass(method.output_type),
        idempotency_level=IdempotencyLevel.UNKNOWN,
        stream_type=StreamType.UNARY,
    )
    return Endpoint.unary(method=info, function=call)
