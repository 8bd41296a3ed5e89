"""The ASGI application of the wire server: the Connect endpoints of every service.

The library `connectrpc` reads requests and writes replies, as JSON or binary protobuf. This module
finds the method that handles a call, gives it a thread, and turns its errors into Connect's. Whatever
goes wrong in one request costs that request alone; the length and the time of a body are bounded.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeAlias
from weakref import WeakValueDictionary

from connectrpc.code import Code
from connectrpc.errors import ConnectError
from connectrpc.method import IdempotencyLevel, MethodInfo, StreamType
from connectrpc.request import RequestContext
from connectrpc.server import ConnectASGIApplication, Endpoint
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.message_factory import GetMessageClass
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticSerializationError, from_json, to_json

from controlplane.benchmark import Benchmark, BenchmarkError
from controlplane.benchmarks.bitgn.proto import SERVICES
from controlplane.benchmarks.bitgn.remote_runtime import SERVICE
from controlplane.benchmarks.bitgn.server.harness_service import (
    ID_FIELDS,
    TRIAL_PREFIX,
    HarnessService,
)
from controlplane.benchmarks.bitgn.server.runtime_service import Fields, RuntimeService
from controlplane.benchmarks.bitgn.server.served_runs import ServerOptions
from controlplane.sandbox import ForkServer, SandboxBroken
from controlplane.sandbox.interface import CallError, Plain, bounds, error_codes

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
CallEndpoint: TypeAlias = Any
"""An endpoint of the library, whose type it does not export."""

HARNESS: Final = "bitgn.harness.HarnessService"
LIFECYCLE_THREADS: Final = 8
"""Calls about runs and trials that are handled at a time."""
RUNTIME_THREADS: Final = 16
"""Calls of trials' runtimes that are handled at a time; each may keep a process busy."""
RUNTIME_THREADS_OF_RUN: Final = 8
"""Of these, the calls of one run's trials, so that other runs find a thread."""

_log = logging.getLogger(__name__)


class Target(NamedTuple):
    """The target that the URL of a call names."""

    address: str
    """The base URL under which the client reached the server."""
    trial_id: str
    """The trial whose runtime is called; empty for calls of the control plane."""


_target: ContextVar[Target] = ContextVar("target")
"""The target of the request that the current task answers.

`WireApp.__call__` sets it, and the endpoints read it, as the library passes no URL on to them.
"""


class Reply(NamedTuple):
    """The reply of an endpoint, which a codec makes a body of.

    A request comes to an endpoint as its fields alone.
    """

    fields: Fields
    """The message as proto3 JSON."""
    message: type[Any]
    """The class of the message, which binary protobuf needs."""


class JsonCodec:
    """Bodies of JSON, whose fields the services check themselves.

    A request may name a field as the `.proto` files do, `trial_id`, or as replies do, `trialId`.
    """

    def name(self) -> str:
        """Return the subtype of the content type."""
        return "json"

    def encode(self, message: Reply) -> bytes:
        """Return the body of a reply."""
        try:
            return to_json(message.fields)
        except PydanticSerializationError:
            # A text holds half of a surrogate pair, as `\ud83d`, which has no UTF-8.
            return json.dumps(message.fields).encode()

    def decode(self, data: bytes | bytearray, message_class: type[Any]) -> dict[str, Plain]:
        """Return the fields of a request, without those that are null.

        Raises `ValueError` for a body that is not JSON, or has a text that UTF-8 cannot express, and
        `TypeError` if it is not an object.
        """
        fields = from_json(bytes(data) or b"{}")
        if not isinstance(fields, dict):
            msg = f"the body is not a {message_class.DESCRIPTOR.name}: send a JSON object"
            raise TypeError(msg)
        request = {}
        for name, value in fields.items():
            if value is not None:
                wire_name = to_camel(name) if "_" in name else name
                request[wire_name] = value
        return request


class ProtobufCodec:
    """Bodies of binary protobuf."""

    def name(self) -> str:
        """Return the subtype of the content type."""
        return "proto"

    def encode(self, message: Reply) -> bytes:
        """Return the body of a reply."""
        encoded: bytes = ParseDict(dict(message.fields), message.message()).SerializeToString()
        return encoded

    def decode(self, data: bytes | bytearray, message_class: type[Any]) -> dict[str, Plain]:
        """Return the fields of a request."""
        fields: dict[str, Plain] = MessageToDict(message_class.FromString(bytes(data)))
        return fields


