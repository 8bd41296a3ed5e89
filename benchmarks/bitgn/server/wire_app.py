"""The wire server's ASGI application: routes an HTTP request to a method; every failure becomes a Connect error."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, TypeAlias
from weakref import WeakValueDictionary

from benchmarks.bitgn.server import wire_codec
from benchmarks.bitgn.server.harness_service import DESCRIBED, TRIAL_PREFIX, HarnessService
from benchmarks.bitgn.server.runtime_service import RuntimeService
from benchmarks.bitgn.server.served_runs import ServerOptions
from benchmarks.bitgn.server.wire_codec import HttpReply, Method, Refused, Target
from benchmarks.bitgn.wire.remote_runtimes import RUNTIMES
from controlplane import Benchmark, BenchmarkError
from sandbox import ForkServer, SandboxBroken
from sandbox.interface import CallError, Plain, error_codes

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

CONNECTION: Final = "connection"
"""The key under which a request's scope state holds its `listening.Connection`."""

HARNESS: Final = DESCRIBED.full_name
LIFECYCLE_THREADS: Final = 8
RUNTIME_THREADS: Final = 16
"""Calls of trials that are handled at a time, each of which may keep a process busy."""
RUN_THREADS: Final = 8
"""Calls of the trials of one run that are handled at a time, so that others find a thread."""
BODY_S: Final = 60.0
"""Seconds that a request's body may take to arrive."""

_log = logging.getLogger(__name__)


class Vanished(Exception):
    """The client disconnected before its request was complete."""


