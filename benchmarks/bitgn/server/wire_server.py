"""Serve a benchmark by HTTP with uvicorn, until a signal arrives or a block ends.

The command line uses `serve`, which ends with Ctrl-C. A program that needs a server for a
while, such as a test, uses `bound_server`.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeAlias
from weakref import WeakValueDictionary

from connectrpc.code import Code
from connectrpc.errors import ConnectError
from connectrpc.method import IdempotencyLevel, MethodInfo, StreamType
from connectrpc.request import RequestContext
from connectrpc.server import ConnectASGIApplication, Endpoint
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.message_factory import GetMessageClass

from controlplane.agent.evidence import Environment
from controlplane.benchmark import Benchmark, BenchmarkError
from controlplane.benchmarks.bitgn.server.harness import (
    CURRENT_TARGET,
    ID_FIELDS,
    Fields,
    HarnessService,
    JsonCodec,
    ProtobufCodec,
    Scope,
    ServedTrial,
    ServerOptions,
    WireReply,
    result_of,
    target_of,
)
from controlplane.benchmarks.bitgn.wire import (
    FILE,
    HARNESS,
    RPCS,
    SERVICE,
    SERVICES,
    Rpc,
    ShapeError,
)
from controlplane.sandbox import ForkServer, SandboxBroken, content_type, normal_path
from controlplane.sandbox.interface import CallError, Plain, bounds, error_codes
from controlplane.sandbox.interface.outcomes import Outcomes
from controlplane.web_host import WebHost, listen, url_of

# The worker processes of trials. Only those of the trials called last keep running.
#
# A trial's tools run in a process of their own, which takes memory. A client may leave
# hundreds of trials open, so the processes that were idle for longest are ended.


class _RecentWorkers:
    """Ends the least recently used workers. Safe to use from many threads.

    An ended worker starts again at the next call of its trial.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._trials: dict[str, ServedTrial] = {}
        """The trials whose workers may have a process, by id. The last one was called last."""

    def use(self, trial: ServedTrial) -> None:
        """Record that a trial was called, and end other workers if there are too many."""
        if trial.worker is None:
            return
        idle_worker = None
        with self._lock:
            # Move the trial to the end of the dict.
            self._trials.pop(trial.trial_id, None)
            self._trials[trial.trial_id] = trial
            if len(self._trials) > bounds.MOST_TRIAL_PROCESSES:
                idle_worker = self._trials.pop(next(iter(self._trials))).worker
        if idle_worker is not None:
            idle_worker.close()


# The replies of a trial's runtime, made of our operations' results.
#
# The protocol has more fields than our results: the path of a listed folder, the content
# types of files, and `truncated` for a tree that is not complete. On request it also numbers
# the lines of a file.

_METHODS: Final = SERVICES[SERVICE].methods_by_name


def _wire_reply(rpc: Rpc, request: Fields, arguments: Fields, result: Fields) -> Fields:
    """Return the reply to a call, with the fields that the protocol declares: none for Delete.

    For the request `{"path": "/a.md", "startLine": 3, "number": True}`, the arguments of our
    operation are `{"path": "/a.md", "start_line": 3}`, and its result is
    `{"path": "/a.md", "content": "end"}`.
    """
    reply: Fields = rpc.reply_to_wire(result)
    match rpc.method:
        case "List":
            reply["path"] = _listed_path(arguments, result)
            _add_content_types(reply.get("entries", []))
        case "Tree":
            _add_content_types([reply["root"]])
            if result.get("truncated"):
                reply["truncated"] = True
        case "Read":
            if request.get("number"):
                reply["content"] = _numbered_content(reply, arguments)
    declared: Fields = {}
    for field in _METHODS[rpc.method].output_type.fields:
        if field.json_name in reply:
            declared[field.json_name] = reply[field.json_name]
    return declared


def _listed_path(arguments: Fields, result: Fields) -> str:
    """Return the path of a listed folder.

    The request may spell it in another way, `/Docs/`, so it is taken from the path of an
    entry, `/docs/a.md`, if the folder has any.
    """
    entries = result.get("entries")
    if isinstance(entries, list) and entries and isinstance(entries[0], dict):
        folder, _, _ = str(entries[0]["path"]).rpartition("/")
        return folder or "/"
    return normal_path(str(arguments["path"]))


