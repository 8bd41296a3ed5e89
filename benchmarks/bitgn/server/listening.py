"""The wire server: an ASGI application of Connect endpoints under uvicorn, in the main thread or for a block's length,
with the service of a trial's runtime: the operations of its environment, in their wire form.

A request that fails, or does not go on, costs that request; connections and the length of a body are bounded.
"""

from __future__ import annotations

import asyncio
import json
import logging
import signal
import socket
from collections.abc import Awaitable, Callable, Iterator, Mapping, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias
from weakref import WeakValueDictionary

import uvicorn
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

from controlplane.agent.evidence import Environment
from controlplane.benchmark import Benchmark, BenchmarkError
from controlplane.benchmarks.bitgn.proto import SERVICES
from controlplane.benchmarks.bitgn.remote_runtime import FILE, RPCS, SERVICE, Rpc, ShapeError
from controlplane.benchmarks.bitgn.server.served_runs import (
    SUBJECTS,
    TRIAL_PREFIX,
    HarnessService,
    ServedRuns,
    ServedTrial,
    ServerOptions,
)
from controlplane.sandbox import ForkServer, SandboxBroken, content_type, normal_path
from controlplane.sandbox.interface import CallError, Plain, bounds, error_codes

KEEPING: Final = frozenset({"Write", "Answer"})
"""The methods whose requests are kept until their trial ends."""
_ENUMS: Final = SERVICES[SERVICE].file.enum_types_by_name
OUTCOMES: Final = frozenset(_ENUMS["Outcome"].values_by_name) - {"OUTCOME_UNSPECIFIED"}
Handle: TypeAlias = Callable[[str, dict[str, Plain]], Mapping[str, Plain]]
"""Handles a call of the trial with this id, given and answered as proto3 JSON."""


class RuntimeService:
    """Handles calls of trials' runtime, from many threads at once, but one at a time for each trial."""

    def __init__(self, runs: ServedRuns) -> None:
        self._runs = runs
        self._methods = SERVICES[SERVICE].methods_by_name

    def methods(self) -> dict[str, Handle]:
        """Return the service's methods by name."""
        table = {
            rpc.method: self._method(rpc.method, self._operation(rpc)) for rpc in RPCS.values()
        }
        return {**table, "Answer": self._method("Answer", _answer)}

    def _method(
        self, name: str, work: Callable[[ServedTrial, dict[str, Plain]], Mapping[str, Plain]]
    ) -> Handle:
        def handle(trial_id: str, fields: dict[str, Plain]) -> Mapping[str, Plain]:
            trial = self._runs.trial(trial_id)
            self._runs.count_process(trial)
            before = trial.kept_bytes
            try:
                if name in KEEPING:
                    self._keep(trial, sum(len(str(value)) for value in fields.values()))
                return work(trial, fields)
            except CallError:
                trial.kept_bytes = min(
                    before, trial.kept_bytes
                )  # Nothing is kept of what is refused.
                raise

        return handle

    def _keep(self, trial: ServedTrial, size: int) -> None:
        if trial.run.kept_bytes + size > bounds.MOST_HELD_BYTES:
            most = f"{bounds.MOST_HELD_BYTES} bytes"
            msg = (
                f"the open trials of this run wrote and answered more than {most}; end some of them"
            )
            raise CallError(error_codes.RESOURCE_EXHAUSTED, msg)
        trial.kept_bytes += size
        self._runs.make_room(trial.run)

    def _operation(
        self, rpc: Rpc
    ) -> Callable[[ServedTrial, dict[str, Plain]], Mapping[str, Plain]]:
        wire_names = {field.json_name for field in self._methods[rpc.method].output_type.fields}

        def work(trial: ServedTrial, fields: dict[str, Plain]) -> Mapping[str, Plain]:
            environment = _running(trial)
            try:
                arguments = rpc.request_from_wire(fields)
            except ShapeError as error:
                raise CallError(error_codes.INVALID_ARGUMENT, str(error)) from None
            result = _called(environment, rpc, arguments)
            reply = _completed(rpc.method, rpc.reply_to_wire(result), result, arguments)
            # The reply of Delete is empty.
            reply = {name: value for name, value in reply.items() if name in wire_names}
            return (
                _numbered(reply, arguments)
                if rpc.method == "Read" and fields.get("number")
                else reply
            )

        return work