class TimelyBody:
    """Receives a request's body, which must arrive in `bounds.LONGEST_BODY_S`."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._ends_at = asyncio.get_running_loop().time() + bounds.LONGEST_BODY_S
        self._is_complete = False
        """True once the whole body has arrived."""

    async def receive(self) -> MutableMapping[str, Any]:
        """Return the next message of the client. Raises `ConnectError` if it comes too late."""
        if self._is_complete:
            # Now the library waits for the client to disconnect, however long that takes.
            return await self._receive()
        try:
            async with asyncio.timeout_at(self._ends_at):
                message = await self._receive()
        except TimeoutError:
            msg = f"the body did not arrive in {bounds.LONGEST_BODY_S:g} s"
            raise ConnectError(Code.DEADLINE_EXCEEDED, msg) from None
        if not message.get("more_body"):
            self._is_complete = True
        return message


class ConnectApp(ConnectASGIApplication[None]):
    """The endpoints of every service."""

    path = "/"


class WireApp:
    """Serves one benchmark."""

    def __init__(self, benchmark: Benchmark, options: ServerOptions) -> None:
        self._options = options
        self._workers = ForkServer(options.worker_modules) if options.worker_modules else None
        self._harness = HarnessService(benchmark, options, self._workers)
        self.runs = self._harness.runs
        self._lifecycle_threads = ThreadPoolExecutor(LIFECYCLE_THREADS, "wire lifecycle")
        self._runtime_threads = ThreadPoolExecutor(RUNTIME_THREADS, "wire runtime")
        self._turns: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        """By the id of a run or a trial, the semaphore for which its calls wait in turn.

        It is kept as long as a call waits for it or holds it.
        """
        self._ending: asyncio.Task[None] | None = None
        endpoints = {**self._harness_endpoints(), **self._runtime_endpoints()}
        self._connect = ConnectApp(
            service=None,
            endpoints=lambda _: endpoints,
            read_max_bytes=options.body_bytes,
            codecs=(JsonCodec(), ProtobufCodec()),
        )

    def warm_up(self) -> None:
        """Start the process that trials' processes are forked from, and wait until it has imported everything.

        Raises `BenchmarkError`.
        """
        if self._workers is None:
            return
        try:
            self._workers.spawn(for_workers=True).end()
        except SandboxBroken as error:
            raise BenchmarkError(error_codes.UNAVAILABLE, str(error)) from None

    async def end_idle_runs(self) -> None:
        """Begin to end the runs that nobody has called for too long."""
        if self._ending is None or self._ending.done():
            self._ending = asyncio.create_task(self._end_idle_runs())

    async def _end_idle_runs(self) -> None:
        try:
            await asyncio.get_running_loop().run_in_executor(
                self._lifecycle_threads, self.runs.end_idle, self._options.idle_s
            )
        except Exception:  # noqa: BLE001 - whatever broke in the benchmark, the server goes on
            _log.exception("idle runs could not be ended; the server tries again")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        prefix = scope["path"].rsplit("/", 2)[0]
        trial_id = ""
        if prefix.startswith(TRIAL_PREFIX):
            trial_id = prefix.removeprefix(TRIAL_PREFIX)
        _target.set(Target(self._address_in(scope), trial_id))

        # Replies are not compressed: a short one costs both ends more than it saves.
        headers = []
        for name, value in scope["headers"]:
            if name != b"accept-encoding" and value.isascii():
                headers.append((name, value))
        timely = TimelyBody(receive)
        await self._connect(
            {**scope, "root_path": prefix, "headers": headers}, timely.receive, send
        )

    def _address_in(self, scope: Scope) -> str:
        """Return the base URL under which the client reached the server."""
        host = f"{self._options.host}:{self._options.port}"
        for name, value in scope["headers"]:
            if name == b"host" and value:
                host = value.decode("latin-1")
                break
        return f"{scope.get('scheme', 'http')}://{host}"

    def close(self) -> None:
        """Release the threads and the processes of trials."""
        for threads in (self._lifecycle_threads, self._runtime_threads):
            threads.shutdown(wait=False, cancel_futures=True)
        self.runs.close()
        if self._workers is not None:
            self._workers.close()

    # --- Endpoints ---

    def _harness_endpoints(self) -> dict[str, CallEndpoint]:
        """Return the endpoints of the service of runs and trials, by path."""
        endpoints = {}
        for described in SERVICES[HARNESS].methods:
            endpoints[f"/{HARNESS}/{described.name}"] = self._harness_endpoint(described)
        return endpoints

    def _harness_endpoint(self, described: MethodDescriptor) -> CallEndpoint:
        """Return the endpoint of one method. Calls about the same run or trial are handled one by one."""
        message = GetMessageClass(described.output_type)
        id_field = ID_FIELDS.get(described.name, "")

        async def call(fields: dict[str, Plain], context: RequestContext[Any, Any]) -> Reply:
            method = self._harness.methods(_target.get().address)[described.name]
            subject_id = str(fields.get(id_field, ""))
            turns = [self._turns_of(subject_id, at_a_time=1)]
            work = Work(lambda: method(fields), self._lifecycle_threads, turns)
            reply_fields = await _result_of(work, context)
            # Through the message, so that the reply has no field that the wire does not know.
            reply = ParseDict(dict(reply_fields), message())
            return Reply(MessageToDict(reply), message)

        return _endpoint(described, call)

    def _runtime_endpoints(self) -> dict[str, CallEndpoint]:
        """Return the endpoints of the service of trials' runtimes, by path."""
        service = RuntimeService(self.runs)
        endpoints = {}
        for described in SERVICES[SERVICE].methods:
            endpoint = self._runtime_endpoint(described, service)
            endpoints[f"/{SERVICE}/{described.name}"] = endpoint
        return endpoints

    def _runtime_endpoint(
        self, described: MethodDescriptor, service: RuntimeService
    ) -> CallEndpoint:
        """Return the endpoint of one method.

        The calls of a trial are handled one by one, and those of a run some at a time.
        """
        message = GetMessageClass(described.output_type)

        async def call(fields: dict[str, Plain], context: RequestContext[Any, Any]) -> Reply:
            trial_id = _target.get().trial_id
            try:
                run_id = self.runs.trial(trial_id).run.run_id
            except CallError as error:
                raise ConnectError(Code(error.code), error.message) from None
            turns = [
                self._turns_of(trial_id, at_a_time=1),
                self._turns_of(run_id, at_a_time=RUNTIME_THREADS_OF_RUN),
            ]
            work = Work(
                lambda: service.handle(described.name, trial_id, fields),
                self._runtime_threads,
                turns,
            )
            return Reply(await _result_of(work, context), message)

        return _endpoint(described, call)

    def _turns_of(self, subject_id: str, *, at_a_time: int) -> asyncio.Semaphore:
        """Return the semaphore for which the calls of a run or trial wait in turn.

        `at_a_time` of them are handled at once. A call that names no run or trial waits for no other.
        """
        if not subject_id:
            return asyncio.Semaphore(at_a_time)
        turns = self._turns.get(subject_id)
        if turns is None:
            turns = asyncio.Semaphore(at_a_time)
            self._turns[subject_id] = turns
        return turns