def _add_content_types(nodes: Plain) -> None:
    """Add the content type to each file of a tree or listing.

    `{"name": "a.md", "kind": "NODE_KIND_FILE"}` gets `"contentType": "text/markdown"`.
    """
    assert isinstance(nodes, list)  # For the type checker
    for node in nodes:
        assert isinstance(node, dict)
        if node.get("kind") == FILE:
            node["contentType"] = content_type(str(node.get("name", "")))
        _add_content_types(node.get("children", []))


def _numbered_content(reply: Fields, arguments: Fields) -> str:
    """Return a file's lines with numbers, as `cat --number` does: `     3\tend`.

    The numbers begin with that of the first line that was requested.
    """
    start_line = arguments.get("start_line")
    first_number = 1
    if isinstance(start_line, int):
        first_number = max(start_line, 1)
    lines = str(reply.get("content", "")).splitlines(keepends=True)
    numbered = []
    for number, line in enumerate(lines, first_number):
        numbered.append(f"{number:6d}\t{line}")
    return "".join(numbered)


# The service of a trial's runtime: its environment's operations as proto3 JSON.
#
# For example, the request `{"path": "/a.md"}` to the method Read gets the reply
# `{"path": "/a.md", "content": "...", "contentType": "text/markdown"}`.

_STORING_METHODS: Final = frozenset({"Write", "Answer"})
"""The methods whose requests stay in memory until their trial ends, as a file or an answer."""
_ENUMS: Final = SERVICES[SERVICE].file.enum_types_by_name
_OUTCOMES: Final = frozenset(_ENUMS["Outcome"].values_by_name) - {"OUTCOME_UNSPECIFIED"}
_RPC_OF_METHOD: Final = {rpc.method: rpc for rpc in RPCS.values()}


def _reply_to(
    method: str, trial: ServedTrial, request: Fields, outcomes: Outcomes
) -> Fields:
    """Carry out a method for a trial and return its reply. Raises `CallError`.

    Each method but Answer is an operation of the trial's environment: Read is `read`.
    """
    if method == "Answer":
        return _answer(trial, request, outcomes)
    rpc = _RPC_OF_METHOD[method]
    environment = _running_environment(trial)
    try:
        arguments = rpc.request_from_wire(request)
    except ShapeError as error:
        raise CallError(error_codes.INVALID_ARGUMENT, str(error)) from None
    if environment.tool_schema.operation(rpc.operation) is None:
        raise CallError(error_codes.UNIMPLEMENTED, f"this runtime has no {method}")
    try:
        result = environment.call(rpc.operation, arguments)
    except CallError as error:
        is_too_large = error.code == error_codes.RESOURCE_EXHAUSTED
        if method != "Tree" or not is_too_large:
            raise
        # Of a tree that is too large, only the first level is sent. Clients would take this
        # code for a rate limit, and try again.
        first_level = environment.call("tree", {**arguments, "level": 1})
        result = {**first_level, "truncated": True}
    return _wire_reply(rpc, request, arguments, result)


def _running_environment(trial: ServedTrial) -> Environment:
    """Return the environment of a trial. Raises `CallError` if the trial is not running."""
    if trial.environment is not None:
        return trial.environment
    state = "has not started" if trial.is_open else "has already ended"
    raise CallError(error_codes.FAILED_PRECONDITION, f"trial {trial.trial_id} {state}")


def _answer(trial: ServedTrial, request: Fields, outcomes: Outcomes) -> Fields:
    """Submit the answer of a trial. Raises `CallError` if there is one already.

    Its outcome is one of the platform's, which stands for the benchmark's own of that kind.
    """
    environment = _running_environment(trial)
    if trial.is_answered:
        msg = f"trial {trial.trial_id} was already answered"
        raise CallError(error_codes.ALREADY_EXISTS, msg)
    outcome = request.get("outcome")
    if not isinstance(outcome, str) or outcome not in _OUTCOMES:
        msg = f"outcome {outcome!r} is not one of {', '.join(sorted(_OUTCOMES))}"
        raise CallError(error_codes.INVALID_ARGUMENT, msg)
    refs = request.get("refs")
    if not isinstance(refs, list):
        refs = []
    message = str(request.get("message", ""))
    own_outcomes = environment.tool_schema.with_outcomes(outcomes).outcomes
    own_name = own_outcomes.own_name(outcome)
    environment.answer(message, own_name, [str(ref) for ref in refs])
    trial.is_answered = True
    return {}