def _called(
    environment: Environment, rpc: Rpc, arguments: Mapping[str, Plain]
) -> Mapping[str, Plain]:
    """Return the result of an operation; of a tree that is too large, its first level. Raises `CallError`."""
    declared = environment.tool_schema.operation(rpc.operation)
    if declared is None:
        raise CallError(error_codes.UNIMPLEMENTED, f"this runtime has no {rpc.method}")
    try:
        return environment.call(rpc.operation, arguments)
    except CallError as error:
        if rpc.method != "Tree" or error.code != error_codes.RESOURCE_EXHAUSTED:
            raise
    # To clients, the code of a tree that is too large would mean that they call too often.
    return {**environment.call("tree", {**arguments, "level": 1}), "truncated": True}


def _running(trial: ServedTrial) -> Environment:
    if trial.environment is None:
        has = "has not started" if trial.is_open else "has already ended"
        raise CallError(error_codes.FAILED_PRECONDITION, f"trial {trial.trial_id} {has}")
    return trial.environment


def _answer(trial: ServedTrial, fields: dict[str, Plain]) -> Mapping[str, Plain]:
    environment = _running(trial)
    if trial.is_answered:
        raise CallError(error_codes.ALREADY_EXISTS, f"trial {trial.trial_id} was already answered")
    outcome = fields.get("outcome")
    if not isinstance(outcome, str) or outcome not in OUTCOMES:
        raise CallError(
            error_codes.INVALID_ARGUMENT,
            f"outcome {outcome!r} is not one of {', '.join(sorted(OUTCOMES))}",
        )
    refs = fields.get("refs")
    environment.answer(
        str(fields.get("message", "")),
        outcome,
        [str(ref) for ref in refs] if isinstance(refs, list) else [],
    )
    trial.is_answered = True
    return {}


def _completed(
    method: str,
    reply: dict[str, Plain],
    result: Mapping[str, Plain],
    arguments: Mapping[str, Plain],
) -> dict[str, Plain]:
    """Add the fields that the wire has beyond the result: the listed path, and the type of every file."""
    if method == "List":
        path = _listed_path(result.get("entries"), str(arguments["path"]))
        return {**reply, "path": path, "entries": _typed(reply.get("entries"))}
    if method == "Tree":
        cut = {"truncated": True} if result.get("truncated") else {}
        return {**reply, **cut, "root": _typed([reply.get("root")])[0]}
    return reply


def _listed_path(entries: Plain, path: str) -> str:
    """Return the path of a listed directory in the spelling of its entries' paths."""
    first = entries[0] if isinstance(entries, list) and entries else None
    return (
        str(first["path"]).rpartition("/")[0] or "/"
        if isinstance(first, dict)
        else normal_path(path)
    )


def _typed(nodes: Plain) -> list[Plain]:
    typed: list[Plain] = []
    for node in nodes if isinstance(nodes, list) else []:
        if not isinstance(node, dict):
            continue
        kind = (
            {"contentType": content_type(str(node.get("name", "")))}
            if node.get("kind") == FILE
            else {}
        )
        below = {"children": _typed(node["children"])} if "children" in node else {}
        typed.append({**node, **kind, **below})
    return typed


def _numbered(reply: Mapping[str, Plain], arguments: Mapping[str, Plain]) -> dict[str, Plain]:
    """Number the lines as `cat --number` does, starting with the first line of the range."""
    start = arguments.get("start_line")
    first = max(start if isinstance(start, int) else 0, 1)
    lines = str(reply.get("content", "")).splitlines(keepends=True)
    return {
        **reply,
        "content": "".join(f"{number:6d}\t{line}" for number, line in enumerate(lines, first)),
    }


Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Fields: TypeAlias = Mapping[str, Plain]

CallEndpoint: TypeAlias = Any
"""An endpoint of the library, whose type it does not export."""

HARNESS: Final = "bitgn.harness.HarnessService"
BACKLOG: Final = 2048

_log = logging.getLogger(__name__)


class Target(NamedTuple):
    """The target that the URL of a call names."""

    address: str
    """The base URL under which the client reached the server."""
    trial_id: str
    """The trial whose runtime is called; empty for calls of the control plane."""


