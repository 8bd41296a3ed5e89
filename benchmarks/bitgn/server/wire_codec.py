"""Encodes and decodes bodies of the wire: JSON and protobuf, plain and gzip-compressed, within a limit.

Inside the server a message has its proto3 JSON form; the `.proto` files define what is valid.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from google.protobuf.json_format import MessageToDict, Parse, ParseDict, ParseError
from google.protobuf.message import DecodeError, Message

from benchmarks.bitgn.server.refused_call import Refused
from sandbox.interface import Plain, error_codes

JSON: Final = "application/json"
PROTOBUF: Final = "application/proto"
COMPRESSED_FROM_BYTES: Final = 1400
"""Replies from this size on are compressed if the client accepts it; shorter ones fit one packet anyway."""

Headers = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class HttpReply:
    """An HTTP reply."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


def body_type(headers: Headers) -> str:
    """Return the request's content type, JSON or PROTOBUF. Raises `Refused` for any other."""
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in (JSON, PROTOBUF):
        raise Refused(
            error_codes.INTERNAL, f"the body is {kind or 'of no type'}; send {JSON} or {PROTOBUF}", status=415
        )
    return kind


def decompressed(headers: Headers, body: bytes, *, most: int) -> bytes:
    """Return the decompressed body. Raises `Refused` for a coding other than gzip, or more than `most` bytes."""
    coding = headers.get("content-encoding", "identity").strip().lower()
    if coding in ("", "identity"):
        return body
    if coding != "gzip":
        raise Refused(error_codes.UNIMPLEMENTED, f"content-encoding {coding} is unknown; send gzip or none")
    inflate = zlib.decompressobj(wbits=31)
    try:
        plain = inflate.decompress(body, most + 1)
    except zlib.error as error:
        raise Refused(error_codes.INVALID_ARGUMENT, f"the body is no gzip: {error}") from None
    if len(plain) > most:
        raise too_long(most)
    if not inflate.eof:
        raise Refused(error_codes.INVALID_ARGUMENT, "the body is a gzip that was cut off")
    return plain


def too_long(most: int) -> Refused:
    """Return the refusal of a body longer than `most` bytes."""
    return Refused(error_codes.INVALID_ARGUMENT, f"the body is longer than {most} bytes", status=413)


def decoded(kind: str, body: bytes, message: Message) -> Message:
    """Fill `message` from a body and return it. Raises `Refused` if the body does not fit."""
    try:
        if kind == PROTOBUF:
            message.ParseFromString(body)
        elif body.strip():
            Parse(body.decode(), message, ignore_unknown_fields=True)
    except (DecodeError, ParseError, UnicodeDecodeError, RecursionError) as error:
        text = " ".join(str(error).split())[:200]
        raise Refused(error_codes.INVALID_ARGUMENT, f"the body is no {message.DESCRIPTOR.name}: {text}") from None
    return message


def as_json(message: Message) -> dict[str, Plain]:
    """Return a message as proto3 JSON."""
    fields: dict[str, Plain] = MessageToDict(message)
    return fields


def encoded(kind: str, fields: Mapping[str, Plain], message: Message, headers: Headers) -> HttpReply:
    """Return a reply with `fields` in the request's content type; `message` is an empty reply."""
    if kind == PROTOBUF:
        body = ParseDict(dict(fields), message).SerializeToString()
    else:
        body = json.dumps(fields, separators=(",", ":")).encode()
    reply_headers = [("content-type", kind)]
    if len(body) >= COMPRESSED_FROM_BYTES and "gzip" in headers.get("accept-encoding", ""):
        body = gzip.compress(body, compresslevel=1)
        reply_headers.append(("content-encoding", "gzip"))
    return HttpReply(200, tuple(reply_headers), body)


def refused(error: Refused) -> HttpReply:
    """Return the reply to a refused call, which is always JSON."""
    headers = [("content-type", JSON)]
    if error.retry_after_s is not None:
        headers.append(("retry-after", f"{error.retry_after_s:g}"))
    body = json.dumps({"code": error.code, "message": error.message}).encode()
    return HttpReply(error.status, tuple(headers), body)