# Endpoints: the functions that handle the methods of services, and the threads for them.
#
# The library `connectrpc` works with protobuf messages; the services here work with fields,
# as `{"path": "/a.md"}`. Our codecs convert between bodies and fields, so the library calls an
# endpoint with the fields of a request, and sends the `WireReply` that it returns. The methods
# block, because they start processes, grade, and run tools, so each call runs in a thread.

_LIFECYCLE_THREADS: Final = 8
"""The most calls about runs and trials that are handled at the same time."""
_RUNTIME_THREADS: Final = 16
"""The most calls to trials' runtimes at the same time. Each may keep a process busy."""
_RUNTIME_THREADS_OF_RUN: Final = 8
"""The most calls to the runtimes of one run's trials, so that threads remain for other runs."""

Context: TypeAlias = RequestContext[Any, Any]
_LibraryEndpoint: TypeAlias = Any
"""The library's endpoint for a method. The library does not export its type."""


class _Endpoints:
    """The endpoints of all methods: about runs and trials, and of trials' runtimes."""

    def __init__(self, harness: HarnessService, outcomes: Outcomes) -> None:
        """`outcomes` are those of trials whose tool schema declares none."""
        self._harness = harness
        self._outcomes = outcomes
        self._workers = _RecentWorkers()
        self.lifecycle_threads = ThreadPoolExecutor(
            _LIFECYCLE_THREADS, "wire lifecycle"
        )
        """The threads in which runs and trials are started, ended and looked up."""
        self._runtime_threads = ThreadPoolExecutor(_RUNTIME_THREADS, "wire runtime")
        self._semaphores: WeakValueDictionary[str, asyncio.Semaphore] = (
            WeakValueDictionary()
        )
        """The semaphores that limit the concurrent calls of each run and trial, by its id.

        A semaphore is removed when no call waits for it or holds it: the dict is weak.
        """

    def by_path(self) -> dict[str, _LibraryEndpoint]:
        """Return the endpoints by path, such as `/bitgn.harness.HarnessService/StartRun`."""
        endpoints = {}
        for method in SERVICES[HARNESS].methods:
            endpoint = _endpoint_of(method, self._harness_reply)
            endpoints[f"/{HARNESS}/{method.name}"] = endpoint
        for method in SERVICES[SERVICE].methods:
            endpoint = _endpoint_of(method, self._runtime_reply)
            endpoints[f"/{SERVICE}/{method.name}"] = endpoint
        return endpoints

    async def _harness_reply(
        self, method: MethodDescriptor, fields: Fields, context: Context
    ) -> Fields:
        """Handle a call about a run or trial in a thread, and return the fields of its reply.

        Calls that change the same run or trial are handled one at a time. Other calls do
        not wait for each other.
        """
        semaphores = []
        # `runId` for SubmitRun, because it changes a run; empty for a method that changes none
        id_field = ID_FIELDS.get(method.name, "")
        changed_id = str(fields.get(id_field, ""))
        if changed_id:
            semaphores.append(self._semaphore_of(changed_id, at_a_time=1))
        # The URL by which the client reached the server. The application sets it for each
        # request, because the library does not pass it on.
        address = CURRENT_TARGET.get().address
        handle = partial(self._harness.handle, method.name, fields, address)
        reply = await result_of(handle, self.lifecycle_threads, semaphores, context)
        # Make a message of the fields, which fails for one that the protocol does not
        # have. The message as fields again has the form that all clients expect: 64-bit
        # numbers as texts, and no values that are the protocol's defaults.
        message = ParseDict(reply, GetMessageClass(method.output_type)())
        form: Fields = MessageToDict(message)
        return form

    async def _runtime_reply(
        self, method: MethodDescriptor, fields: Fields, context: Context
    ) -> Fields:
        """Handle a call to a trial's runtime in a thread, and return the fields of its reply.

        Calls of the same trial are handled one at a time; those of a run, a few at a time.
        """
        # The trial is named in the URL: `/trials/ID/SERVICE/METHOD`.
        trial_id = CURRENT_TARGET.get().trial_id
        try:
            run_id = self._harness.runs.trial(trial_id).run.run_id
        except CallError as error:
            raise ConnectError(Code(error.code), error.message) from None
        # All calls of a trial share its semaphore, and all calls of a run share the run's.
        semaphores = [
            self._semaphore_of(trial_id, at_a_time=1),
            self._semaphore_of(run_id, at_a_time=_RUNTIME_THREADS_OF_RUN),
        ]
        handle = partial(self._runtime_result, method.name, trial_id, fields)
        return await result_of(handle, self._runtime_threads, semaphores, context)

    def _runtime_result(self, method: str, trial_id: str, request: Fields) -> Fields:
        """Return the reply to a request to a trial's runtime. Raises `CallError`.

        It is called from many threads, one at a time for a trial.
        """
        runs = self._harness.runs
        trial = runs.trial(trial_id)
        # This may end the process of another trial. It starts again at the next call.
        self._workers.use(trial)
        if method not in _STORING_METHODS:
            return _reply_to(method, trial, request, self._outcomes)
        # What is stored counts towards the limits of the trial's run, unless it is refused.
        chars = sum(len(str(value)) for value in request.values())
        with runs.storing(trial, chars):
            return _reply_to(method, trial, request, self._outcomes)

    def _semaphore_of(
        self, run_or_trial_id: str, *, at_a_time: int
    ) -> asyncio.Semaphore:
        """Return the semaphore that limits the calls of a run or trial to `at_a_time`.

        All calls with the same id share it.
        """
        semaphore = self._semaphores.get(run_or_trial_id)
        if semaphore is None:
            semaphore = asyncio.Semaphore(at_a_time)
            self._semaphores[run_or_trial_id] = semaphore
        return semaphore

    def close(self) -> None:
        """Release the threads."""
        self.lifecycle_threads.shutdown(wait=False, cancel_futures=True)
        self._runtime_threads.shutdown(wait=False, cancel_futures=True)


