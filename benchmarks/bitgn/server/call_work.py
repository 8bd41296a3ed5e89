"""The work of one call: done in a thread, with errors translated to those of Connect.

The server is asynchronous, but the methods of its services block. So each call waits for its
turn, runs in a thread, and its errors become replies that clients understand.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any, NamedTuple

from connectrpc.code import Code
from connectrpc.errors import ConnectError
from connectrpc.request import RequestContext
from google.protobuf.json_format import MessageToDict, ParseDict
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticSerializationError, from_json, to_json

from controlplane.benchmark import BenchmarkError
from controlplane.benchmarks.bitgn.server.harness import Fields
from controlplane.sandbox.interface import CallError, Plain, bounds

# Bodies of requests and replies: JSON or binary protobuf.
#
# The server library asks a codec for its name and calls `decode` for a request's body and
# `encode` for a reply. So endpoints see fields, `{"path": "/a.md"}`, whatever was sent.


class WireReply(NamedTuple):
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

    def encode(self, message: WireReply) -> bytes:
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

    def encode(self, message: WireReply) -> bytes:
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


_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Work:
    """The work of one call: a function, and the threads and semaphores that it needs."""

    handle: Callable[[], Fields]
    """Does the work in a thread and returns the reply's fields."""
    threads: ThreadPoolExecutor
    semaphores: list[asyncio.Semaphore]
    """The semaphores to acquire, in this order. They are held until the call is done."""


async def result_of(work: Work, context: RequestContext[Any, Any]) -> Fields:
    """Wait for the result of a call. Raises `ConnectError`.

    If the client disconnects, the call still finishes and keeps its semaphores.
    Otherwise the next call could meet a half-made change.
    """
    task = asyncio.create_task(_do(work))
    task.add_done_callback(_mark_error_as_seen)
    try:
        return await asyncio.shield(task)
    except (BenchmarkError, CallError) as error:
        # Only a `BenchmarkError` may say after which pause the client may try again.
        pause_s = getattr(error, "retry_after_s", None)
        if pause_s is not None:
            context.response_headers["retry-after"] = f"{pause_s:g}"
        # The error refers by its traceback to this function, and `task` here to the error.
        # Such a cycle would keep the request in memory for longer.
        error.__traceback__ = None
        msg = error.message[: bounds.MOST_REFUSAL_CHARS]
        raise ConnectError(_code_of(error), msg) from None
    except Exception as error:  # noqa: BLE001 - the server must survive any failure of one request
        _log.exception("a call failed")
        msg = f"the server failed: {type(error).__name__}"
        raise ConnectError(Code.INTERNAL, msg) from None


async def _do(work: Work) -> Fields:
    """Acquire the semaphores of a call, and then run it in a thread."""
    async with AsyncExitStack() as stack:
        for semaphore in work.semaphores:
            await stack.enter_async_context(semaphore)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(work.threads, work.handle)


def _mark_error_as_seen(task: asyncio.Task[Fields]) -> None:
    """Fetch the error of a call. Its client may have left, and asyncio logs unfetched errors."""
    if not task.cancelled():
        task.exception()


def _code_of(error: BenchmarkError | CallError) -> Code:
    """Return Connect's code for an error; `INTERNAL` if its own code is unknown."""
    try:
        return Code(error.code)
    except ValueError:
        return Code.INTERNAL
