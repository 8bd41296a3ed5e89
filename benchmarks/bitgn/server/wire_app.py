"""The ASGI application of the wire server: the Connect endpoints of every service.

A request that fails, or does not go on, costs that request; the length of a body is bounded.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from contextvars import ContextVar
from functools import partial
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
from controlplane.benchmarks.bitgn.server.runtime_service import Fields, RuntimeService
from controlplane.benchmarks.bitgn.server.served_runs import (
    SUBJECTS,
    TRIAL_PREFIX,
    HarnessService,
    ServerOptions,
)
from controlplane.sandbox import ForkServer, SandboxBroken
from controlplane.sandbox.interface import CallError, Plain, bounds, error_codes

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
CallEndpoint: TypeAlias = Any
"""An endpoint of the library, whose type it does not export."""

HARNESS: Final = "bitgn.harness.HarnessService"

_log = logging.getLogger(__name__)


class Target(NamedTuple):
    """The target that the URL of a call names."""

    address: str
    """The base URL under which the client reached the server."""
    trial_id: str
    """The trial whose runtime is called; empty for calls of the control plane."""


_target: ContextVar[Target] = ContextVar("target")
"""The target of the request that is answered: the library hands an endpoint no URL."""


class Reply(NamedTuple):
    """A reply as proto3 JSON, and the type of its message."""

    fields: Fields
    message: type[Any]


class JsonCodec:
    """Bodies of JSON. A service reads the fields itself; their names may have the spelling of the `.proto` files."""

    def name(self) -> str:
        """Return the subtype of the content type."""
        return "json"

    def encode(self, message: Reply) -> bytes:
        """Return the body of a reply."""
        try:
            return to_json(message.fields)
        except PydanticSerializationError:  # half of a surrogate pair
            return json.dumps(message.fields).encode()

    def decode(self, data: bytes | bytearray, message_class: type[Any]) -> dict[str, Plain]:
        """Return the fields of a request. Raises `ValueError` or `TypeError` for anything but an object of texts."""
        fields = from_json(bytes(data) or b"{}")  # half of a surrogate pair is not a text
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
        self._ends_at: float | None = asyncio.get_running_loop().time() + bounds.LONGEST_BODY_S

    async def receive(self) -> MutableMapping[str, Any]:
        """Return the next message of the client. Raises `ConnectError` if it comes too late."""
        try:
            async with asyncio.timeout_at(self._ends_at):
                message = await self._receive()
        except TimeoutError:
            msg = f"the body did not arrive in {bounds.LONGEST_BODY_S:g} s"
            raise ConnectError(Code.DEADLINE_EXCEEDED, msg) from None
        if not message.get("more_body"):
            # From here on the library waits for the client to disconnect.
            self._ends_at = None
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
        self._lifecycle = ThreadPoolExecutor(8, thread_name_prefix="wire lifecycle")
        # Calls of trials that are handled at a time, each of which may keep a process busy.
        self._runtime = ThreadPoolExecutor(16, thread_name_prefix="wire runtime")
        self._locks: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
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
                self._lifecycle, self.runs.end_idle, self._options.idle_s
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
        for threads in (self._lifecycle, self._runtime):
            threads.shutdown(wait=False, cancel_futures=True)
        self.runs.close()
        if self._workers is not None:
            self._workers.close()

    def _harness_endpoints(self) -> dict[str, CallEndpoint]:
        def endpoint(described: MethodDescriptor) -> CallEndpoint:
            output = GetMessageClass(described.output_type)

            async def call(fields: dict[str, Plain], context: RequestContext[Any, Any]) -> Reply:
                methods = self._harness.methods(_target.get().address)
                subject = str(fields.get(SUBJECTS.get(described.name, ""), ""))
                handle = partial(methods[described.name], fields)
                reply = await self._made(handle, context, self._lifecycle, self._turns(subject, 1))
                return Reply(MessageToDict(ParseDict(dict(reply), output())), output)

            return _endpoint(described, call)

        return {f"/{HARNESS}/{each.name}": endpoint(each) for each in SERVICES[HARNESS].methods}

    def _runtime_endpoints(self) -> dict[str, CallEndpoint]:
        endpoints = {}
        methods = RuntimeService(self.runs).methods()
        for described in SERVICES[SERVICE].methods:
            call = partial(
                self._runtime_call, methods[described.name], GetMessageClass(described.output_type)
            )
            endpoints[f"/{SERVICE}/{described.name}"] = _endpoint(described, call)
        return endpoints

    async def _runtime_call(
        self,
        handle: Callable[[str, dict[str, Plain]], Fields],
        output: type[Any],
        fields: dict[str, Plain],
        context: RequestContext[Any, Any],
    ) -> Reply:
        trial_id = _target.get().trial_id
        try:
            run_id = self.runs.trial(trial_id).run.run_id
        except CallError as error:
            raise ConnectError(Code(error.code), error.message) from None
        # Calls of the trials of one run that are handled at a time, so that others find a thread.
        turns = (self._turns(trial_id, 1), self._turns(run_id, 8))
        return Reply(
            await self._made(partial(handle, trial_id, fields), context, self._runtime, *turns),
            output,
        )

    def _turns(self, subject: str, at_a_time: int) -> asyncio.Semaphore:
        """Return the turns of a run's or a trial's calls; new ones, which nobody shares, for an empty subject."""
        if not subject:
            return asyncio.Semaphore(at_a_time)
        turns = self._locks.get(subject)
        if turns is None:
            turns = self._locks[subject] = asyncio.Semaphore(at_a_time)
        return turns

    async def _made(
        self,
        work: Callable[[], Fields],
        context: RequestContext[Any, Any],
        threads: ThreadPoolExecutor,
        *turns: asyncio.Semaphore,
    ) -> Fields:
        """Return a call's result. A call whose client has gone goes on and keeps its turns. Raises `ConnectError`."""

        async def make() -> Fields:
            async with AsyncExitStack() as entered:
                for turn in turns:
                    await entered.enter_async_context(turn)
                return await asyncio.get_running_loop().run_in_executor(threads, work)

        task = asyncio.create_task(make())
        task.add_done_callback(lambda late: late.cancelled() or late.exception())
        try:
            return await asyncio.shield(task)
        except (BenchmarkError, CallError) as error:
            if (pause_s := getattr(error, "retry_after_s", None)) is not None:
                context.response_headers["retry-after"] = f"{pause_s:g}"
            has_code = error.code in Code._value2member_map_
            error.__traceback__ = (
                None  # else error and frames keep each other, and the request, alive
            )
            message = error.message[: bounds.MOST_REFUSAL_CHARS]
            raise ConnectError(Code(error.code) if has_code else Code.INTERNAL, message) from None
        except Exception as error:  # noqa: BLE001 - the border of one request: the server survives any failure in it
            _log.exception("a call failed")
            raise ConnectError(
                Code.INTERNAL, f"the server failed: {type(error).__name__}"
            ) from None


def _endpoint(
    described: MethodDescriptor,
    call: Callable[[dict[str, Plain], RequestContext[Any, Any]], Awaitable[Reply]],
) -> CallEndpoint:
    method: MethodInfo[Any, Any] = MethodInfo(
        name=described.name,
        service_name=described.containing_service.full_name,
        input=GetMessageClass(described.input_type),
        output=GetMessageClass(described.output_type),
        idempotency_level=IdempotencyLevel.UNKNOWN,
        stream_type=StreamType.UNARY,
    )
    return Endpoint.unary(method=method, function=call)