def _endpoint_of(
    method: MethodDescriptor,
    reply_to: Callable[[MethodDescriptor, Fields, Context], Awaitable[Fields]],
) -> _LibraryEndpoint:
    """Return the library's endpoint for a method, whose calls `reply_to` handles."""
    message_class = GetMessageClass(method.output_type)

    async def call(fields: Fields, context: Context) -> WireReply:
        return WireReply(await reply_to(method, fields, context), message_class)

    # The library names the message classes to the codecs, which know the fields by them.
    info: MethodInfo[Any, Any] = MethodInfo(
        name=method.name,
        service_name=method.containing_service.full_name,
        input=GetMessageClass(method.input_type),
        output=message_class,
        idempotency_level=IdempotencyLevel.UNKNOWN,
        stream_type=StreamType.UNARY,
    )
    return Endpoint.unary(method=info, function=call)


# The time limit for the body of a request.
#
# A client that sends its body very slowly, or never to its end, would hold a connection for
# ever.

_Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]


class _TimelyBody:
    """Receives the body of one request, which must arrive within `bounds.LONGEST_BODY_S`."""

    def __init__(self, receive: _Receive) -> None:
        self._receive = receive
        self._ends_at = asyncio.get_running_loop().time() + bounds.LONGEST_BODY_S
        self._is_complete = False
        """True after the whole body has arrived."""

    async def receive(self) -> MutableMapping[str, Any]:
        """Return the client's next message. Raises `ConnectError` if it arrives too late."""
        if self._is_complete:
            # The library now waits for the client to disconnect, which has no time limit.
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


# The ASGI application of the server: it passes each request to the endpoint of its method.
#
# It serves a benchmark to the clients of a platform (BitGN): agents start runs and trials,
# and call the runtimes of their trials. The library `connectrpc` reads requests and writes
# replies, as JSON or binary protobuf. An error affects only the request that caused it. The
# size of a request body, and the time to receive it, are limited.

_Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]

_log = logging.getLogger(__name__)


class _ConnectApp(ConnectASGIApplication[None]):
    """The library's application, with the endpoints of all services."""

    path = "/"
    """Below which URL path the endpoints are. The library requires it."""