def _endpoint(
    described: MethodDescriptor,
    call: Callable[[dict[str, Plain], RequestContext[Any, Any]], Awaitable[Reply]],
) -> CallEndpoint:
    """Return the library's endpoint of a method."""
    method: MethodInfo[Any, Any] = MethodInfo(
        name=described.name,
        service_name=described.containing_service.full_name,
        input=GetMessageClass(described.input_type),
        output=GetMessageClass(described.output_type),
        idempotency_level=IdempotencyLevel.UNKNOWN,
        stream_type=StreamType.UNARY,
    )
    return Endpoint.unary(method=method, function=call)


# --- Handling a call ---


@dataclass(frozen=True, slots=True)
class Work:
    """The work of one call."""

    handle: Callable[[], Fields]
    """Does the work in a thread, and returns the fields of the reply."""
    threads: ThreadPoolExecutor
    turns: list[asyncio.Semaphore]
    """The semaphores that the call waits for, in this order, and holds until it is done."""


async def _result_of(work: Work, context: RequestContext[Any, Any]) -> Fields:
    """Wait for the result of a call. Raises `ConnectError`.

    A call whose client has left goes on until it is done, and keeps its turns, because a change that
    was begun must not meet the next call half made.
    """
    task = asyncio.create_task(_do_in_turn(work))
    task.add_done_callback(_take_late_error)
    try:
        return await asyncio.shield(task)
    except (BenchmarkError, CallError) as error:
        pause_s = getattr(error, "retry_after_s", None)
        if pause_s is not None:
            context.response_headers["retry-after"] = f"{pause_s:g}"
        # The error and the frames in its traceback would keep each other alive, and the request.
        error.__traceback__ = None
        raise ConnectError(_code_of(error), error.message[: bounds.MOST_REFUSAL_CHARS]) from None
    except Exception as error:  # noqa: BLE001 - the border of one request: the server survives any failure in it
        _log.exception("a call failed")
        msg = f"the server failed: {type(error).__name__}"
        raise ConnectError(Code.INTERNAL, msg) from None


async def _do_in_turn(work: Work) -> Fields:
    async with AsyncExitStack() as stack:
        for turn in work.turns:
            await stack.enter_async_context(turn)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(work.threads, work.handle)


def _take_late_error(task: asyncio.Task[Fields]) -> None:
    """Take the error of a call whose client has left: asyncio would log that nobody did."""
    if not task.cancelled():
        task.exception()


def _code_of(error: BenchmarkError | CallError) -> Code:
    """Return Connect's code for an error; an unknown code is an internal error."""
    try:
        return Code(error.code)
    except ValueError:
        return Code.INTERNAL
