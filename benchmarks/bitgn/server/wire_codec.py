"""Requests and replies of the wire: JSON and protobuf, plain and gzip-compressed, within limits; refusals; methods.

Inside the server a message has its proto3 JSON form; the `.proto` files define what is valid.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from sandbox.interface import Plain, error_codes

JSON: Final = "application/json"
PROTOBUF: Final = "application/proto"
COMPRESSED_FROM_BYTES: Final = 1400
"""Replies from this size on are compressed if the client accepts it; shorter ones fit one packet anyway."""
MOST_VALUES: Final = 20_000
"""Values in one request: each may take a hundred times the memory of its text."""
LONG_CHARS: Final = 4_096
"""Texts from this length on are put into messages directly: the library looks through each, at 60 ns a character."""
STATUS: Final = {
    "canceled": 499,
    "unknown": 500,
    "invalid_argument": 400,
    "deadline_exceeded": 504,
    "not_found": 404,
    "already_exists": 409,
    "permission_denied": 403,
    "resource_exhausted": 429,
    "failed_precondition": 400,
    "aborted": 409,
    "out_of_range": 400,
    "unimplemented": 501,
    "internal": 500,
    "unavailable": 503,
    "data_loss": 500,
    "unauthenticated": 401,
}
"""HTTP statuses by the codes of the Connect protocol."""

Headers: TypeAlias = Mapping[str, str]


class Refused(Exception):
    """A refused call. `status` replaces the code's own status if HTTP has a better one."""

    def __init__(
        self, code: str, message: str, *, retry_after_s: float | None = None, status: int | None = None
    ) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code if code in STATUS else error_codes.INTERNAL
        self.message = message
        self.retry_after_s = retry_after_s
        self.status = status or STATUS[self.code]


@dataclass(frozen=True, slots=True)
class HttpReply:
    """An HTTP reply."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


@dataclass(frozen=True, slots=True)
class Target:
    """The target that the URL of a call names."""

    address: str
    """The base URL under which the client reached the server."""
    trial_id: str = ""
    """The trial whose runtime is called; empty for calls of the control plane."""


Handle: TypeAlias = Callable[[Message, Target], Mapping[str, Plain]]


@dataclass(frozen=True, slots=True)
class Method:
    """One method: turns a request into the fields of a reply, or raises `Refused`."""

    described: MethodDescriptor
    handle: Handle
    subject: Callable[[Message, Target], str]
    """Returns the run or trial of the call: calls with the same subject run one at a time; empty for no limit."""

    def request(self) -> Message:
        """Return an empty request."""
        return GetMessageClass(self.described.input_type)()

    def reply(self) -> Message:
        """Return an empty reply."""
        return GetMessageClass(self.described.output_type)()


Methods: TypeAlias = Mapping[str, Method]


def body_type(headers: Headers) -> str:
    """Return the request's content type, JSON or PROTOBUF. Raises `Refused` for any other."""
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in (JSON, PROTOBUF):
        msg = f"the body is {kind[:60] or 'of no type'}; send {JSON} or {PROTOBUF}"
        raise Refused(error_codes.INTERNAL, msg, status=415)
    return kind


def decompressed(headers: Headers, body: bytes, *, most: int) -> bytes:
    """Return the decompressed body. Raises `Refused` for a coding other than gzip, or more than `most` bytes."""
    coding = headers.get("content-encoding", "identity").strip().lower()
    if coding in ("", "identity"):
        return body
    if coding != "gzip":
        raise Refused(error_codes.UNIMPLEMENTED, f"content-encoding {coding[:60]} is unknown; send gzip or none")
    inflate = zlib.decompressobj(wbits=31)
    try:
        plain = inflate.decompress(body, most + 1)
    except zlib.error as error:
        raise Refused(error_codes.INVALID_ARGUMENT, f"the body is not gzip: {error}") from None
    if len(plain) > most:
        raise too_long(most)
    if not inflate.eof or inflate.unused_data:
        raise Refused(error_codes.INVALID_ARGUMENT, "the body is not one whole gzip")
    return plain


def too_long(most: int) -> Refused:
    """Return the refusal of a body longer than `most` bytes."""
    return Refused(error_codes.INVALID_ARGUMENT, f"the body is longer than {most} bytes", status=413)


def decoded(kind: str, body: bytes, message: Message) -> Message:
    """Fill `message` from a body and return it. Raises `Refused` if the body does not fit."""
    too_many = Refused(error_codes.INVALID_ARGUMENT, f"the body holds more than {MOST_VALUES} values")
    try:
        if kind == PROTOBUF:
            message.ParseFromString(body)
            if any(field.is_repeated and len(value) > MOST_VALUES for field, value in message.ListFields()):
                raise too_many
        elif text := body.strip():
            if not text.startswith(b"{"):
                msg = "send a JSON object"
                raise ValueError(msg)
            if _has_more_values(body, MOST_VALUES):
                raise too_many
            _fill(message, json.loads(body.decode(), object_pairs_hook=_unique))
    except Refused:
        raise
    except Exception as error:  # noqa: BLE001 - for a body that does not fit, the libraries raise errors of any kind
        why = " ".join(str(error)[:1000].split())[:200]
        raise Refused(error_codes.INVALID_ARGUMENT, f"the body is not a {message.DESCRIPTOR.name}: {why}") from None
    return message


def _unique(members: list[tuple[str, Plain]]) -> dict[str, Plain]:
    fields = dict(members)
    if len(fields) < len(members):
        msg = "it gives one field twice"
        raise ValueError(msg)
    return fields


def _has_more_values(body: bytes, most: int) -> bool:
    """Say whether a JSON document may hold more than `most` values, without parsing it."""
    plain = body.replace(b"\\\\", b"").replace(b'\\"', b"")
    if plain.count(b'"') > 4 * most:
        return True
    outside = b"".join(plain.split(b'"')[::2])
    return outside.count(b",") + outside.count(b"[") + outside.count(b"{") > most


def _fill(message: Message, fields: dict[str, Plain]) -> Message:
    """Fill a message from its proto3 JSON form and return it. If they do not fit, the library may raise any error."""
    for field in message.DESCRIPTOR.fields:
        value = fields.get(field.json_name)
        given = value if isinstance(value, list) else [value]
        texts = [text for text in given if isinstance(text, str)]
        is_fit = field.type == field.TYPE_STRING and field.is_repeated == isinstance(value, list)
        if is_fit and len(texts) == len(given) and sum(map(len, texts)) >= LONG_CHARS:
            del fields[field.json_name]
            if field.is_repeated:
                getattr(message, field.name).extend(texts)
            else:
                setattr(message, field.name, value)
    return ParseDict(fields, message, ignore_unknown_fields=True)


def as_json(message: Message) -> dict[str, Plain]:
    """Return a message as proto3 JSON."""
    fields: dict[str, Plain] = MessageToDict(message)
    return fields


def encoded(kind: str, fields: Mapping[str, Plain], message: Message, headers: Headers) -> HttpReply:
    """Return a reply with `fields` in the request's content type; `message` is an empty reply."""
    if kind == PROTOBUF:
        body = _fill(message, dict(fields)).SerializeToString()
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
    body = json.dumps({"code": error.code, "message": error.message[:2000]}).encode()
    return HttpReply(error.status, tuple(headers), body)
