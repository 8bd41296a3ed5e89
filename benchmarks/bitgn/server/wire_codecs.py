"""Bodies of requests and replies: JSON or binary protobuf.

The server library asks a codec for its name and calls `decode` for a request's body and
`encode` for a reply. So endpoints see fields, `{"path": "/a.md"}`, whatever was sent.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from google.protobuf.json_format import MessageToDict, ParseDict
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticSerializationError, from_json, to_json

from controlplane.benchmarks.bitgn.server.message_fields import Fields
from controlplane.sandbox.interface import Plain


class Reply(NamedTuple):
    """The reply of an endpoint, which a codec encodes as a body."""

    fields: Fields
    """The message as proto3 JSON."""
    message_class: type[Any]
    """The protobuf class of the message, needed for a binary body."""


class JsonCodec:
    """Encodes and decodes bodies in JSON. The services check the fields.

    A request may name a field as the `.proto` files do, `trial_id`, or as replies do,
    `trialId`.
    """

    def name(self) -> str:
        """Return the subtype of the content type."""
        return "json"

    def encode(self, message: Reply) -> bytes:
        """Return the body of a reply."""
        try:
            return to_json(message.fields)
        except PydanticSerializationError:
            # A text contains a lone surrogate such as `\ud83d`, which UTF-8 cannot encode.
            return json.dumps(message.fields).encode()

    def decode(
        self, data: bytes | bytearray, message_class: type[Any]
    ) -> dict[str, Plain]:
        """Return the fields of a request, without null values.

        Raises `ValueError` if the body is not JSON or contains a text that is not valid
        UTF-8, and `TypeError` if it is not an object.
        """
        if not data:
            data = b"{}"  # A request without fields may have an empty body.
        fields = from_json(bytes(data))
        if not isinstance(fields, dict):
            msg = (
                f"the body is not a {message_class.DESCRIPTOR.name}: send a JSON object"
            )
            raise TypeError(msg)
        request = {}
        for name, value in fields.items():
            if value is not None:
                wire_name = to_camel(name) if "_" in name else name
                request[wire_name] = value
        return request


class ProtobufCodec:
    """Encodes and decodes bodies in binary protobuf."""

    def name(self) -> str:
        """Return the subtype of the content type."""
        return "proto"

    def encode(self, message: Reply) -> bytes:
        """Return the body of a reply."""
        protobuf_message = ParseDict(dict(message.fields), message.message_class())
        body: bytes = protobuf_message.SerializeToString()
        return body

    def decode(
        self, data: bytes | bytearray, message_class: type[Any]
    ) -> dict[str, Plain]:
        """Return the fields of a request."""
        fields: dict[str, Plain] = MessageToDict(message_class.FromString(bytes(data)))
        return fields