class WireApp:
    """Serves one benchmark."""

    def __init__(self, benchmark: Benchmark, options: ServerOptions) -> None:
        self._options = options
        self._aides = ForkServer(options.aide_modules) if options.aide_modules else None
        harness = HarnessService(benchmark, options, self._aides)
        self.runs = harness.runs
        runtimes = {runtime.service: RuntimeService(self.runs, runtime).methods() for runtime in RUNTIMES.values()}
        self._services = {HARNESS: harness.methods(), **runtimes}
        self._lifecycle = ThreadPoolExecutor(LIFECYCLE_THREADS, thread_name_prefix="wire lifecycle")
        self._runtime = ThreadPoolExecutor(RUNTIME_THREADS, thread_name_prefix="wire runtime")
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._turns: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    def warm_up(self) -> None:
        """Start the process that trials' processes are forked from, and wait until it has imported everything.

        Raises `BenchmarkError`.
        """
        if self._aides is None:
            return
        try:
            self._aides.spawn_aide().end()
        except SandboxBroken as error:
            raise BenchmarkError(error_codes.UNAVAILABLE, str(error)) from None

    async def end_idle_runs(self) -> None:
        """End the runs that nobody has called for too long."""
        await asyncio.get_running_loop().run_in_executor(self._lifecycle, self.runs.end_idle, self._options.idle_s)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        try:
            reply = await self._reply(scope, receive)
        except Vanished:
            return
        scope["state"][CONNECTION].hold(len(reply.body))
        await send_reply(reply, send)

    def close(self) -> None:
        """Release the threads and the processes of trials."""
        for threads in (self._lifecycle, self._runtime):
            threads.shutdown(wait=False, cancel_futures=True)
        if self._aides is not None:
            self._aides.close()

    async def _reply(self, scope: Scope, receive: Receive) -> HttpReply:
        try:
            return await self._answered(scope, receive)
        except Vanished:
            raise
        except (Refused, BenchmarkError, CallError) as error:
            retry_after_s = None if isinstance(error, CallError) else error.retry_after_s
            status = error.status if isinstance(error, Refused) else None
            refusal = Refused(error.code, error.message, retry_after_s=retry_after_s, status=status)
            # Else error and frames keep each other, and the request, alive until the garbage collector runs.
            error.__traceback__ = error.__context__ = None
            return wire_codec.refused(refusal)
        except Exception as error:  # noqa: BLE001 - the border of one request: the server survives any failure in it
            _log.exception("a call of %s failed", scope["path"][:200])
            return wire_codec.refused(Refused(error_codes.INTERNAL, f"the server failed: {type(error).__name__}"))

    async def _answered(self, scope: Scope, receive: Receive) -> HttpReply:
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        method, target = self._routed(scope, headers)
        kind = wire_codec.body_type(headers)
        deadline_s = _deadline_s(headers)
        if target.trial_id:
            self.runs.trial(target.trial_id)  # Refuses an unknown trial before the body arrives.
        body = wire_codec.decompressed(headers, await self._body(headers, receive), most=self._options.body_bytes)
        request = wire_codec.decoded(kind, body, method.request())

        async def work() -> Mapping[str, Plain]:
            loop = asyncio.get_running_loop()
            subject = method.subject(request, target)
            lock = self._locks.setdefault(subject, asyncio.Lock()) if subject else asyncio.Lock()
            async with lock:
                if not target.trial_id:
                    return await loop.run_in_executor(self._lifecycle, method.handle, request, target)
                run = self.runs.trial(target.trial_id).run
                async with self._turns.setdefault(run.run_id, asyncio.Semaphore(RUN_THREADS)):
                    return await loop.run_in_executor(self._runtime, method.handle, request, target)

        task = asyncio.create_task(work())
        done, _ = await asyncio.wait({task}, timeout=deadline_s)
        if not done:
            task.add_done_callback(lambda late: late.cancelled() or late.exception())
            raise Refused(error_codes.DEADLINE_EXCEEDED, "the client's deadline passed; the call goes on")
        return wire_codec.encoded(kind, task.result(), method.reply(), headers)

    def _routed(self, scope: Scope, headers: Mapping[str, str]) -> tuple[Method, Target]:
        path = scope.get("raw_path", b"").decode("latin-1") or scope["path"]
        prefix, _, tail = path.rpartition("/")
        prefix, _, service = prefix.rpartition("/")
        is_runtime = service != HARNESS
        method = self._services.get(service, {}).get(tail)
        if method is None or prefix.startswith(TRIAL_PREFIX) != is_runtime:
            raise Refused(error_codes.UNIMPLEMENTED, f"there is no method at {path[:200]}", status=404)
        if scope["method"] != "POST":
            raise Refused(error_codes.UNIMPLEMENTED, f"{scope['method']} is not understood; send POST", status=405)
        host = headers.get("host") or f"{self._options.host}:{self._options.port}"
        trial_id = prefix.removeprefix(TRIAL_PREFIX) if is_runtime else ""
        return method, Target(f"{scope.get('scheme', 'http')}://{host}", trial_id)

    async def _body(self, headers: Mapping[str, str], receive: Receive) -> bytes:
        most = self._options.body_bytes
        announced = headers.get("content-length", "")
        if len(announced) > 10 or (announced.isdecimal() and int(announced) > most):
            raise wire_codec.too_long(most)
        body = bytearray()
        try:
            async with asyncio.timeout(BODY_S):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise Vanished
                    body += message.get("body", b"")
                    if len(body) > most:
                        raise wire_codec.too_long(most)
                    if not message.get("more_body"):
                        return bytes(body)
        except TimeoutError:
            raise Refused(error_codes.DEADLINE_EXCEEDED, f"the body did not arrive in {BODY_S:g} s") from None


async def send_reply(reply: HttpReply, send: Send) -> None:
    """Send a reply, head and body."""
    headers = [(name.encode(), value.encode()) for name, value in reply.headers]
    headers.append((b"content-length", str(len(reply.body)).encode()))
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    await send({"type": "http.response.body", "body": reply.body})


def _deadline_s(headers: Mapping[str, str]) -> float | None:
    announced = headers.get("connect-timeout-ms", "")
    if not announced:
        return None
    if not announced.isdecimal() or len(announced) > 10:
        raise Refused(error_codes.INVALID_ARGUMENT, f"connect-timeout-ms is {announced!r}; send up to 10 digits")
    return int(announced) / 1000