_target: ContextVar[Target] = ContextVar("target")


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
        return {
            to_camel(name) if "_" in name else name: value
            for name, value in fields.items()
            if value is not None
        }


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
        host = next(
            (value.decode("latin-1") for name, value in scope["headers"] if name == b"host"), ""
        )
        address = f"{scope.get('scheme', 'http')}://{host or f'{self._options.host}:{self._options.port}'}"
        _target.set(
            Target(
                address,
                prefix.removeprefix(TRIAL_PREFIX) if prefix.startswith(TRIAL_PREFIX) else "",
            )
        )
        ends_at: float | None = asyncio.get_running_loop().time() + bounds.LONGEST_BODY_S

        async def timely() -> MutableMapping[str, Any]:
            nonlocal ends_at
            try:
                async with asyncio.timeout_at(ends_at):
                    message = await receive()
            except TimeoutError:
                msg = f"the body did not arrive in {bounds.LONGEST_BODY_S:g} s"
                raise ConnectError(Code.DEADLINE_EXCEEDED, msg) from None
            if not message.get("more_body"):
                ends_at = None  # from here on the library waits for the client to disconnect
            return message

        # Replies are not compressed: a short one costs both ends more than it saves.
        kept = [
            header
            for header in scope["headers"]
            if header[0] != b"accept-encoding" and header[1].isascii()
        ]
        await self._connect({**scope, "root_path": prefix, "headers": kept}, timely, send)

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
        turns = self._locks.get(subject) or asyncio.Semaphore(at_a_time)
        return self._locks.setdefault(subject, turns) if subject else turns

    async def _made(
        self,
        work: Callable[[], Fields],
        context: RequestContext[Any, Any],
        threads: ThreadPoolExecutor,
        *turns: asyncio.Semaphore,
    ) -> Fields:
        """Return a call's result. A call whose client has gone goes on and keeps its turns. Raises `ConnectError`."""

        async def make() -> Fields:
            async with turns[0], turns[-1] if turns[1:] else asyncio.Semaphore():
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


def server_of(app: WireApp) -> uvicorn.Server:
    """Return a server of the application."""
    config = uvicorn.Config(
        app,
        http="h11",  # it bounds heads, and reads no call ahead of a reply
        # Connections beyond which calls are refused.
        limit_concurrency=1024,
        ws="none",
        lifespan="off",
        loop="asyncio",
        log_config=None,
        log_level="critical",  # what fails in a call is logged there; the rest is the client's nonsense
        access_log=False,
        server_header=False,
        proxy_headers=False,
        backlog=BACKLOG,
        # Seconds to keep an idle connection: longer than a model's turn.
        timeout_keep_alive=75,
        timeout_graceful_shutdown=2,  # seconds that calls in flight may take
        callback_notify=app.end_idle_runs,
        timeout_notify=1,
    )
    return uvicorn.Server(config)


def serve(
    benchmark: Benchmark, options: ServerOptions, *, on_listening: Callable[[str], None]
) -> None:
    """Serve until SIGINT or SIGTERM, then shut down in order. Call it from the main thread.

    `on_listening` receives the base URL. Raises `BenchmarkError` (`unavailable`) if the address cannot be bound.
    """
    # After an orderly end, uvicorn raises these signals again for the earlier handlers.
    before = {
        number: signal.signal(number, lambda *_: None) for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        with listening(benchmark, options) as (listener, app, url):
            on_listening(url)
            server_of(app).run(sockets=[listener])
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def listening(
    benchmark: Benchmark, options: ServerOptions
) -> Iterator[tuple[socket.socket, WireApp, str]]:
    """Yield a listener that accepts early clients, its application, whose processes are ready, and the base URL.

    Raises `BenchmarkError` (`unavailable`) if the address cannot be bound.
    """
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    # asyncio sets TCP_NODELAY, which sends small replies without delay, only if the protocol is given.
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((options.host, options.port))
        except OSError as error:
            msg = f"cannot listen on {options.host}:{options.port}: {error.strerror or error}"
            raise BenchmarkError(error_codes.UNAVAILABLE, msg) from None
        app = WireApp(benchmark, options)
        try:
            app.warm_up()
            listener.listen(BACKLOG)
            host, port = listener.getsockname()[:2]
            yield (
                listener,
                app,
                f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}",
            )
        finally:
            app.close()