class _WireApp:
    """The ASGI application that serves one benchmark. Created once, before the server starts."""

    def __init__(self, benchmark: Benchmark, options: ServerOptions) -> None:
        self._options = options
        self._fork_server: ForkServer | None = None
        """Starts the processes of trials; None if trials have none of their own."""
        if options.worker_modules:
            self._fork_server = ForkServer(options.worker_modules)

        harness_service = HarnessService(benchmark, options, self._fork_server)
        self.runs = harness_service.runs
        self._endpoints = _Endpoints(harness_service, options.outcomes)
        endpoints_by_path = self._endpoints.by_path()
        self._connect = _ConnectApp(
            service=None,
            endpoints=lambda _: endpoints_by_path,  # The argument is the service: None.
            read_max_bytes=options.body_bytes,
            codecs=(JsonCodec(), ProtobufCodec()),
        )
        self._ending_idle_runs: asyncio.Task[None] | None = None

    def warm_up(self) -> None:
        """Start the process from which trials' processes are forked, and wait for its imports.

        Then the first trial does not wait for them. Raises `BenchmarkError`.
        """
        if self._fork_server is None:
            return
        try:
            # The first fork waits for the imports. Its process is not needed.
            first_process = self._fork_server.spawn(for_workers=True)
            first_process.end()
        except SandboxBroken as error:
            raise BenchmarkError(error_codes.UNAVAILABLE, str(error)) from None

    async def __call__(self, scope: Scope, receive: _Receive, send: _Send) -> None:
        """Handle one request. The start and the end of the server need nothing."""
        if scope["type"] != "http":
            return
        own_host = f"{self._options.host}:{self._options.port}"
        target = target_of(scope, own_host)
        # The endpoints read it, because the library does not pass the URL on.
        CURRENT_TARGET.set(target)

        headers = []
        for name, value in scope["headers"]:
            # Do not compress replies: most are short, so compression costs more than it saves.
            if name == b"accept-encoding":
                continue
            # The library fails for a value that is not UTF-8. All that it needs is ASCII.
            if value.isascii():
                headers.append((name, value))
        request = {**scope, "root_path": target.path_prefix, "headers": headers}
        body = _TimelyBody(receive)  # It refuses a body that takes too long to arrive.
        await self._connect(request, body.receive, send)

    async def end_idle_runs(self) -> None:
        """Begin to end the runs without recent calls. The server calls this every second.

        Their benchmark grades them, which may take longer than a second. Until that is
        done, further calls do nothing.
        """
        earlier_task = self._ending_idle_runs
        if earlier_task is None or earlier_task.done():
            self._ending_idle_runs = asyncio.create_task(self._grade_idle_runs())

    async def _grade_idle_runs(self) -> None:
        """End the runs without recent calls, in a thread. Errors are only logged."""
        loop = asyncio.get_running_loop()
        threads = self._endpoints.lifecycle_threads
        end_idle = self.runs.end_idle
        try:
            await loop.run_in_executor(threads, end_idle, self._options.idle_s)
        except Exception:  # noqa: BLE001 - the server must survive any failure of the benchmark
            _log.exception("idle runs could not be ended; the server tries again")

    def close(self) -> None:
        """Release the threads, and the processes of trials."""
        self._endpoints.close()
        self.runs.close()
        if self._fork_server is not None:
            self._fork_server.close()


@dataclass(frozen=True, slots=True)
class _BoundServer:
    """The application that handles requests, and the host that serves it."""

    host: WebHost
    app: _WireApp
    url: str
    """The base URL."""


def serve(
    benchmark: Benchmark, options: ServerOptions, *, on_listening: Callable[[str], None]
) -> None:
    """Serve until SIGINT or SIGTERM, then shut down cleanly. Call it from the main thread.

    `on_listening` is called with the base URL. Raises `BenchmarkError` (`unavailable`)
    if the address cannot be bound.
    """
    with bound_server(benchmark, options) as bound:
        on_listening(bound.url)
        bound.host.run()


@contextmanager
def bound_server(
    benchmark: Benchmark, options: ServerOptions
) -> Iterator[_BoundServer]:
    """Bind the address and start the application's processes for the duration of a block.

    Raises `BenchmarkError` (`unavailable`) if the address cannot be bound.
    """
    try:
        listener = listen(options.host, options.port)
    except OSError as error:
        msg = (
            f"cannot listen on {options.host}:{options.port}: {error.strerror or error}"
        )
        raise BenchmarkError(error_codes.UNAVAILABLE, msg) from None
    with listener:
        app = _WireApp(benchmark, options)
        try:
            app.warm_up()
            host = WebHost(app, listener, every_second=app.end_idle_runs)
            yield _BoundServer(host, app, url_of(listener))
        finally:
            app.close()
